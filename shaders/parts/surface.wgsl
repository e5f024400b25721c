// The look of a voxel's surface: base colour, detail texture and variation.

@group(1) @binding(3) var details: texture_2d_array<f32>;
@group(1) @binding(4) var detail_sampler: sampler;

// Metres that one detail texture covers.
const DETAIL_SIDE: f32 = 4.0;

fn hash_cell(cell: vec3<i32>) -> f32 {
    var h = u32(cell.x) * 0x8da6b343u ^ u32(cell.y) * 0xd8163841u ^ u32(cell.z) * 0xcb1ab31fu;
    h ^= h >> 15u;
    h *= 0x2c1b3c6du;
    h ^= h >> 12u;
    h *= 0x297a2d39u;
    h ^= h >> 15u;
    return f32(h & 0xffffu) / 65535.0;
}

// Smooth noise over cells of a power of two voxels.
fn drift(cell: vec3<i32>, within: vec3<f32>, shift: u32) -> f32 {
    let low = cell >> vec3<u32>(shift);
    let rest = vec3<f32>(cell - (low << vec3<u32>(shift))) + within;
    var t = rest / f32(1u << shift);
    t = t * t * (3.0 - 2.0 * t);
    let x00 = mix(hash_cell(low), hash_cell(low + vec3<i32>(1, 0, 0)), t.x);
    let x01 = mix(hash_cell(low + vec3<i32>(0, 0, 1)), hash_cell(low + vec3<i32>(1, 0, 1)), t.x);
    let x10 = mix(hash_cell(low + vec3<i32>(0, 1, 0)), hash_cell(low + vec3<i32>(1, 1, 0)), t.x);
    let x11 = mix(hash_cell(low + vec3<i32>(0, 1, 1)), hash_cell(low + vec3<i32>(1, 1, 1)), t.x);
    return mix(mix(x00, x01, t.z), mix(x10, x11, t.z), t.y);
}

// Distance up to which flowers are drawn, in metres, and the share of cells in a patch with one.
const FLOWER_REACH: f32 = 36.0;
const FLOWER_SHARE: f32 = 0.3;
const PETALS: f32 = 5.0;

// Returns the colour of a patch of flowers: white, yellow, red or blue.
fn flower_color(patch_number: f32) -> vec3<f32> {
    if patch_number < 0.35 { return vec3<f32>(0.86, 0.86, 0.80); }
    if patch_number < 0.65 { return vec3<f32>(0.85, 0.58, 0.05); }
    if patch_number < 0.83 { return vec3<f32>(0.62, 0.06, 0.07); }
    return vec3<f32>(0.22, 0.20, 0.66);
}

// Draws blades and flowers on turf near the eye. Both follow from the cell; nothing is stored.
fn with_plants(color: vec3<f32>, cell: vec3<i32>, within: vec2<f32>, distance: f32) -> vec3<f32> {
    let near = 1.0 - smoothstep(FLOWER_REACH * 0.6, FLOWER_REACH, distance);
    if near <= 0.0 { return color; }
    // Blades: short strokes of four directions, lighter at one end.
    let stroke = vec2<i32>(floor(within * 6.0));
    let chance = hash_cell(cell * 7 + vec3<i32>(stroke.x, 0, stroke.y));
    let angle = chance * 6.2831853;
    let inside = fract(within * 6.0) - 0.5;
    let along = dot(inside, vec2<f32>(cos(angle), sin(angle)));
    let across = dot(inside, vec2<f32>(-sin(angle), cos(angle)));
    let blade = (1.0 - smoothstep(0.05, 0.14, abs(across))) * step(abs(along), 0.46);
    var grown = color * (1.0 + near * blade * (along * 0.9 + 0.12) * step(0.3, chance));
    // Flowers stand in patches of eight metres.
    let patch_number = hash_cell((cell >> vec3<u32>(3u)) + vec3<i32>(17, 0, 5));
    let lot = hash_cell(cell + vec3<i32>(3, 11, 7));
    if patch_number < 0.5 || lot > FLOWER_SHARE { return grown; }
    let center = vec2<f32>(0.25) + 0.5 * vec2<f32>(fract(lot * 57.0), fract(lot * 131.0));
    let away = within - center;
    let radius = length(away);
    let size = 0.075 + 0.04 * fract(lot * 211.0);
    let petal = size * (0.72 + 0.28 * cos(atan2(away.y, away.x) * PETALS + lot * 40.0));
    let soft = max(distance * frame.pixel, 0.004);
    let bloom = 1.0 - smoothstep(petal - soft, petal + soft, radius);
    let middle = 1.0 - smoothstep(size * 0.3 - soft, size * 0.3 + soft, radius);
    let ground = 1.0 - 0.35 * near * (1.0 - smoothstep(size, size * 2.0, radius));
    grown *= ground;
    let hue = flower_color(fract(patch_number * 37.0));
    return mix(grown, mix(hue, vec3<f32>(0.75, 0.5, 0.04), middle), bloom * near);
}

struct Skin {
    color: vec3<f32>,
    alpha: f32,
    glow: f32,
}

// Returns texture coordinates on a face, with sides upright.
fn detail_uv(face: u32, local: vec3<f32>) -> vec2<f32> {
    switch face >> 1u {
        case 0u: { return vec2<f32>(local.z, -local.y); }
        case 1u: { return local.xz; }
        default: { return vec2<f32>(local.x, -local.y); }
    }
}

fn skin_of(
    material: u32,
    face: u32,
    origin: vec3<i32>,
    local: vec3<f32>,
    relative: vec3<f32>,
) -> Skin {
    let row = materials[material];
    var layer = row.side;
    if face == 3u { layer = row.top; }
    if face == 2u { layer = row.bottom; }
    // The remainder of the origin suffices, and keeps the numbers small.
    let near_origin = vec3<f32>(origin & vec3<i32>(63));
    let uv = detail_uv(face, near_origin + local) / DETAIL_SIDE;
    let texel = textureSample(details, detail_sampler, uv, layer);
    let cell = origin + vec3<i32>(floor(local - face_normal(face) * 0.5));
    let within = fract(local);
    var base = row.color.rgb;
    // Sides of another material, such as earth under grass: the detail's alpha draws the edge.
    if row.under > 0.0 && face != 3u {
        base = mix(row.under_color.rgb, row.color.rgb, select(texel.a, 0.0, face == 2u));
    }
    let wide = drift(cell, within, 3u) - 0.5;
    let single = hash_cell(cell) - 0.5;
    let change = wide * 0.62 + single * 0.15;
    let strength = row.variation * frame.detail;
    // Warm where light, cool where dark.
    let tint = vec3<f32>(1.0 + change * 0.75, 1.0 + change * 0.6, 1.0 + change * 0.25);
    base *= mix(vec3<f32>(1.0), tint, strength);
    let amount = row.contrast * frame.detail;
    base *= mix(vec3<f32>(1.0), texel.rgb * 2.0, amount);
    if row.under > 0.0 && face == 3u && frame.detail > 0.0 {
        base = with_plants(base, cell, fract(local.xz), length(relative));
    }
    // Colours of the table are too saturated under a bright sky.
    base = mix(vec3<f32>(dot(base, vec3<f32>(0.25, 0.6, 0.15))), base, 0.87);
    var skin: Skin;
    skin.color = base;
    skin.alpha = row.color.a;
    if row.look == 1u { skin.alpha = texel.a; }
    skin.glow = row.glow;
    return skin;
}
