// The data of a picture that every pass reads: eye, sun, sky, distances.

struct FrameUniform {
    view_projection: mat4x4<f32>,
    // Matrix from clip space at the near plane to directions.
    inverse_view_projection: mat4x4<f32>,
    // Matrices from metres relative to the eye to shadow map coordinates, nearest cascade first.
    cascades: array<mat4x4<f32>, 3>,
    // Reach of each cascade in metres from the eye; 0 without shadows. w: side of a texel of the
    // shadow map.
    cascade_reach: vec4<f32>,
    camera_cell: vec3<i32>,
    time: f32,
    camera_offset: vec3<f32>,
    near: f32,
    // Direction to the sun or, at night, the moon.
    light_direction: vec3<f32>,
    // 0 by day, 1 by night.
    night: f32,
    light_color: vec3<f32>,
    exposure: f32,
    sun_direction: vec3<f32>,
    view_distance: f32,
    zenith: vec3<f32>,
    fog: f32,
    horizon: vec3<f32>,
    occlusion: f32,
    // Light from the ground upwards.
    bounce: vec3<f32>,
    detail: f32,
    // First cell of the window of light.
    light_origin: vec3<i32>,
    // Bits: 1 there is light, 2 with lamps.
    light: u32,
    // A bit for each chunk of the window whose light is ready.
    light_ready: array<vec4<u32>, 2>,
    // First corner of the fog of war, cells x and z.
    war_origin: vec2<i32>,
    // Number of tiles; 0 without fog of war.
    war_size: vec2<f32>,
    // Size of the finished picture, to which the scene is scaled.
    picture_size: vec2<f32>,
    // Side of a pixel of the scene at one metre.
    pixel: f32,
    war_tile: f32,
}

@group(0) @binding(0) var<uniform> frame: FrameUniform;
