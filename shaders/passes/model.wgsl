// Models of triangles, with flat shading, visible from both sides.
// parts: frame sky air light war body model tone

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) relative: vec3<f32>,
    @location(1) @interpolate(flat) normal: vec3<f32>,
    @location(2) @interpolate(flat) color: vec3<f32>,
}

@vertex
fn vertex(corner: ModelVertex, model: Model) -> Varying {
    var out: Varying;
    out.relative = model_point(model, corner.position);
    out.position = frame.view_projection * vec4<f32>(out.relative, 1.0);
    out.normal = turned(model.turn, corner.normal);
    out.color = to_linear(model.tint.rgb);
    return out;
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    let normal = faceForward(in.normal, in.relative, in.normal);
    let occlusion = mix(0.7, 1.0, saturate(normal.y * 0.5 + 0.6));
    let by = illuminate(in.relative, normal, occlusion);
    let half_way = direction_of(frame.light_direction - direction_of(in.relative));
    let shine = pow(max(dot(normal, half_way), 0.0), 24.0) * 0.12;
    let lit = in.color * by.light + frame.light_color * (shine * by.sun);
    return vec4<f32>(with_war(with_haze(lit, in.relative), in.relative), 1.0);
}
