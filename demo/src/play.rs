//! The command `play`.

use crate::cli::PlayArguments;
use crate::error::Error;

pub(crate) fn run(arguments: &PlayArguments) -> Result<(), Error> {
    Err(Error::Failed(format!("not built yet: {arguments:?}")))
}
