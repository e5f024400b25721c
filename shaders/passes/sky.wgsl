// The background: gradient, sun, moon, stars and clouds.
// parts: frame sky

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) direction: vec3<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) vertex: u32) -> Varying {
    let corner = vec2<f32>(f32((vertex << 1u) & 2u), f32(vertex & 2u)) * 2.0 - 1.0;
    let far = frame.inverse_view_projection * vec4<f32>(corner, 1.0, 1.0);
    var out: Varying;
    // Depth 0 is infinitely far.
    out.position = vec4<f32>(corner, 0.0, 1.0);
    out.direction = far.xyz / far.w;
    return out;
}

fn stars(direction: vec3<f32>) -> vec3<f32> {
    let at = direction.xz / (abs(direction.y) + 0.6) * 140.0;
    let cell = floor(at);
    let chance = sky_hash(cell);
    let center = vec2<f32>(sky_hash(cell + 7.3), sky_hash(cell + 3.1)) * 0.6 + 0.2;
    let distance = length(fract(at) - center);
    let size = 0.05 + 0.07 * sky_hash(cell + 1.7);
    let bright = step(0.93, chance) * (1.0 - smoothstep(0.0, size, distance));
    let hue = mix(vec3<f32>(0.7, 0.8, 1.0), vec3<f32>(1.0, 0.9, 0.75), sky_hash(cell + 5.5));
    return hue * bright * 1.6 * smoothstep(0.0, 0.25, direction.y);
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    let direction = normalize(in.direction);
    var color = sky_glow(direction);
    let dark = smoothstep(0.55, 0.95, frame.night);
    color += stars(direction) * dark;
    let to_sun = dot(direction, frame.sun_direction);
    let disc = smoothstep(0.99955, 0.9998, to_sun) * smoothstep(-0.05, 0.02, direction.y);
    color += vec3<f32>(1.0, 0.86, 0.62) * disc * 14.0;
    let to_moon = dot(direction, -frame.sun_direction);
    let moon = smoothstep(0.9994, 0.9996, to_moon);
    color = mix(color, vec3<f32>(0.75, 0.8, 0.9), moon * dark);
    color += vec3<f32>(0.2, 0.25, 0.35) * pow(max(to_moon, 0.0), 300.0) * dark * 0.4;
    color = with_clouds(color, direction);
    return vec4<f32>(color, 1.0);
}
