//! The command `scenes`.

use crate::cli::ScenesArguments;
use crate::error::Error;

pub(crate) fn run(arguments: &ScenesArguments) -> Result<(), Error> {
    Err(Error::Failed(format!("not built yet: {arguments:?}")))
}
