//! Colours of sun, moon and sky by the time of day.

use nalgebra::Vector3;

use super::cascades::CASCADES;
use crate::Sun;

/// The natural light of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Daylight {
    pub(crate) sun_direction: Vector3<f32>,
    /// Direction to the sun or the moon, whichever gives the light.
    pub(crate) light_direction: Vector3<f32>,
    pub(crate) light_color: Vector3<f32>,
    pub(crate) zenith: Vector3<f32>,
    pub(crate) horizon: Vector3<f32>,
    pub(crate) bounce: Vector3<f32>,
    /// 0 by day, 1 by night.
    pub(crate) night: f32,
}

/// Height of the sun at which the moon takes over.
const DUSK: f32 = -0.10;
/// Height of the sun at which the twilight ends; it lights the ground until the moon is high.
const NIGHTFALL: f32 = -0.42;

impl Daylight {
    pub(crate) fn of(sun: &Sun) -> Self {
        let sun_direction = sun.direction();
        let height = sun_direction.y;
        let day = smooth(DUSK, 0.22, height);
        let high = smooth(0.0, 0.45, height);
        let low = smooth(DUSK - 0.06, 0.02, height) * (1.0 - smooth(0.05, 0.42, height));
        let by_sun = height > DUSK;
        let sunlight =
            mix([1.0, 0.42, 0.16], [1.0, 0.94, 0.82], high) * (3.3 * smooth(DUSK, 0.16, height));
        let moonlight = Vector3::new(0.24, 0.33, 0.52) * (0.85 * smooth(0.0, 0.12, DUSK - height));
        let light_color = if by_sun { sunlight } else { moonlight };
        let zenith = mix([0.018, 0.028, 0.066], [0.13, 0.33, 0.80], day)
            + Vector3::new(0.05, 0.01, 0.10) * low;
        let horizon = mix([0.045, 0.062, 0.115], [0.60, 0.78, 0.98], day);
        let horizon = horizon + (Vector3::new(0.95, 0.44, 0.22) - horizon) * (low * 0.66);
        let twilight = smooth(NIGHTFALL, DUSK, height) * (1.0 - smooth(DUSK, 0.0, height));
        let zenith = zenith + Vector3::new(0.040, 0.042, 0.080) * twilight;
        let horizon = horizon + Vector3::new(0.110, 0.075, 0.090) * twilight;
        let bounce = light_color.component_mul(&Vector3::new(0.10, 0.085, 0.065)) + horizon * 0.16;
        Self {
            sun_direction,
            light_direction: if by_sun {
                sun_direction
            } else {
                -sun_direction
            },
            light_color,
            zenith,
            horizon,
            bounce,
            night: 1.0 - day,
        }
    }
}

/// Steps of the light of shadow maps in a day, each a quarter of a degree.
const STEPS: f32 = 1440.0;
/// Share of a step, after a full one, at which each map changes over to the next: a picture draws
/// one of them at most.
const CHANGES: [f32; CASCADES] = [0.5, 1.0 / 6.0, 5.0 / 6.0];

/// Returns the directions to the light of shadow maps. They move in steps, so that maps are not
/// drawn for every picture while the day passes.
pub(crate) fn shadow_lights(sun: &Sun) -> [Vector3<f32>; CASCADES] {
    CHANGES.map(|change| {
        let step = (sun.time_of_day * STEPS + 1.0 - change).floor();
        let time_of_day = step / STEPS;
        Daylight::of(&Sun { time_of_day }).light_direction
    })
}

/// View distance under water, in metres.
pub(crate) const SIGHT_UNDER_WATER: f32 = 34.0;

impl Daylight {
    /// Returns the light under water: blue from all sides, and weaker.
    pub(crate) fn under_water(self) -> Self {
        let brightness = self.zenith.norm() * 0.5 + self.light_color.norm() * 0.04;
        let blue = Vector3::new(0.03, 0.22, 0.36) * brightness;
        Self {
            light_color: self
                .light_color
                .component_mul(&Vector3::new(0.35, 0.62, 0.75)),
            zenith: blue * 1.3,
            horizon: blue,
            bounce: blue * 0.5,
            ..self
        }
    }
}

fn smooth(low: f32, high: f32, value: f32) -> f32 {
    let t = ((value - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

fn mix(a: [f32; 3], b: [f32; 3], share: f32) -> Vector3<f32> {
    Vector3::from(a) + (Vector3::from(b) - Vector3::from(a)) * share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_never_jumps_over_a_day() {
        let at = |minute: i32| {
            Daylight::of(&Sun {
                time_of_day: minute as f32 / 1440.0,
            })
        };
        for minute in 0..1440 {
            let (now, next) = (at(minute), at(minute + 1));
            assert!(
                (now.light_color - next.light_color).norm() < 0.12,
                "light at minute {minute}"
            );
            assert!(
                (now.zenith - next.zenith).norm() < 0.03,
                "sky at minute {minute}"
            );
            assert!((now.light_direction.norm() - 1.0).abs() < 1e-5);
            assert!(
                now.light_direction.y > -0.11,
                "light from below at minute {minute}"
            );
        }
    }

    /// Returns the brightness of open, level ground: the light of the shaders without a lamp.
    fn brightness_of_ground(minute: i32) -> f32 {
        let now = Daylight::of(&Sun {
            time_of_day: minute as f32 / 1440.0,
        });
        let sky = now.zenith * 0.68 + now.horizon * 0.62;
        let light = sky + now.light_color * now.light_direction.y.max(0.0);
        light.dot(&Vector3::new(0.21, 0.72, 0.07))
    }

    #[test]
    fn ground_is_never_too_dark_to_walk() {
        let (noon, midnight) = (brightness_of_ground(720), brightness_of_ground(0));
        assert!(midnight > noon / 16.0, "{midnight} and {noon}");
        for minute in 0..1440 {
            let now = brightness_of_ground(minute);
            assert!(now > 0.4 * midnight, "{now} at minute {minute}");
        }
    }

    #[test]
    fn shadows_follow_the_sun_in_steps_one_map_at_a_time() {
        let lights = |minutes: f32| {
            let time_of_day = minutes / 1440.0;
            shadow_lights(&Sun { time_of_day })
        };
        let mut changes = [0; CASCADES];
        let mut before = lights(600.0);
        assert_eq!(
            before,
            [Daylight::of(&Sun {
                time_of_day: 600.0 / 1440.0
            })
            .light_direction; 3]
        );
        for picture in 1..=400 {
            let minutes = 600.0 + picture as f32 * 0.025;
            let now = lights(minutes);
            let changed = [0, 1, 2].map(|map| usize::from(now[map] != before[map]));
            assert!(changed.iter().sum::<usize>() <= 1, "at {minutes} minutes");
            (0..CASCADES).for_each(|map| changes[map] += changed[map]);
            let time_of_day = minutes / 1440.0;
            let exact = Daylight::of(&Sun { time_of_day }).light_direction;
            for light in now {
                let degrees = light.angle(&exact).to_degrees();
                assert!(degrees < 0.25, "{degrees} behind at {minutes} minutes");
            }
            before = now;
        }
        assert_eq!(changes, [10; CASCADES]);
    }
}
