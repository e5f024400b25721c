// Depth from the sun: terrain, characters and models of one cascade.
// parts: frame quad body model

struct Cascade {
    // Matrix from metres relative to the eye to the cascade's clip space.
    view_projection: mat4x4<f32>,
}

@group(2) @binding(0) var<uniform> cascade: Cascade;

// Flattens geometry between the sun and the map's near plane onto that plane.
fn flattened(position: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(position.xy, max(position.z, 0.0), position.w);
}

@vertex
fn vertex(@builtin(vertex_index) vertex: u32, run: Run) -> @builtin(position) vec4<f32> {
    let corner = pull_corner(vertex + run.first, bricks[run.brick]);
    return flattened(cascade.view_projection * vec4<f32>(corner.relative, 1.0));
}

// Materials with holes throw a solid shadow; other transparent quads collapse to a point.
@vertex
fn vertex_holes(@builtin(vertex_index) vertex: u32, run: Run) -> @builtin(position) vec4<f32> {
    let corner = pull_corner(vertex + run.first, bricks[run.brick]);
    if materials[corner.material].look != 1u { return vec4<f32>(0.0, 0.0, 2.0, 1.0); }
    return flattened(cascade.view_projection * vec4<f32>(corner.relative, 1.0));
}

@vertex
fn vertex_body(@builtin(vertex_index) vertex: u32, body: Body) -> @builtin(position) vec4<f32> {
    let at = body_point(body, sphere_point(vertex, 8u, 6u));
    return flattened(cascade.view_projection * vec4<f32>(at, 1.0));
}

@vertex
fn vertex_model(corner: ModelVertex, model: Model) -> @builtin(position) vec4<f32> {
    let at = model_point(model, corner.position);
    return flattened(cascade.view_projection * vec4<f32>(at, 1.0));
}
