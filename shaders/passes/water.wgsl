// Water, glass and ice over the finished opaque picture: tinted by depth, mirroring the sky.
// parts: frame sky air light war quad surface

@group(2) @binding(0) var scene_depth: texture_depth_multisampled_2d;

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) relative: vec3<f32>,
    @location(1) local: vec3<f32>,
    @location(2) @interpolate(flat) origin: vec3<i32>,
    // Face, material.
    @location(3) @interpolate(flat) kind: vec2<u32>,
}

@vertex
fn vertex(@builtin(vertex_index) vertex: u32, run: Run) -> Varying {
    let brick = bricks[run.brick];
    let corner = pull_corner(vertex + run.first, brick);
    var out: Varying;
    out.relative = corner.relative;
    out.position = frame.view_projection * vec4<f32>(out.relative, 1.0);
    out.local = corner.local;
    out.origin = pattern_origin(brick);
    out.kind = vec2<u32>(corner.face, corner.material);
    if materials[corner.material].look == 1u { out.position = vec4<f32>(0.0, 0.0, -1.0, 0.0); }
    return out;
}

// Returns the slope of three crossing waves.
fn ripple(at: vec2<f32>) -> vec2<f32> {
    var slope = vec2<f32>(0.0);
    let t = frame.time;
    let a = vec2<f32>(0.8, 0.6);
    slope += a * cos(dot(a, at) * 1.1 + t * 1.2) * 0.035;
    let b = vec2<f32>(-0.35, 0.94);
    slope += b * cos(dot(b, at) * 1.9 + t * 1.7 + 1.3 * sin(at.x * 0.31)) * 0.03;
    let c = vec2<f32>(0.98, -0.2);
    slope += c * cos(dot(c, at) * 3.7 - t * 2.3 + 1.7 * sin(at.y * 0.53)) * 0.02;
    let d = vec2<f32>(-0.6, -0.8);
    slope += d * cos(dot(d, at) * 7.1 + t * 3.1 + 2.0 * sin(at.x * 0.9)) * 0.012;
    return slope;
}

fn water(in: Varying, row: MaterialRow, behind: f32) -> vec4<f32> {
    let distance = length(in.relative);
    let view = in.relative / distance;
    var normal = face_normal(in.kind.x);
    let calm = 1.0 / (1.0 + distance * 0.012);
    if in.kind.x == 3u {
        let at = vec2<f32>((in.origin & vec3<i32>(1023)).xz) + in.local.xz;
        let slope = ripple(at) * calm;
        normal = normalize(vec3<f32>(-slope.x, 1.0, -slope.y));
    }
    let below = dot(normal, view) > 0.0;
    if below { normal = -normal; }
    let mirror = 0.02 + 0.98 * pow(saturate(1.0 - dot(normal, -view)), 5.0);
    // Metres of water behind the surface.
    let thickness = max(behind - distance, 0.0);
    let clearness = exp(-thickness * vec3<f32>(0.5, 0.24, 0.17));
    let by = illuminate(in.relative, vec3<f32>(0.0, 1.0, 0.0), 1.0);
    let light = by.light;
    // Shallow water is green, deep water the material's own blue.
    let deep = 1.0 - exp(-thickness * 0.22);
    let body = mix(
        row.color.rgb * vec3<f32>(1.2, 1.8, 0.8),
        row.color.rgb * vec3<f32>(0.8, 0.8, 0.6),
        deep,
    ) * light * 0.4;
    var up = reflect(view, normal);
    up.y = abs(up.y);
    let reflected = sky_glow(normalize(up)) * by.sky;
    let half_way = direction_of(frame.light_direction - view);
    let glint = pow(max(dot(normal, half_way), 0.0), 380.0) * 6.0;
    let opacity = 1.0 - dot(clearness, vec3<f32>(0.2, 0.35, 0.45));
    let foam = (1.0 - smoothstep(0.0, 0.35, thickness)) * 0.16;
    let alpha = clamp(max(opacity * 0.94, mirror) + foam, 0.16, 1.0);
    var color = mix(body, reflected, mirror * select(0.92, 0.25, below))
        + frame.light_color * glint * by.sun;
    color += light * foam * 0.5;
    return vec4<f32>(
        with_war(with_haze(color, in.relative), in.relative),
        max(alpha, haze(distance)),
    );
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    let row = materials[in.kind.y];
    // One or four components, depending on the type.
    let depth = vec4<f32>(textureLoad(scene_depth, vec2<i32>(in.position.xy), 0)).x;
    // Depth is near plane over distance along the line of sight; scaled to the distance of this
    // fragment.
    let behind = length(in.relative) * in.position.z / max(depth, 1e-7);
    let skin = skin_of(in.kind.y, in.kind.x, in.origin, in.local, in.relative);
    if row.look == 3u { return water(in, row, behind); }
    let normal = face_normal(in.kind.x);
    let view = normalize(in.relative);
    let by = illuminate(in.relative, normal, 1.0);
    let mirror = 0.04 + 0.5 * pow(saturate(1.0 - abs(dot(normal, view))), 5.0);
    let reflected = sky_glow(reflect(view, normal)) * by.sky;
    let color = mix(skin.color * by.light, reflected, mirror) + skin.color * skin.glow;
    let alpha = clamp(skin.alpha + mirror * 0.5, 0.0, 1.0);
    return vec4<f32>(with_war(with_haze(color, in.relative), in.relative), alpha);
}
