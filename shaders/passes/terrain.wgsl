// Opaque voxels, and with `fragment_holes` those with holes.
// parts: frame sky air light war quad surface occlusion

// Share by which the rim of a step is brighter.
const RIM_LIGHT: f32 = 0.3;

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) relative: vec3<f32>,
    @location(1) local: vec3<f32>,
    @location(2) @interpolate(flat) origin: vec3<i32>,
    // Face, chunk, material.
    @location(3) @interpolate(flat) kind: vec3<u32>,
    @location(4) @interpolate(flat) bounds: vec4<f32>,
    @location(5) @interpolate(flat) voxel: f32,
}

fn place(vertex: u32, number: u32) -> Varying {
    let brick = bricks[number];
    let corner = pull_corner(vertex, brick);
    var out: Varying;
    out.relative = grown(corner, brick.voxel);
    out.position = frame.view_projection * vec4<f32>(out.relative, 1.0);
    out.local = corner.local;
    out.origin = pattern_origin(brick);
    out.kind = vec3<u32>(corner.face, number, corner.material);
    out.bounds = corner.bounds;
    out.voxel = brick.voxel;
    return out;
}

@vertex
fn vertex(@builtin(vertex_index) vertex: u32, run: Run) -> Varying {
    return place(vertex + run.first, run.brick);
}

// Transparent quads without holes collapse to a point.
@vertex
fn vertex_holes(@builtin(vertex_index) vertex: u32, run: Run) -> Varying {
    var out = place(vertex + run.first, run.brick);
    if materials[out.kind.z].look != 1u { out.position = vec4<f32>(0.0, 0.0, -1.0, 0.0); }
    return out;
}

// Returns the step to the nearest point of the quad. The centre of a pixel that is only partly
// covered may lie beside it, where the light may be that of the other side of a wall.
fn on_quad(in: Varying) -> vec3<f32> {
    let axis = in.kind.x >> 1u;
    var step = vec3<f32>(0.0);
    for (var i = 0u; i < 2u; i++) {
        let along = (axis + 1u + i) % 3u;
        let place = in.local[along];
        step[along] = clamp(place, in.bounds[i] + 0.01, in.bounds[i + 2u] - 0.01) - place;
    }
    return in.relative + step * in.voxel;
}

fn shade(in: Varying, skin: Skin, normal: vec3<f32>, occlusion: f32) -> vec3<f32> {
    let light = illuminate(on_quad(in), normal, occlusion).light;
    let lit = skin.color * light + skin.color * skin.glow;
    let before = in.relative + normal * frame.war_tile;
    return with_war_before(with_haze(lit, in.relative), in.relative, before);
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    var skin = skin_of(in.kind.z, in.kind.x, in.origin, in.local, in.relative);
    let occlusion = occlusion_at(in.kind.y, in.kind.x, in.local);
    if in.kind.x == 3u {
        let rim = rim_at(in.kind.y, in.local, length(in.relative), in.voxel);
        skin.color *= 1.0 + RIM_LIGHT * rim * frame.occlusion;
    }
    return vec4<f32>(shade(in, skin, face_normal(in.kind.x), occlusion), 1.0);
}

@fragment
fn fragment_holes(in: Varying, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let skin = skin_of(in.kind.z, in.kind.x, in.origin, in.local, in.relative);
    if skin.alpha < 0.5 { discard; }
    let normal = face_normal(in.kind.x) * select(-1.0, 1.0, front);
    return vec4<f32>(shade(in, skin, normal, 1.0), 1.0);
}
