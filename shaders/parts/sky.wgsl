// Colour of the sky in a direction, its clouds, and the haze that replaces distant colours.

fn sky_glow(direction: vec3<f32>) -> vec3<f32> {
    let height = clamp(direction.y, 0.0, 1.0);
    var color = mix(frame.horizon, frame.zenith, pow(height, 0.42));
    // The horizon towards a low sun is warm and bright.
    let toward = max(dot(direction, frame.sun_direction), 0.0);
    let low = 1.0 - smoothstep(0.0, 0.5, abs(frame.sun_direction.y));
    let day = 1.0 - frame.night;
    let band = exp(-6.0 * abs(direction.y));
    color += vec3<f32>(1.25, 0.40, 0.07) * (pow(toward, 3.0) * 0.9 + 0.12)
        * low * band * (0.25 + 0.75 * day);
    color += frame.light_color * day * (pow(toward, 24.0) * 0.06 + pow(toward, 300.0) * 0.25);
    // Below the horizon: the haze over unseen ground.
    let below = clamp(-direction.y * 2.5, 0.0, 1.0);
    return mix(color, frame.horizon * 0.82, below);
}

fn sky_hash(at: vec2<f32>) -> f32 {
    var p = fract(vec3<f32>(at.xyx) * 0.1031);
    p += dot(p, p.yzx + 33.33);
    return fract((p.x + p.y) * p.z);
}

fn smooth_noise(at: vec2<f32>) -> f32 {
    let cell = floor(at);
    var t = fract(at);
    t = t * t * (3.0 - 2.0 * t);
    return mix(
        mix(sky_hash(cell), sky_hash(cell + vec2<f32>(1.0, 0.0)), t.x),
        mix(sky_hash(cell + vec2<f32>(0.0, 1.0)), sky_hash(cell + vec2<f32>(1.0, 1.0)), t.x),
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

// Returns the fraction of haze at a distance: thin nearby, complete at the edge of the view.
fn haze(distance: f32) -> f32 {
    let ratio = distance / frame.view_distance;
    let thin = 1.0 - exp(-ratio * ratio * ratio * 0.9);
    let edge = smoothstep(0.76, 0.985, ratio);
    return frame.fog * max(thin * 0.8, edge);
}

fn with_haze(color: vec3<f32>, relative: vec3<f32>) -> vec3<f32> {
    let distance = length(relative);
    let direction = relative / max(distance, 1e-4);
    let level = vec3<f32>(direction.x, max(direction.y, 0.02), direction.z);
    let share = haze(distance);
    var air = sky_glow(normalize(level));
    // A hill in front of a cloud fades into the cloud.
    if share > 0.02 { air = with_clouds(air, direction); }
    return mix(color, air, share);
}
