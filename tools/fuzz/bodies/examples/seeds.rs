//! Writes the seeds of every target for the fuzzer: `seeds FOLDER` makes `FOLDER/TARGET/N`.

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os()
        .nth(1)
        .map_or_else(|| "corpus".into(), PathBuf::from);
    for target in fuzz_bodies::TARGETS {
        let folder = folder.join(target.name);
        std::fs::create_dir_all(&folder)?;
        for (number, seed) in (target.seeds)().iter().enumerate() {
            std::fs::write(folder.join(number.to_string()), seed)?;
        }
    }
    Ok(())
}
