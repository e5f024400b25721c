// Smooths the fog of war along one axis, but not over cliffs; the second pass blends the result
// into the displayed fog, a third makes a map for panels.
// parts:

struct WarBlur {
    // (1, 0) or (0, 1).
    axis: vec2<i32>,
    // Height difference that the smoothing does not cross, in metres.
    cliff: f32,
    // Fraction of the new state in the blend, 0 to 1.
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

// Returns the sums of alpha and of weights on one side along the axis. Stops at a tile of another
// height, so that even a thin wall holds the fog.
fn beside(at: vec2<i32>, height: f32, direction: i32) -> vec2<f32> {
    let size = vec2<i32>(textureDimensions(alpha_map));
    var open = 1.0;
    var sums = vec2<f32>(0.0);
    for (var i = 1; i <= 3; i++) {
        let there = at + blur.axis * (i * direction);
        if any(there < vec2<i32>(0)) || any(there >= size) { break; }
        let step = abs(textureLoad(height_map, there, 0).r - height);
        open *= 1.0 - smoothstep(blur.cliff * 0.5, blur.cliff, step);
        let weight = exp(-f32(i * i) / 4.5) * open;
        sums += vec2<f32>(textureLoad(alpha_map, there, 0).r, 1.0) * weight;
    }
    return sums;
}

fn smoothed(at: vec2<i32>) -> f32 {
    let height = textureLoad(height_map, at, 0).r;
    let own = vec2<f32>(textureLoad(alpha_map, at, 0).r, 1.0);
    let sums = own + beside(at, height, 1) + beside(at, height, -1);
    return sums.x / sums.y;
}

@fragment
fn fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    return vec4<f32>(smoothed(vec2<i32>(position.xy)), 0.0, 0.0, blur.share);
}

// The displayed fog as darkness over a map of the land, with premultiplied alpha.
@fragment
fn fragment_map(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let dark = textureLoad(alpha_map, vec2<i32>(position.xy), 0).r * 0.88;
    return vec4<f32>(vec3<f32>(0.02) * dark, dark);
}
