// Ambient occlusion by the voxels around a face: the light at a corner depends on the four voxels
// that meet there in the layer in front, and is equal for all faces that share the corner.

// 1024 words per chunk: word z * 32 + y, bit x.
@group(1) @binding(5) var<storage, read> opaque_bits: array<u32>;
// 27 entries per chunk: start of the bits of each neighbour, itself at 13.
@group(1) @binding(6) var<storage, read> bricks_about: array<u32>;

// Permutes chunk coordinates to the order across the face, along u, along v; and back.
fn turned(at: vec3<i32>, axis: u32) -> vec3<i32> {
    return select(select(at.zxy, at.yzx, axis == 1u), at, axis == 0u);
}

fn turned_back(at: vec3<i32>, axis: u32) -> vec3<i32> {
    return select(select(at.yzx, at.zxy, axis == 1u), at, axis == 0u);
}

// Returns 1 if a voxel is opaque, given the place of its chunk's bits.
fn opaque_at(brick: u32, at: vec3<i32>, axis: u32) -> f32 {
    let voxel = vec3<u32>(turned_back(at & vec3<i32>(31), axis));
    return f32((opaque_bits[brick * 1024u + voxel.z * 32u + voxel.y] >> voxel.x) & 1u);
}

// Returns 1 in the open, and less towards a corner.
fn openness(number: u32, face: u32, local: vec3<f32>) -> f32 {
    let axis = face >> 1u;
    let place = select(select(local.zxy, local.yzx, axis == 1u), local, axis == 0u);
    let front = i32(round(place.x)) - 1 + i32(face & 1u);
    let low = vec2<i32>(floor(place.yz));
    let strides = turned(vec3<i32>(1, 3, 9), axis);
    let middle = i32(number) * 27 + 13 + (front >> 5u) * strides.x;
    let before = (low - 1) >> vec2<u32>(5u);
    let after = (low + 1) >> vec2<u32>(5u);
    let within = low >> vec2<u32>(5u);
    let b00 = bricks_about[middle + before.x * strides.y + before.y * strides.z];
    let b20 = bricks_about[middle + after.x * strides.y + before.y * strides.z];
    let b02 = bricks_about[middle + before.x * strides.y + after.y * strides.z];
    let b22 = bricks_about[middle + after.x * strides.y + after.y * strides.z];
    let b10 = select(b20, b00, within.x == before.x);
    let b12 = select(b22, b02, within.x == before.x);
    let b01 = select(b02, b00, within.y == before.y);
    let b21 = select(b22, b20, within.y == before.y);
    let b11 = select(b12, b10, within.y == before.y);
    let v00 = opaque_at(b00, vec3<i32>(front, low + vec2<i32>(-1, -1)), axis);
    let v10 = opaque_at(b10, vec3<i32>(front, low + vec2<i32>(0, -1)), axis);
    let v20 = opaque_at(b20, vec3<i32>(front, low + vec2<i32>(1, -1)), axis);
    let v01 = opaque_at(b01, vec3<i32>(front, low + vec2<i32>(-1, 0)), axis);
    let v11 = opaque_at(b11, vec3<i32>(front, low), axis);
    let v21 = opaque_at(b21, vec3<i32>(front, low + vec2<i32>(1, 0)), axis);
    let v02 = opaque_at(b02, vec3<i32>(front, low + vec2<i32>(-1, 1)), axis);
    let v12 = opaque_at(b12, vec3<i32>(front, low + vec2<i32>(0, 1)), axis);
    let v22 = opaque_at(b22, vec3<i32>(front, low + vec2<i32>(1, 1)), axis);
    // Corners (0, 0), (1, 0), (0, 1) and (1, 1); four opaque voxels meet only if a sample lies
    // outside its face.
    let voxels = vec4<f32>(v00, v10, v01, v11) + vec4<f32>(v10, v20, v11, v21)
        + vec4<f32>(v01, v11, v02, v12) + vec4<f32>(v11, v21, v12, v22);
    let corners = 1.0 - min(voxels, vec4<f32>(3.0)) / 3.0;
    let share = place.yz - vec2<f32>(low);
    return mix(mix(corners.x, corners.y, share.x), mix(corners.z, corners.w, share.x), share.y);
}

// Returns the remaining light at a place on a face of a chunk.
fn occlusion_at(number: u32, face: u32, local: vec3<f32>) -> f32 {
    if frame.occlusion == 0.0 { return 1.0; }
    let curved = 0.22 + 0.78 * pow(max(openness(number, face, local), 0.0), 1.3);
    return mix(1.0, curved, frame.occlusion);
}

// Width of the light rim of a step nearby, in metres, and in pixels where that is more.
const RIM_WIDTH: f32 = 0.09;
const RIM_PIXELS: f32 = 1.4;
// Distance at which the rims of steps are no longer told apart, in metres.
const RIM_REACH: f32 = 220.0;

// Returns 1 at the border of an upper face beyond which the ground falls away, 0 elsewhere: from
// above, only this tells a step from level ground.
fn rim_at(number: u32, local: vec3<f32>, distance: f32, voxel: f32) -> f32 {
    let layer = i32(round(local.y)) - 1;
    let low = vec2<i32>(floor(local.xz));
    let within = local.xz - vec2<f32>(low);
    let toward = select(vec2<i32>(-1), vec2<i32>(1), within >= vec2<f32>(0.5));
    let gap = (0.5 - abs(within - 0.5)) * voxel;
    let width = min(max(RIM_WIDTH, RIM_PIXELS * frame.pixel * distance), 0.5 * voxel);
    var rim = 0.0;
    for (var axis = 0; axis < 2; axis++) {
        if gap[axis] >= width { continue; }
        var beside = low;
        beside[axis] += toward[axis];
        let step = beside >> vec2<u32>(5u);
        let brick = bricks_about[i32(number) * 27 + 13 + step.x + step.y * 9];
        let open = 1.0 - opaque_at(brick, vec3<i32>(beside.x, layer, beside.y), 0u);
        rim = max(rim, open * (1.0 - smoothstep(width * 0.6, width, gap[axis])));
    }
    return rim * (1.0 - smoothstep(RIM_REACH * 0.6, RIM_REACH, distance));
}
