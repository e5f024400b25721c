// Lines and translucent solids; their colours are unchanged by tone mapping.
// parts: frame tone

struct Base {
    // Offset of the overlay's base cell from the eye, in metres.
    offset: vec3<f32>,
    // Fraction of the distance by which the overlay is drawn nearer to the eye, against flicker on
    // surfaces.
    lift: f32,
}

@group(1) @binding(0) var<uniform> base: Base;

struct OverlayVertex {
    @location(0) position: vec3<f32>,
    @location(1) color: vec4<f32>,
}

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) color: vec4<f32>,
}

@vertex
fn vertex(in: OverlayVertex) -> Varying {
    let relative = (in.position + base.offset) * (1.0 - base.lift);
    var out: Varying;
    out.position = frame.view_projection * vec4<f32>(relative, 1.0);
    out.color = vec4<f32>(light_for(to_linear(in.color.rgb)) / frame.exposure, in.color.a);
    return out;
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    return in.color;
}
