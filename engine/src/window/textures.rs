//! Keeps whole copies of egui's textures, since egui sends only changes and a new device needs
//! everything.

use std::sync::Arc;

use egui::epaint::textures::{TextureOptions, TexturesDelta};
use egui::{ColorImage, ImageData, TextureId};

/// The changes of a picture. They may be dropped unused, which egui's own may not: a panic of the
/// window library must not become two.
pub(super) struct Changes(pub(super) TexturesDelta);

impl Drop for Changes {
    fn drop(&mut self) {
        self.0.clear();
    }
}

/// Whole textures by id.
#[derive(Default)]
pub(super) struct TextureMemory {
    kept: Vec<Kept>,
}

struct Kept {
    id: TextureId,
    image: Arc<ColorImage>,
    options: TextureOptions,
}

impl TextureMemory {
    /// Applies a change.
    pub(super) fn apply(&mut self, delta: &TexturesDelta) {
        for (&id, changes) in &delta.set {
            for change in changes {
                let ImageData::Color(image) = &change.image;
                match change.pos {
                    None => self.replace(id, Arc::clone(image), change.options),
                    Some(at) => self.patch(id, image, at),
                }
            }
        }
        self.kept.retain(|kept| !delta.free.contains(&kept.id));
    }

    /// Returns everything that a new device needs.
    pub(super) fn everything(&self) -> TexturesDelta {
        let mut delta = TexturesDelta::default();
        for kept in &self.kept {
            let image = ImageData::Color(Arc::clone(&kept.image));
            delta.push(
                kept.id,
                egui::epaint::ImageDelta {
                    image,
                    options: kept.options,
                    pos: None,
                },
            );
        }
        delta
    }

    fn replace(&mut self, id: TextureId, image: Arc<ColorImage>, options: TextureOptions) {
        self.kept.retain(|kept| kept.id != id);
        self.kept.push(Kept { id, image, options });
    }

    fn patch(&mut self, id: TextureId, image: &ColorImage, at: [usize; 2]) {
        let Some(kept) = self.kept.iter_mut().find(|kept| kept.id == id) else {
            return;
        };
        let whole = Arc::make_mut(&mut kept.image);
        let [width, height] = image.size;
        if at[0] + width > whole.size[0] || at[1] + height > whole.size[1] {
            return;
        }
        for row in 0..height {
            let to = (at[1] + row) * whole.size[0] + at[0];
            whole.pixels[to..to + width]
                .copy_from_slice(&image.pixels[row * width..(row + 1) * width]);
        }
    }
}
