//! The command `saves`.

use crate::cli::WorldAction;
use crate::error::Error;

pub(crate) fn run(arguments: &WorldAction) -> Result<(), Error> {
    Err(Error::Failed(format!("not built yet: {arguments:?}")))
}
