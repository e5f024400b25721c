// Packed quads, fetched by corner number: four corners per quad.

struct Brick {
    // Lowest cell; wraps around.
    origin: vec3<i32>,
    // Side of a voxel, in metres.
    voxel: f32,
    // Offset from the origin, in metres.
    offset: vec3<f32>,
    // 0 for terrain. For an object, its place in the object's grid of chunks plus one: ten bits per
    // axis.
    part: u32,
}

// The quads of one draw.
struct Run {
    // Number of the first corner.
    @location(0) first: u32,
    @location(1) brick: u32,
}

struct MaterialRow {
    // Linear; alpha is opacity.
    color: vec4<f32>,
    // Texture layers of the sides, top and bottom.
    side: u32,
    top: u32,
    bottom: u32,
    // 0 opaque, 1 with holes, 2 blended, 3 water.
    look: u32,
    // Light emitted, as a factor of the colour.
    glow: f32,
    // Strength of colour variation from cell to cell.
    variation: f32,
    // Strength of the detail texture.
    contrast: f32,
    // 1: the sides are of another material, with an edge of this one.
    under: f32,
    under_color: vec4<f32>,
}

@group(1) @binding(0) var<storage, read> quads: array<vec2<u32>>;
@group(1) @binding(1) var<storage, read> bricks: array<Brick>;
@group(1) @binding(2) var<storage, read> materials: array<MaterialRow>;

struct Corner {
    // Voxels from the chunk's lowest corner.
    local: vec3<f32>,
    // Metres from the eye.
    relative: vec3<f32>,
    // Place of the corner in the quad: 0 or 1 along each axis.
    uv: vec2<f32>,
    face: u32,
    material: u32,
    // Lowest and highest corner of the quad, along u and v.
    bounds: vec4<f32>,
}

// Returns the origin of patterns: those of an object move with it.
fn pattern_origin(brick: Brick) -> vec3<i32> {
    if brick.part == 0u { return brick.origin; }
    let part = brick.part - 1u;
    return vec3<i32>(vec3<u32>(part, part >> 10u, part >> 20u) & vec3<u32>(1023u)) * 32;
}

fn face_normal(face: u32) -> vec3<f32> {
    var normal = vec3<f32>(0.0);
    normal[face >> 1u] = select(-1.0, 1.0, (face & 1u) == 1u);
    return normal;
}

fn pull_corner(vertex: u32, brick: Brick) -> Corner {
    let quad = quads[vertex >> 2u];
    let face = quad.x >> 28u;
    let axis = face >> 1u;
    let positive = face & 1u;
    // Corners 0 to 3 in the order (0,0), (1,0), (1,1), (0,1), arranged so that the front is
    // counter-clockwise.
    let turn = vertex & 3u;
    let u_bit = ((turn + 1u) >> 1u) & 1u;
    let v_bit = turn >> 1u;
    var corner: Corner;
    corner.uv = vec2<f32>(
        f32(select(v_bit, u_bit, positive == 1u)),
        f32(select(u_bit, v_bit, positive == 1u)),
    );
    var at = vec3<u32>(quad.x & 63u, (quad.x >> 6u) & 63u, (quad.x >> 12u) & 63u);
    at[axis] += positive;
    let size = vec2<f32>(f32(((quad.x >> 18u) & 31u) + 1u), f32(((quad.x >> 23u) & 31u) + 1u));
    let extent = corner.uv * size;
    corner.local = vec3<f32>(at);
    let low = vec2<f32>(corner.local[(axis + 1u) % 3u], corner.local[(axis + 2u) % 3u]);
    corner.bounds = vec4<f32>(low, low + size);
    corner.local[(axis + 1u) % 3u] += extent.x;
    corner.local[(axis + 2u) % 3u] += extent.y;
    let whole = vec3<f32>(brick.origin - frame.camera_cell);
    corner.relative = (whole + corner.local * brick.voxel) + (brick.offset - frame.camera_offset);
    corner.face = face;
    corner.material = quad.y & 65535u;
    return corner;
}

// Enlarges a quad by a fraction of a pixel on all sides, so that no background shows at
// T-junctions.
fn grown(corner: Corner, voxel: f32) -> vec3<f32> {
    let axis = corner.face >> 1u;
    let distance = length(corner.relative);
    let grazing = max(abs(corner.relative[axis]) / max(distance, 1e-4), 0.04);
    let by = distance * frame.pixel * 0.2 / grazing;
    var relative = corner.relative;
    let outward = corner.uv * 2.0 - 1.0;
    relative[(axis + 1u) % 3u] += outward.x * min(by, 0.02 * voxel + distance * frame.pixel);
    relative[(axis + 2u) % 3u] += outward.y * min(by, 0.02 * voxel + distance * frame.pixel);
    return relative;
}
