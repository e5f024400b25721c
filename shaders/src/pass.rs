//! Assembles the text of a pass from its file and its parts.

use std::path::Path;

/// A pass, with the name of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pass {
    /// Depth as seen from the sun.
    Shadow,
    /// Opaque voxels.
    Terrain,
    /// Characters and other ellipsoids.
    Body,
    /// Models of triangles.
    Model,
    /// Background: sky, sun, moon, stars and clouds.
    Sky,
    /// Transparent voxels.
    Water,
    /// Lines and translucent solids.
    Overlay,
    /// Glow of bright parts.
    Bloom,
    /// Tone mapping.
    Tone,
    /// Smoothing of the fog of war.
    WarBlur,
}

/// Errors of assembling a shader, for files read at run time.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A file is missing or unreadable.
    #[error("cannot read shader file {path}: {source}")]
    File {
        /// The file.
        path: String,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The `// parts:` line names an unknown part.
    #[error("shader {pass} names an unknown part {part}")]
    Part {
        /// The pass.
        pass: &'static str,
        /// The unknown name.
        part: String,
    },
}

macro_rules! parts {
    ($($name:literal),*) => {
        const PARTS: &[(&str, &str)] = &[$(
            ($name, include_str!(concat!("../parts/", $name, ".wgsl")))
        ),*];
    };
}

parts!(
    "frame",
    "sky",
    "air",
    "light",
    "war",
    "quad",
    "surface",
    "occlusion",
    "body",
    "model",
    "tone"
);

impl Pass {
    /// All passes in the order they are drawn.
    pub const ALL: [Self; 10] = [
        Self::WarBlur,
        Self::Shadow,
        Self::Terrain,
        Self::Body,
        Self::Model,
        Self::Sky,
        Self::Water,
        Self::Overlay,
        Self::Bloom,
        Self::Tone,
    ];

    /// Returns the name of the pass and of its file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shadow => "shadow",
            Self::Terrain => "terrain",
            Self::Body => "body",
            Self::Model => "model",
            Self::Sky => "sky",
            Self::Water => "water",
            Self::Overlay => "overlay",
            Self::Bloom => "bloom",
            Self::Tone => "tone",
            Self::WarBlur => "war_blur",
        }
    }

    const fn built_in(self) -> &'static str {
        match self {
            Self::Shadow => include_str!("../passes/shadow.wgsl"),
            Self::Terrain => include_str!("../passes/terrain.wgsl"),
            Self::Body => include_str!("../passes/body.wgsl"),
            Self::Model => include_str!("../passes/model.wgsl"),
            Self::Sky => include_str!("../passes/sky.wgsl"),
            Self::Water => include_str!("../passes/water.wgsl"),
            Self::Overlay => include_str!("../passes/overlay.wgsl"),
            Self::Bloom => include_str!("../passes/bloom.wgsl"),
            Self::Tone => include_str!("../passes/tone.wgsl"),
            Self::WarBlur => include_str!("../passes/war_blur.wgsl"),
        }
    }

    /// Returns the built-in text.
    #[must_use]
    pub fn text(self) -> String {
        let built_in = |part: &str| {
            let known = PARTS.iter().find(|(name, _)| *name == part);
            known.map(|(_, text)| (*text).to_owned())
        };
        assemble(self.built_in(), |part| built_in(part).ok_or(()))
            .unwrap_or_else(|()| self.built_in().to_owned())
    }

    /// Assembles the text from the files in a folder (this crate's), for changes at run time.
    pub fn read(self, folder: &Path) -> Result<String, SourceError> {
        let read = |kind: &str, name: &str| {
            let path = folder.join(kind).join(name).with_extension("wgsl");
            std::fs::read_to_string(&path).map_err(|source| SourceError::File {
                path: path.display().to_string(),
                source,
            })
        };
        let own = read("passes", self.name())?;
        assemble(&own, |part| {
            if PARTS.iter().any(|(name, _)| *name == part) {
                read("parts", part)
            } else {
                Err(SourceError::Part {
                    pass: self.name(),
                    part: part.to_owned(),
                })
            }
        })
    }
}

/// Returns the folder of this crate's files on the machine that built it.
#[must_use]
pub fn source_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn assemble<E>(own: &str, mut part: impl FnMut(&str) -> Result<String, E>) -> Result<String, E> {
    let named = own
        .lines()
        .find_map(|line| line.strip_prefix("// parts:"))
        .unwrap_or_default();
    let mut text = String::new();
    for name in named.split_whitespace() {
        text.push_str(&part(name)?);
        text.push('\n');
    }
    text.push_str(own);
    Ok(text)
}
