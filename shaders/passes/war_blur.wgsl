// Smooths the fog of war along one axis, but not over cliffs; the second pass blends it into what was shown before.
// parts:

struct WarBlur {
    // 1, 0 or 0, 1.
    axis: vec2<i32>,
    // Difference of height, metres, over which nothing leaks.
    cliff: f32,
    // Share of the new state in the blend, 0 to 1.
    share: f32,
}

@group(0) @binding(0) var<uniform> blur: WarBlur;
@group(0) @binding(1) var alpha_map: texture_2d<f32>;
@group(0) @binding(2) var height_map: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((vertex << 1u) & 2u), f32(vertex & 2u));
    return vec4<f32>(corner * 2.0 - 1.0, 0.0, 1.0);
}

fn smoothed(at: vec2<i32>) -> f32 {
    let last = vec2<i32>(textureDimensions(alpha_map)) - 1;
    let height = textureLoad(height_map, at, 0).r;
    var sum = 0.0;
    var weights = 0.0;
    for (var i = -3; i <= 3; i++) {
        let there = clamp(at + blur.axis * i, vec2<i32>(0), last);
        let step = abs(textureLoad(height_map, there, 0).r - height);
        let weight = exp(-f32(i * i) / 4.5) * (1.0 - smoothstep(blur.cliff * 0.5, blur.cliff, step));
        sum += textureLoad(alpha_map, there, 0).r * weight;
        weights += weight;
    }
    return sum / max(weights, 1e-4);
}

@fragment
fn fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    return vec4<f32>(smoothed(vec2<i32>(position.xy)), 0.0, 0.0, blur.share);
}
