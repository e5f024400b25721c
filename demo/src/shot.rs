//! The command `shot`.

use crate::cli::ShotArguments;
use crate::error::Error;

pub(crate) fn run(arguments: &ShotArguments) -> Result<(), Error> {
    Err(Error::Failed(format!("not built yet: {arguments:?}")))
}
