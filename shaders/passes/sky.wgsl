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

fn hash(at: vec2<f32>) -> f32 {
    var p = fract(vec3<f32>(at.xyx) * 0.1031);
    p += dot(p, p.yzx + 33.33);
    return fract((p.x + p.y) * p.z);
}

fn smooth_noise(at: vec2<f32>) -> f32 {
    let cell = floor(at);
    var t = fract(at);
    t = t * t * (3.0 - 2.0 * t);
    return mix(
        mix(hash(cell), hash(cell + vec2<f32>(1.0, 0.0)), t.x),
        mix(hash(cell + vec2<f32>(0.0, 1.0)), hash(cell + vec2<f32>(1.0, 1.0)), t.x),
        t.y,
    );
}

fn billow(at: vec2<f32>) -> f32 {
    var sum = 0.0;
    var weight = 0.5;
    var p = at;
    for (var i = 0; i < 5; i++) {
        sum += weight * smooth_noise(p);
        p = mat2x2<f32>(1.6, 1.2, -1.2, 1.6) * p;
        weight *= 0.5;
    }
    return sum;
}

fn with_clouds(color: vec3<f32>, direction: vec3<f32>) -> vec3<f32> {
    if direction.y < 0.015 { return color; }
    // Far from the origin `f32` cannot hold both the place and the noise; the pattern of clouds
    // wraps around.
    let half = vec2<i32>(0x80000);
    let cell = vec2<f32>(((frame.camera_cell.xz + half) & vec2<i32>(0xfffff)) - half);
    let offset = (cell + frame.camera_offset.xz) * 0.0006;
    let at = direction.xz / (direction.y + 0.09) * 1.25 + offset
        + vec2<f32>(frame.time * 0.006, 0.0);
    let density = billow(at * 1.4);
    let cover = smoothstep(0.5, 0.78, density);
    let toward_light = billow((at + frame.light_direction.xz * 0.16) * 1.4);
    let lit = clamp(1.05 - (toward_light - 0.42) * 1.7, 0.35, 1.15);
    let glow = pow(max(dot(direction, frame.sun_direction), 0.0), 8.0);
    let day = frame.light_color * 0.36 * lit + frame.zenith * 0.32 + frame.horizon * 0.22;
    let cloud = day * (1.0 + 0.7 * glow * (1.0 - cover));
    let fade = smoothstep(0.015, 0.2, direction.y);
    return mix(color, cloud, cover * fade * 0.92);
}

fn stars(direction: vec3<f32>) -> vec3<f32> {
    let at = direction.xz / (abs(direction.y) + 0.6) * 140.0;
    let cell = floor(at);
    let chance = hash(cell);
    let center = vec2<f32>(hash(cell + 7.3), hash(cell + 3.1)) * 0.6 + 0.2;
    let distance = length(fract(at) - center);
    let size = 0.05 + 0.07 * hash(cell + 1.7);
    let bright = step(0.93, chance) * (1.0 - smoothstep(0.0, size, distance));
    let hue = mix(vec3<f32>(0.7, 0.8, 1.0), vec3<f32>(1.0, 0.9, 0.75), hash(cell + 5.5));
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
