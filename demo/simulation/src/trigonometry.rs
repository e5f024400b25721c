//! Sine, cosine and heading by series: the same bits on every machine. The functions of the
//! platform differ in their last bit, so no tick may call them.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, PI};

/// Terms of the series of sine and cosine, enough for `f64` within an eighth of a turn.
const TERMS: u32 = 10;
/// Terms of the series of the arc tangent, enough for `f64` after two halvings.
const ARC_TERMS: u32 = 14;

/// Returns the sine and the cosine of an angle.
pub(crate) fn sin_cos(radians: f32) -> (f32, f32) {
    let (sine, cosine) = fine_sin_cos(radians.into());
    (sine as f32, cosine as f32)
}

/// Returns the sine and the cosine of an angle.
pub(crate) fn fine_sin_cos(angle: f64) -> (f64, f64) {
    let quarters = (angle * FRAC_2_PI + 0.5).floor();
    let rest = angle - quarters * FRAC_PI_2;
    let (sine, cosine) = (series(rest, rest, 1), series(1.0, rest, 0));
    match (quarters as i64).rem_euclid(4) {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// Sums the series that begins with the term `first` of degree `degree`.
fn series(first: f64, angle: f64, degree: u32) -> f64 {
    let square = angle * angle;
    let (mut term, mut sum) = (first, first);
    for step in 1..TERMS {
        let last = f64::from(degree + 2 * step);
        term *= -square / (last * (last - 1.0));
        sum += term;
    }
    sum
}

/// Returns the angle of a point in the plane, from the first axis towards the second, between half
/// a turn back and half a turn on; 0 for the origin.
pub(crate) fn angle_of(first: f32, second: f32) -> f32 {
    let (x, y) = (f64::from(first), f64::from(second));
    let (long, short) = (x.abs().max(y.abs()), x.abs().min(y.abs()));
    if long == 0.0 || !long.is_finite() {
        return 0.0;
    }
    let eighth = arc_tangent(short / long);
    let steep = y.abs() > x.abs();
    let quarter = if steep { FRAC_PI_2 - eighth } else { eighth };
    let half = if x < 0.0 { PI - quarter } else { quarter };
    half.copysign(y) as f32
}

/// Returns the arc tangent of a number from 0 to 1.
fn arc_tangent(tangent: f64) -> f64 {
    let half = |tangent: f64| tangent / (1.0 + (1.0 + tangent * tangent).sqrt());
    let small = half(half(tangent));
    let square = small * small;
    let (mut power, mut sum) = (small, small);
    for step in 1..ARC_TERMS {
        power *= -square;
        sum += power / f64::from(2 * step + 1);
    }
    sum * 4.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest error, a bit more than half the last bit of a number near 1.
    const NEAR: f64 = 1.0e-7;

    #[test]
    fn sine_and_cosine_are_those_of_the_platform_to_the_last_bit_or_so() {
        for step in -40_000..40_000 {
            let angle = step as f32 * 0.001_7;
            let (sine, cosine) = sin_cos(angle);
            let (expected_sine, expected_cosine) = f64::from(angle).sin_cos();
            let (fine_sine, fine_cosine) = fine_sin_cos(angle.into());
            assert!((fine_sine - expected_sine).abs() < 1.0e-14, "{angle}");
            assert!((fine_cosine - expected_cosine).abs() < 1.0e-14, "{angle}");
            assert!((f64::from(sine) - expected_sine).abs() < NEAR, "{angle}");
            assert!(
                (f64::from(cosine) - expected_cosine).abs() < NEAR,
                "{angle}"
            );
        }
        assert_eq!(sin_cos(0.0), (0.0, 1.0));
    }

    #[test]
    fn angles_are_found_all_round() {
        for step in -3141..=3141 {
            let angle = f64::from(step) * 0.001;
            for size in [1.0e-20, 1.0, 3.0e7] {
                let [x, y] = [angle.cos() * size, angle.sin() * size].map(|part| part as f32);
                let off = f64::from(angle_of(x, y)) - f64::from(y).atan2(f64::from(x));
                assert!(off.abs() < 3.0e-7, "{angle}");
            }
        }
        assert_eq!(angle_of(0.0, 0.0), 0.0);
        assert_eq!(angle_of(f32::NAN, f32::INFINITY), 0.0);
    }

    #[test]
    fn bits_are_pinned() {
        let mut sum = 0_u64;
        for step in 0..65_536_u32 {
            let angle = step as f32 * (std::f32::consts::TAU / 65_536.0);
            let (sine, cosine) = sin_cos(angle);
            let found = angle_of(cosine, sine);
            for part in [sine, cosine, found] {
                sum = sum.wrapping_mul(0x100_0000_01b3) ^ u64::from(part.to_bits());
            }
        }
        assert_eq!(format!("{sum:016x}"), "9a56082ced8d7e55");
    }
}
