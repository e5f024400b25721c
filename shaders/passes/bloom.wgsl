// Glow of everything brighter than white: halved with a threshold, blurred across, then down.
// parts: frame

@group(1) @binding(0) var source: texture_2d<f32>;
@group(1) @binding(1) var source_sampler: sampler;

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

@fragment
fn fragment_bright(in: Varying) -> @location(0) vec4<f32> {
    let texel = 1.0 / vec2<f32>(textureDimensions(source));
    var sum = vec3<f32>(0.0);
    for (var i = 0; i < 4; i++) {
        let offset = vec2<f32>(f32(i & 1), f32(i >> 1)) * 2.0 - 1.0;
        let color = textureSampleLevel(source, source_sampler, in.uv + offset * texel, 0.0).rgb
            * frame.exposure;
        let bright = max(color.r, max(color.g, color.b));
        // The cap keeps a single glint from flooding the picture.
        sum += min(color * smoothstep(1.9, 4.0, bright), vec3<f32>(8.0));
    }
    return vec4<f32>(sum * 0.25 / frame.exposure, 1.0);
}

fn blurred(uv: vec2<f32>, step: vec2<f32>) -> vec3<f32> {
    var sum = textureSampleLevel(source, source_sampler, uv, 0.0).rgb * 0.227;
    sum += textureSampleLevel(source, source_sampler, uv + step * 1.385, 0.0).rgb * 0.316;
    sum += textureSampleLevel(source, source_sampler, uv - step * 1.385, 0.0).rgb * 0.316;
    sum += textureSampleLevel(source, source_sampler, uv + step * 3.231, 0.0).rgb * 0.0705;
    sum += textureSampleLevel(source, source_sampler, uv - step * 3.231, 0.0).rgb * 0.0705;
    return sum;
}

@fragment
fn fragment_across(in: Varying) -> @location(0) vec4<f32> {
    let step = vec2<f32>(1.0 / f32(textureDimensions(source).x), 0.0);
    return vec4<f32>(blurred(in.uv, step), 1.0);
}

@fragment
fn fragment_down(in: Varying) -> @location(0) vec4<f32> {
    let step = vec2<f32>(0.0, 1.0 / f32(textureDimensions(source).y));
    return vec4<f32>(blurred(in.uv, step), 1.0);
}
