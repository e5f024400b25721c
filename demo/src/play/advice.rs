//! Chooses the quality of the picture by the time that the graphics card really takes, once, unless
//! settings were chosen before.

use crate::settings::{Graphics, Shadows};

/// Pictures before the first that is measured: the land is still being loaded and shaders made.
const SKIPPED: u32 = 120;
/// Pictures that are measured.
const MEASURED: usize = 60;
/// Up to these times of a picture, in milliseconds, the view is so many metres. They leave room for
/// a picture to grow with the square of the view and stay within a third of a sixtieth of a second.
const VIEWS: [(f32, f32); 2] = [(0.6, 1000.0), (1.8, 512.0)];
/// From these times on, shadows are coarse, and the picture is modest.
const COARSE: f32 = 9.0;
const MODEST: f32 = 16.0;

/// Times of pictures, until there are enough.
#[derive(Debug, Default)]
pub(super) struct Advice {
    pictures: u32,
    times: Vec<f32>,
}

impl Advice {
    /// Takes the time of one picture in milliseconds, 0 if it is not known, and returns the median
    /// once enough are there.
    pub(super) fn take(&mut self, milliseconds: f32) -> Option<f32> {
        if self.times.len() == MEASURED || milliseconds <= 0.0 {
            return None;
        }
        self.pictures += 1;
        if self.pictures <= SKIPPED {
            return None;
        }
        self.times.push(milliseconds);
        if self.times.len() < MEASURED {
            return None;
        }
        self.times.sort_by(f32::total_cmp);
        Some(self.times[MEASURED / 2])
    }
}

/// Returns the picture for a card that takes so many milliseconds for the standard one.
pub(super) fn graphics_for(standard: &Graphics, milliseconds: f32) -> Graphics {
    let graphics = standard.clone();
    if milliseconds >= MODEST {
        return graphics.modest();
    }
    if milliseconds >= COARSE {
        return Graphics {
            shadows: Shadows::Low,
            ..graphics
        };
    }
    let view = VIEWS.iter().find(|(most, _)| milliseconds <= *most);
    let view_metres = view.map_or(graphics.view_metres, |&(_, view)| view);
    Graphics {
        view_metres: view_metres.max(graphics.view_metres),
        ..graphics
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faster_cards_see_farther_and_slow_ones_get_less() {
        let standard = Graphics::default();
        let view = |milliseconds| graphics_for(&standard, milliseconds).view_metres;
        assert_eq!(
            [0.3, 1.5, 4.0, 10.0, 30.0].map(view),
            [1000.0, 512.0, 256.0, 256.0, 128.0]
        );
        assert_eq!(graphics_for(&standard, 5.0), standard);
        assert_eq!(graphics_for(&standard, 10.0).shadows, Shadows::Low);
        assert!(!graphics_for(&standard, 30.0).multisampling);
    }

    #[test]
    fn advice_comes_once_from_the_median_of_settled_pictures() {
        let mut advice = Advice::default();
        assert!(
            (0..1000).all(|_| advice.take(0.0).is_none()),
            "nothing is known"
        );
        let all = SKIPPED + MEASURED as u32;
        let given: Vec<_> = (0..2 * all)
            .filter_map(|picture| {
                let hitch = picture < SKIPPED || picture % 10 == 0;
                advice.take(if hitch { 90.0 } else { 2.0 })
            })
            .collect();
        assert_eq!(given, [2.0]);
    }
}
