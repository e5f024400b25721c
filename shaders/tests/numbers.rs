//! No power and no root in a shader may return NaN: one such sample is a black speck, and bloom
//! spreads it over a hundred pixels. (Divisions and `normalize` are not checked.)
//!
//! Rounding that leads to NaN differs from driver to driver. A fraction `1.0 - 3.0 / 3.0` is zero
//! on some and slightly negative on others, and a power of a negative number is NaN. So the base of
//! every power and the argument of every root must be clamped explicitly, even if it cannot be
//! negative mathematically.

#![allow(clippy::unwrap_used)]

use naga::MathFunction::{
    Abs, Clamp, Exp, InverseSqrt, Length, Log, Log2, Max, Pow, Saturate, Sqrt,
};
use naga::{Arena, Expression, Function, Handle, Literal};
use shaders::Pass;

/// Descriptions of expressions that may return NaN.
type Doubts = Vec<String>;

fn doubts_of(text: &str) -> Doubts {
    let module = naga::front::wgsl::parse_str(text).unwrap();
    let named = module.functions.iter().map(|(_, function)| function);
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    named.chain(entries).flat_map(doubts_in).collect()
}

fn doubts_in(function: &Function) -> Doubts {
    let all = &function.expressions;
    let name = function.name.as_deref().unwrap_or_default();
    let doubt = |expression: &Expression| match *expression {
        Expression::Math { fun, arg, .. } => {
            let asks = matches!(fun, Pow | Sqrt | InverseSqrt | Log | Log2);
            (asks && !is_kept_up(all, arg)).then(|| format!("{fun:?} in {name}"))
        }
        _ => None,
    };
    all.iter()
        .filter_map(|(_, expression)| doubt(expression))
        .collect()
}

/// Returns true if the outermost operation of a value keeps it from being negative.
fn is_kept_up(all: &Arena<Expression>, value: Handle<Expression>) -> bool {
    let Expression::Math { fun, arg, arg1, .. } = all[value] else {
        return is_constant(all, value);
    };
    let by = arg1.is_some_and(|by| is_constant(all, by));
    match fun {
        Max => by || is_constant(all, arg),
        Clamp => by,
        _ => matches!(fun, Saturate | Abs | Exp | Length),
    }
}

/// Returns true if a value is a literal that is not negative, in all its components.
fn is_constant(all: &Arena<Expression>, value: Handle<Expression>) -> bool {
    match &all[value] {
        Expression::Literal(Literal::F32(number)) => *number >= 0.0,
        Expression::ZeroValue(_) => true,
        Expression::Splat { value, .. } => is_constant(all, *value),
        Expression::Compose { components, .. } => {
            components.iter().all(|part| is_constant(all, *part))
        }
        _ => false,
    }
}

#[test]
fn what_is_raised_to_a_power_is_kept_from_below_zero() {
    for pass in Pass::ALL {
        assert_eq!(doubts_of(&pass.text()), Doubts::new(), "{}", pass.name());
    }
}

#[test]
fn a_share_that_is_only_known_to_be_no_less_than_zero_is_seen() {
    let power = |of: &str| format!("fn share(x: f32) -> f32 {{ return pow({of}, 1.5); }}");
    let doubtful = [
        "x",
        "1.0 - x / 3.0",
        "min(x, 1.0)",
        "max(x, -1.0)",
        "clamp(x, -0.5, 1.0)",
    ];
    for of in doubtful {
        assert_eq!(doubts_of(&power(of)), ["Pow in share"], "{of}");
    }
    for of in [
        "max(x, 0.0)",
        "max(0.5, x)",
        "clamp(x, 0.0, 2.0)",
        "saturate(x)",
        "abs(x)",
        "2.0",
    ] {
        assert_eq!(doubts_of(&power(of)), Doubts::new(), "{of}");
    }
    let root = "fn root(x: vec3<f32>) -> vec3<f32> { return sqrt(x - 1.0); }";
    assert_eq!(doubts_of(root), ["Sqrt in root"]);
}
