// Converts light for the display: exposure, bloom, tone curve, sRGB, and a grain that hides
// banding.
// parts: frame tone

@group(1) @binding(0) var picture: texture_2d<f32>;
@group(1) @binding(1) var bloom: texture_2d<f32>;
@group(1) @binding(2) var bloom_sampler: sampler;

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) vertex: u32) -> Varying {
    let corner = vec2<f32>(f32((vertex << 1u) & 2u), f32(vertex & 2u));
    var out: Varying;
    out.position = vec4<f32>(corner * 2.0 - 1.0, 0.0, 1.0);
    out.uv = vec2<f32>(corner.x, 1.0 - corner.y);
    return out;
}

fn grain(at: vec2<f32>) -> f32 {
    return fract(52.9829189 * fract(dot(at, vec2<f32>(0.06711056, 0.00583715)))) - 0.5;
}

// Returns the light of a pixel, smoothed where the scene was drawn smaller.
fn scene(in: Varying) -> vec3<f32> {
    if all(vec2<f32>(textureDimensions(picture)) == frame.picture_size) {
        return textureLoad(picture, vec2<i32>(in.position.xy), 0).rgb;
    }
    return textureSampleLevel(picture, bloom_sampler, in.uv, 0.0).rgb;
}

fn finished(in: Varying) -> vec3<f32> {
    var color = scene(in);
    color += textureSampleLevel(bloom, bloom_sampler, in.uv, 0.0).rgb;
    return tone(color * frame.exposure);
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    return vec4<f32>(to_srgb(finished(in)) + grain(in.position.xy) / 255.0, 1.0);
}

// For a target that itself converts to sRGB.
@fragment
fn fragment_linear(in: Varying) -> @location(0) vec4<f32> {
    return vec4<f32>(finished(in), 1.0);
}
