// Characters as ellipsoids with a face that shows their heading (-z of their own frame), and plain
// bodies; boxes for pieces of what broke, and gems.
// parts: frame sky air light war body tone

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) relative: vec3<f32>,
    @location(1) point: vec3<f32>,
    @location(2) normal: vec3<f32>,
    @location(3) @interpolate(flat) color: vec3<f32>,
    @location(4) @interpolate(flat) kind: u32,
}

// Turns of a gem a second.
const GEM_TURNS: f32 = 0.25;
// Light of a gem, as a factor of its colour.
const GEM_GLOW: f32 = 0.55;

// Turns a point of a gem about its axis; its shadow stands still.
fn spun(point: vec3<f32>) -> vec3<f32> {
    let angle = frame.time * (GEM_TURNS * 6.2831853);
    let sine = sin(angle);
    let cosine = cos(angle);
    return vec3<f32>(
        point.x * cosine - point.z * sine,
        point.y,
        point.x * sine + point.z * cosine,
    );
}

fn place(body: Body, point: vec3<f32>) -> Varying {
    var out: Varying;
    var corner = shape_point(body, point);
    if body.kind == 3u { corner = spun(corner); }
    out.relative = body.position + turned(body.turn, corner * body.radii);
    out.position = frame.view_projection * vec4<f32>(out.relative, 1.0);
    out.point = point;
    out.normal = turned(body.turn, point / body.radii);
    out.color = to_linear(unpack4x8unorm(body.color).rgb);
    out.kind = body.kind;
    return out;
}

@vertex
fn vertex_near(@builtin(vertex_index) vertex: u32, body: Body) -> Varying {
    return place(body, sphere_point(vertex, 28u, 18u));
}

@vertex
fn vertex_middle(@builtin(vertex_index) vertex: u32, body: Body) -> Varying {
    return place(body, sphere_point(vertex, 14u, 9u));
}

@vertex
fn vertex_far(@builtin(vertex_index) vertex: u32, body: Body) -> Varying {
    return place(body, sphere_point(vertex, 7u, 5u));
}

fn spot(at: vec2<f32>, center: vec2<f32>, size: vec2<f32>) -> f32 {
    let distance = length((at - center) / size);
    let soft = max(fwidth(distance), 1e-3);
    return 1.0 - smoothstep(1.0 - soft, 1.0 + soft, distance);
}

// Seconds from one blink to the next, and the share of them for which eyes are closed.
const BLINK_SECONDS: f32 = 3.7;
const BLINK_SHARE: f32 = 0.035;

// Returns 1 while the eyes of a body of this colour are closed. Colours differ, so that a crowd
// does not blink together.
fn blink(base: vec3<f32>) -> f32 {
    let shift = fract(dot(base, vec3<f32>(37.0, 57.0, 91.0)));
    return step(1.0 - BLINK_SHARE, fract(frame.time / BLINK_SECONDS + shift));
}

// Draws two eyes looking ahead, and a mouth.
fn face(base: vec3<f32>, point: vec3<f32>) -> vec3<f32> {
    var color = base;
    let at = vec2<f32>(abs(point.x), point.y);
    let front = select(0.0, 1.0, point.z < -0.15);
    let belly = spot(point.xy, vec2<f32>(0.0, -0.35), vec2<f32>(0.5, 0.42)) * front;
    color = mix(color, color * 1.25 + vec3<f32>(0.12), belly * 0.55);
    let white = spot(at, vec2<f32>(0.3, 0.44), vec2<f32>(0.19, 0.17)) * front;
    let closed = blink(base);
    color = mix(color, mix(vec3<f32>(0.9), base * 0.8, closed), white);
    let pupil = spot(at, vec2<f32>(0.27, 0.44), vec2<f32>(0.095, 0.105)) * front * (1.0 - closed);
    color = mix(color, vec3<f32>(0.012), pupil);
    let glint = spot(at, vec2<f32>(0.24, 0.49), vec2<f32>(0.03, 0.03)) * front * (1.0 - closed);
    color = mix(color, vec3<f32>(1.0), glint);
    // The lashes of a closed eye.
    let lash = spot(at, vec2<f32>(0.3, 0.42), vec2<f32>(0.17, 0.025)) * front * closed;
    color = mix(color, vec3<f32>(0.03), lash);
    let smile = spot(point.xy, vec2<f32>(0.0, 0.16), vec2<f32>(0.2, 0.09))
        - spot(point.xy, vec2<f32>(0.0, 0.2), vec2<f32>(0.22, 0.09));
    color = mix(color, vec3<f32>(0.05, 0.015, 0.015), clamp(smile, 0.0, 1.0) * front);
    return color;
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    let slope = cross(dpdx(in.relative), dpdy(in.relative));
    let flat_normal = direction_of(slope) * -sign(dot(slope, in.relative));
    let is_flat = in.kind >= 2u;
    let normal = select(normalize(in.normal), flat_normal, is_flat);
    let point = normalize(in.point);
    var color = in.color;
    // Both are always computed: derivatives need uniform control flow.
    let with_face = face(color, point);
    if in.kind == 1u { color = with_face; }
    let occlusion = mix(0.62, 1.0, smoothstep(-1.0, -0.2, point.y));
    let by = illuminate(in.relative, normal, occlusion);
    let view = normalize(in.relative);
    let half_way = direction_of(frame.light_direction - view);
    let gloss = select(0.22, 0.0, in.kind == 2u);
    let shine = pow(max(dot(normal, half_way), 0.0), 48.0) * gloss;
    let rim = pow(saturate(1.0 - dot(normal, -view)), 3.0) * gloss;
    let sky = (frame.horizon + frame.zenith) * (rim * by.sky);
    let glow = select(0.0, GEM_GLOW, in.kind == 3u);
    let lit = color * (by.light + sky + glow) + frame.light_color * (shine * by.sun);
    return vec4<f32>(with_war(with_haze(lit, in.relative), in.relative), 1.0);
}
