// Ellipsoids and boxes: their instances, and points of a unit sphere by vertex number.

struct Body {
    // Metres from the eye.
    @location(0) position: vec3<f32>,
    // Colour in sRGB, alpha unused.
    @location(1) color: u32,
    @location(2) radii: vec3<f32>,
    // 0: round, 1: round with a face, 2: a box, 3: a gem.
    @location(3) kind: u32,
    // Unit quaternion, w last.
    @location(4) turn: vec4<f32>,
}

// Returns a point of the unit sphere: six vertices for each patch of a grid of columns and rows.
fn sphere_point(vertex: u32, columns: u32, rows: u32) -> vec3<f32> {
    let patch_number = vertex / 6u;
    let corner = vertex % 6u;
    let right = u32(corner == 1u || corner == 2u || corner == 4u);
    let down = u32(corner == 2u || corner == 4u || corner == 5u);
    let column = patch_number % columns + right;
    let row = patch_number / columns + down;
    let around = f32(column % columns) / f32(columns) * 6.2831853;
    let from_top = f32(row) / f32(rows) * 3.14159265;
    return vec3<f32>(sin(from_top) * sin(around), cos(from_top), sin(from_top) * cos(around));
}

fn turned(turn: vec4<f32>, vector: vec3<f32>) -> vec3<f32> {
    let t = 2.0 * cross(turn.xyz, vector);
    return vector + turn.w * t + cross(turn.xyz, t);
}

// Returns the point of a body's shape in the direction of a point of the unit sphere.
fn shape_point(body: Body, point: vec3<f32>) -> vec3<f32> {
    let along = abs(point);
    switch body.kind {
        case 2u: { return point / max(max(along.x, along.y), along.z); }
        case 3u: { return point / (along.x + along.y + along.z); }
        default: { return point; }
    }
}

fn body_point(body: Body, point: vec3<f32>) -> vec3<f32> {
    return body.position + turned(body.turn, shape_point(body, point) * body.radii);
}
