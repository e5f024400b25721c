//! No power and no root in a shader may come out as no number at all: one such sample is a black speck, and the glow spreads it over a hundred
//! pixels. (Divisions, and `normalize`, are not looked at.)
//!
//! Which roundings lead there differs from driver to driver. A share that is `1.0 - 3.0 / 3.0` is zero on some and just below on others, and
//! a power of what is below zero is no number. So the base of every power and what is under every root must be kept from below zero
//! where it stands, not by what it is known to be.

#![allow(clippy::unwrap_used)]

use naga::MathFunction::{
    Abs, Clamp, Exp, InverseSqrt, Length, Log, Log2, Max, Pow, Saturate, Sqrt,
};
use naga::{Arena, Expression, Function, Handle, Literal};
use shaders::Pass;

/// What may come out as no number, in words.
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

/// Whether the last thing done to a value keeps it from below zero.
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

/// Whether a value is a number in the text that is not below zero, in all its parts.
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
