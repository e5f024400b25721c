// Colour of the sky in a direction, without clouds and stars, and the haze that replaces distant
// colours.

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
    return mix(color, sky_glow(normalize(level)), haze(distance));
}
