// Converts light to display colours, and back for colours that must stay unchanged.

fn tone(color: vec3<f32>) -> vec3<f32> {
    let x = max(color, vec3<f32>(0.0));
    return clamp(
        (x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14),
        vec3<f32>(0.0),
        vec3<f32>(1.0),
    );
}

// Returns the light that `tone` shows as this colour.
fn light_for(shown: vec3<f32>) -> vec3<f32> {
    let y = min(shown, vec3<f32>(0.9));
    let a = 2.51 - 2.43 * y;
    let b = 0.03 - 0.59 * y;
    let c = -0.14 * y;
    return (-b + sqrt(max(b * b - 4.0 * a * c, vec3<f32>(0.0)))) / (2.0 * a);
}

fn to_linear(color: vec3<f32>) -> vec3<f32> {
    return select(
        pow(max((color + 0.055) / 1.055, vec3<f32>(0.0)), vec3<f32>(2.4)),
        color / 12.92,
        color <= vec3<f32>(0.04045),
    );
}

fn to_srgb(color: vec3<f32>) -> vec3<f32> {
    return select(
        1.055 * pow(max(color, vec3<f32>(0.0)), vec3<f32>(1.0 / 2.4)) - 0.055,
        color * 12.92,
        color <= vec3<f32>(0.0031308),
    );
}
