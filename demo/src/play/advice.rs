//! Chooses the quality of the picture by the time that the graphics card really takes, unless
//! settings were chosen before: first view and shadows, then, while a picture still takes too long,
//! the resolution of the scene.

use crate::settings::{Graphics, LEAST_SCALE, Shadows};

/// Pictures before the first that is measured: the land is still being loaded and shaders made.
const SKIPPED: u32 = 120;
/// Pictures before the first that is measured after a change: new targets, and times that come some
/// pictures late.
const SKIPPED_AGAIN: u32 = 20;
/// Pictures that are measured.
const MEASURED: usize = 60;
/// Up to these times of a picture, in milliseconds, the view is so many metres. They leave room for
/// a picture to grow with the square of the view and stay within a third of a sixtieth of a second.
const VIEWS: [(f32, f32); 2] = [(0.6, 1000.0), (1.8, 512.0)];
/// From these times on, shadows are coarse, and the picture is modest.
const COARSE: f32 = 9.0;
const MODEST: f32 = 16.0;
/// Most time of a picture, in milliseconds, so that there are sixty a second with room to spare.
const BUDGET: f32 = 12.0;
/// Steps of the resolution of the scene.
const SCALE_STEP: f32 = 0.05;

/// The part of the picture that is chosen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    /// View and shadows.
    Quality,
    /// Resolution of the scene.
    Scale,
    /// None any more.
    Nothing,
}

/// Times of pictures, until there are enough for a choice.
#[derive(Debug)]
pub(super) struct Advice {
    choice: Choice,
    /// The picture that is measured; there is no advice for one that the player changes.
    measured: Graphics,
    to_skip: u32,
    times: Vec<f32>,
}

/// A picture for a graphics card.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Advised {
    /// Time that a picture took before, in milliseconds.
    pub(super) milliseconds: f32,
    pub(super) graphics: Graphics,
}

impl Advice {
    /// Returns advice on all parts of the standard picture.
    pub(super) fn on_quality() -> Self {
        Self::on(Choice::Quality, &Graphics::default(), SKIPPED)
    }

    /// Returns advice on the resolution alone.
    pub(super) fn on_scale(graphics: &Graphics) -> Self {
        Self::on(Choice::Scale, graphics, SKIPPED)
    }

    /// Returns no advice.
    pub(super) fn none() -> Self {
        Self::on(Choice::Nothing, &Graphics::default(), 0)
    }

    fn on(choice: Choice, measured: &Graphics, to_skip: u32) -> Self {
        Advice {
            choice,
            measured: measured.clone(),
            to_skip,
            times: Vec::new(),
        }
    }

    /// Takes the time of one picture in milliseconds, 0 if it is not known. Returns another picture
    /// once enough times are known and suggest one.
    pub(super) fn advise(&mut self, graphics: &Graphics, milliseconds: f32) -> Option<Advised> {
        if self.choice == Choice::Nothing || milliseconds <= 0.0 {
            return None;
        }
        let hour = graphics.hour;
        if *graphics
            != (Graphics {
                hour,
                ..self.measured.clone()
            })
        {
            *self = Self::none();
            return None;
        }
        let milliseconds = self.median(milliseconds)?;
        let chosen = match self.choice {
            Choice::Quality => of_quality(graphics, milliseconds),
            Choice::Scale => of_scale(graphics, milliseconds),
            Choice::Nothing => None,
        };
        *self = match &chosen {
            Some(chosen) if milliseconds >= COARSE => {
                Self::on(Choice::Scale, chosen, SKIPPED_AGAIN)
            }
            _ => Self::none(),
        };
        chosen.map(|graphics| Advised {
            milliseconds,
            graphics,
        })
    }

    /// Adds a time, and returns the median once there are enough.
    fn median(&mut self, milliseconds: f32) -> Option<f32> {
        if self.to_skip > 0 {
            self.to_skip -= 1;
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

/// Returns the picture for a card that takes so many milliseconds for the standard one, if it is
/// another one.
fn of_quality(standard: &Graphics, milliseconds: f32) -> Option<Graphics> {
    let graphics = standard.clone();
    if milliseconds >= MODEST {
        return Some(graphics.modest());
    }
    if milliseconds >= COARSE {
        return Some(Graphics {
            shadows: Shadows::Low,
            ..graphics
        });
    }
    let view = VIEWS.iter().find(|(most, _)| milliseconds <= *most);
    view.map(|&(_, view_metres)| Graphics {
        view_metres,
        ..graphics
    })
}

/// Returns the picture with a resolution that fits the budget, if it does not fit yet: its time
/// grows with the number of pixels.
fn of_scale(graphics: &Graphics, milliseconds: f32) -> Option<Graphics> {
    let scale = graphics.render_scale * (BUDGET / milliseconds).sqrt();
    let render_scale = ((scale / SCALE_STEP).floor() * SCALE_STEP).max(LEAST_SCALE);
    let is_lower = milliseconds > BUDGET && render_scale < graphics.render_scale;
    is_lower.then(|| Graphics {
        render_scale,
        ..graphics.clone()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn faster_cards_see_farther_and_slow_ones_get_less() {
        let standard = Graphics::default();
        let chosen = |milliseconds| of_quality(&standard, milliseconds);
        let view = |milliseconds| chosen(milliseconds).unwrap().view_metres;
        assert_eq!(
            [0.3, 1.5, 10.0, 30.0].map(view),
            [1000.0, 512.0, 256.0, 128.0]
        );
        assert_eq!(chosen(5.0), None);
        assert_eq!(chosen(10.0).unwrap().shadows, Shadows::Low);
        assert!(!chosen(30.0).unwrap().multisampling);
    }

    #[test]
    fn a_scene_that_takes_too_long_is_drawn_with_fewer_pixels() {
        let graphics = Graphics::default();
        let scale = |milliseconds| of_scale(&graphics, milliseconds).map(|it| it.render_scale);
        assert_eq!((scale(5.0), scale(BUDGET)), (None, None));
        for (milliseconds, fits) in [(14.0, 0.9), (20.0, 0.75), (40.0, 0.5), (900.0, 0.5)] {
            let scale = scale(milliseconds).unwrap();
            assert!((scale - fits).abs() < 1e-4, "{scale} for {milliseconds} ms");
        }
        let least = Graphics {
            render_scale: LEAST_SCALE,
            ..graphics
        };
        assert_eq!(of_scale(&least, 900.0), None);
    }

    /// Returns the choices for a card that takes so many milliseconds for a picture.
    fn choices(milliseconds: impl Fn(&Graphics) -> f32) -> Vec<Advised> {
        let (mut advice, mut graphics) = (Advice::on_quality(), Graphics::default());
        let mut all = Vec::new();
        for picture in 0..4000 {
            let hitch = picture < SKIPPED || picture % 10 == 0;
            let time = match milliseconds(&graphics) {
                known if known > 0.0 && hitch => 90.0,
                time => time,
            };
            graphics.hour += 0.001;
            if let Some(advised) = advice.advise(&graphics, time) {
                graphics = advised.graphics.clone();
                all.push(advised);
            }
        }
        all
    }

    #[test]
    fn advice_comes_from_the_median_of_settled_pictures_until_the_budget_holds() {
        assert_eq!(choices(|_| 0.0), [], "nothing is known");
        assert_eq!(choices(|_| 5.0), [], "all is well");
        let fast = choices(|_| 0.4);
        assert_eq!((fast.len(), fast[0].milliseconds), (1, 0.4));
        // Half of the time does not depend on the pixels.
        let slow = choices(|graphics| {
            let whole = if graphics.multisampling { 40.0 } else { 20.0 };
            whole * (0.5 + 0.5 * graphics.render_scale * graphics.render_scale)
        });
        let scales: Vec<_> = slow.iter().map(|it| it.graphics.render_scale).collect();
        assert_eq!(slow[0].milliseconds, 40.0);
        // By hand, each from the time at the one before.
        let fits = [1.0, 0.75, 0.65, 0.55, 0.5];
        assert_eq!(scales.len(), fits.len(), "{scales:?}");
        let apart = scales.iter().zip(fits).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f32::max) < 1e-4, "{scales:?}");
    }

    #[test]
    fn a_player_who_chooses_gets_no_advice() {
        let mut advice = Advice::on_quality();
        let own = Graphics {
            detail: 0.5,
            ..Graphics::default()
        };
        assert_eq!(advice.advise(&own, 30.0), None);
        let standard = Graphics::default();
        assert!((0..500).all(|_| advice.advise(&standard, 30.0).is_none()));
    }
}
