// Light of sun, sky, bounce and lamps on a surface, with shadows.

@group(0) @binding(1) var shadow_map: texture_depth_2d_array;
@group(0) @binding(2) var shadow_sampler: sampler_comparison;
// Light without sun, sky or lamp: enough to see that there is a room.
const DARKNESS: f32 = 0.02;

fn shadow_tap(uv: vec2<f32>, cascade: i32, depth: f32) -> f32 {
    return textureSampleCompareLevel(shadow_map, shadow_sampler, uv, cascade, depth);
}

// Normalises a vector; a tiny one stays tiny instead of becoming NaN.
fn direction_of(vector: vec3<f32>) -> vec3<f32> {
    return vector * inverseSqrt(max(dot(vector, vector), 1e-12));
}

// Returns the fraction of sunlight that arrives: 1 in the open. Beyond the shadow maps, the sun
// shines wherever enough of the sky is visible.
fn sunlight(relative: vec3<f32>, normal: vec3<f32>, sky: f32) -> f32 {
    let in_sight = smoothstep(0.2, 0.6, sky);
    let distance = length(relative);
    var cascade = 0;
    if distance > frame.cascade_reach.x { cascade = 1; }
    if distance > frame.cascade_reach.y { cascade = 2; }
    if distance > frame.cascade_reach[cascade] { return in_sight; }
    // Moved off the surface by about a texel, against shadow acne.
    let texel = frame.cascade_reach[cascade] * frame.cascade_reach.w * 2.0;
    let slope = 1.0 - abs(dot(normal, frame.light_direction));
    let at = relative + normal * texel * (0.5 + 1.2 * slope);
    let place = frame.cascades[cascade] * vec4<f32>(at, 1.0);
    let step = frame.cascade_reach.w;
    let uv = place.xy;
    var sum = 0.0;
    sum += shadow_tap(uv + vec2<f32>(-0.75, -0.25) * step, cascade, place.z);
    sum += shadow_tap(uv + vec2<f32>(0.25, -0.75) * step, cascade, place.z);
    sum += shadow_tap(uv + vec2<f32>(0.75, 0.25) * step, cascade, place.z);
    sum += shadow_tap(uv + vec2<f32>(-0.25, 0.75) * step, cascade, place.z);
    let reach = frame.cascade_reach[cascade];
    let last = select(0.0, 1.0, cascade == 2 || frame.cascade_reach[min(cascade + 1, 2)] == 0.0);
    let fade = last * smoothstep(reach * 0.85, reach, distance);
    return mix(sum * 0.25, in_sight, fade);
}

struct Lit {
    // Light of a white surface.
    light: vec3<f32>,
    // Visible fractions of sky and sun.
    sky: f32,
    sun: f32,
}

// Returns the light on a surface; occlusion 1 is open.
fn illuminate(relative: vec3<f32>, normal: vec3<f32>, occlusion: f32) -> Lit {
    let air = air_before(relative, normal);
    let facing = dot(normal, frame.light_direction);
    var sun = 0.0;
    if facing > 0.0 { sun = sunlight(relative, normal, air.sky); }
    let direct = frame.light_color * (facing * sun * (0.5 + 0.5 * occlusion));
    let up = normal.y * 0.5 + 0.5;
    let all_sky = mix(frame.bounce * 1.25, frame.zenith * 0.68 + frame.horizon * 0.62, up);
    // A little more from the side of the sun, so that faces in shadow differ.
    let level = normalize(vec3<f32>(frame.light_direction.x, 0.2, frame.light_direction.z));
    let side = 1.0 + 0.22 * dot(normal, level);
    let sky = all_sky * (side * max(air.sky, DARKNESS) * occlusion);
    // Eyes adapted to sunlight see less of a lamp.
    let glare = max(max(frame.light_color.r, frame.light_color.g), frame.light_color.b);
    let lamp = air.lamp * (0.4 + 0.6 * occlusion) / (1.0 + 0.6 * glare * air.sky);
    return Lit(direct + sky + lamp, air.sky, sun);
}
