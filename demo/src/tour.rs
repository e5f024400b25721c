//! The command `tour`.

use crate::cli::TourArguments;
use crate::error::Error;

pub(crate) fn run(arguments: &TourArguments) -> Result<(), Error> {
    Err(Error::Failed(format!("not built yet: {arguments:?}")))
}
