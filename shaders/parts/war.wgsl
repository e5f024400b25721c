// Fog of war: places not visible now are grey and dim, places never seen are dark.

@group(0) @binding(4) var war_map: texture_2d<f32>;
@group(0) @binding(5) var war_sampler: sampler;

fn war_alpha(relative: vec3<f32>) -> f32 {
    let place = (relative + frame.camera_offset).xz
        + vec2<f32>(frame.camera_cell.xz - frame.war_origin);
    let uv = place / (frame.war_tile * max(frame.war_size, vec2<f32>(1.0)));
    if any(uv < vec2<f32>(0.0)) || any(uv >= vec2<f32>(1.0)) { return 1.0; }
    return textureSampleLevel(war_map, war_sampler, uv, 0.0).r;
}

// Reads the map at `asked`, in metres from the eye: in front of a wall rather than inside.
fn with_war_before(color: vec3<f32>, relative: vec3<f32>, asked: vec3<f32>) -> vec3<f32> {
    if frame.war_size.x == 0.0 { return color; }
    let alpha = war_alpha(asked);
    let grey = vec3<f32>(dot(color, vec3<f32>(0.3, 0.59, 0.11))) * vec3<f32>(0.82, 0.92, 1.1);
    let dim = mix(color, grey, min(alpha * 1.3, 1.0)) * mix(1.0, 0.5, min(alpha * 1.6, 1.0));
    // A place never seen is a silhouette that fades into the haze.
    let unseen = with_haze(frame.horizon * 0.055, relative);
    return mix(dim, unseen, smoothstep(0.75, 1.0, alpha));
}

fn with_war(color: vec3<f32>, relative: vec3<f32>) -> vec3<f32> {
    return with_war_before(color, relative, relative);
}
