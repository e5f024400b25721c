// Models of triangles: a vertex, and an instance that is rotated, scaled and placed.

struct ModelVertex {
    // Metres in the model's own frame.
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
}

struct Model {
    // Metres from the eye; w: scale.
    @location(2) place: vec4<f32>,
    // Unit quaternion, w last.
    @location(3) turn: vec4<f32>,
    // Colour in sRGB, alpha unused.
    @location(4) tint: vec4<f32>,
}

fn model_point(model: Model, point: vec3<f32>) -> vec3<f32> {
    return model.place.xyz + turned(model.turn, point * model.place.w);
}
