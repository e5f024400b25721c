// Sun with shadows, sky, bounce and lamps on a surface.

struct Lamp {
    // Relative to the first cell of the lamp grid.
    position: vec3<f32>,
    reach: f32,
    color: vec3<f32>,
    unused: f32,
}

@group(0) @binding(1) var shadow_map: texture_depth_2d_array;
@group(0) @binding(2) var shadow_sampler: sampler_comparison;
@group(0) @binding(3) var<storage, read> lamps: array<Lamp>;
// Eight lamp numbers for each cell of 8 m, one a byte, 255 for none; 32 x 16 x 32 cells.
@group(0) @binding(4) var<storage, read> lamp_cells: array<vec2<u32>>;

const LAMP_CELL: f32 = 8.0;
const LAMP_CELLS: vec3<i32> = vec3<i32>(32, 16, 32);

fn shadow_tap(uv: vec2<f32>, cascade: i32, depth: f32) -> f32 {
    return textureSampleCompareLevel(shadow_map, shadow_sampler, uv, cascade, depth);
}

// Of length one, but for what has next to none.
fn direction_of(vector: vec3<f32>) -> vec3<f32> {
    return vector * inverseSqrt(max(dot(vector, vector), 1e-12));
}

// Share of sunlight that arrives: 1 in the open.
fn sunlight(relative: vec3<f32>, normal: vec3<f32>) -> f32 {
    let distance = length(relative);
    var cascade = 0;
    if distance > frame.cascade_reach.x { cascade = 1; }
    if distance > frame.cascade_reach.y { cascade = 2; }
    if distance > frame.cascade_reach[cascade] { return 1.0; }
    // Moved off the surface by a texel or so, against acne.
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
    return mix(sum * 0.25, 1.0, fade);
}

fn lamplight(relative: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    var sum = vec3<f32>(0.0);
    if frame.lamps == 0u { return sum; }
    let place = relative + frame.camera_offset + vec3<f32>(frame.camera_cell - frame.lamp_origin);
    let cell = vec3<i32>(floor(place / LAMP_CELL));
    if any(cell < vec3<i32>(0)) || any(cell >= LAMP_CELLS) { return sum; }
    let list = lamp_cells[(cell.z * LAMP_CELLS.y + cell.y) * LAMP_CELLS.x + cell.x];
    for (var i = 0u; i < 8u; i++) {
        let word = select(list.x, list.y, i >= 4u);
        let number = (word >> ((i & 3u) * 8u)) & 255u;
        if number == 255u { break; }
        let lamp = lamps[number];
        let to_lamp = lamp.position - place;
        let distance = length(to_lamp);
        let fade = clamp(1.0 - distance / lamp.reach, 0.0, 1.0);
        let facing = clamp(dot(normal, to_lamp) / max(distance, 1e-3) * 0.8 + 0.2, 0.0, 1.0);
        sum += lamp.color * (fade * fade * facing / (0.35 + 0.12 * distance * distance)) * 3.0;
    }
    // Eyes that are used to the sun see less of a lamp.
    let sun = max(max(frame.light_color.r, frame.light_color.g), frame.light_color.b);
    return sum / (1.0 + 0.6 * sun);
}

// Light on a surface of white; occlusion 1 is open.
fn illuminate(relative: vec3<f32>, normal: vec3<f32>, occlusion: f32) -> vec3<f32> {
    let facing = dot(normal, frame.light_direction);
    var direct = 0.0;
    if facing > 0.0 { direct = facing * sunlight(relative, normal); }
    let up = normal.y * 0.5 + 0.5;
    let sky = mix(frame.bounce * 1.25, frame.zenith * 0.68 + frame.horizon * 0.62, up);
    // A little more from the side of the sun, so that faces in shadow differ.
    let side = 1.0 + 0.22 * dot(normal, normalize(vec3<f32>(frame.light_direction.x, 0.2, frame.light_direction.z)));
    let lamp = lamplight(relative, normal) * (0.4 + 0.6 * occlusion);
    return frame.light_color * direct * (0.5 + 0.5 * occlusion) + sky * side * occlusion + lamp;
}
