// Light in the air around the eye: the fraction of the sky that is visible, and the light of lamps.

// One word per voxel: square roots of lamplight in three bytes, then skylight, 0 for solid voxels.
// A chunk has 32768 words, x fastest, then y; the window has 8 x 4 x 8 chunks, each at its
// coordinates modulo this size.
@group(0) @binding(3) var<storage, read> air_words: array<u32>;

const AIR_BRICKS: vec3<i32> = vec3<i32>(8, 4, 8);
// Lamplight of a full byte.
const BRIGHTEST_LAMP: f32 = 16.0;
// Width of the border in which light fades to open sky, in metres.
const AIR_BORDER: f32 = 16.0;
// Bits of `frame.light`.
const HAS_AIR: u32 = 1u;
const HAS_LAMPS: u32 = 2u;
// Smallest word of a voxel that is not solid.
const FIRST_AIR: u32 = 0x1000000u;

struct Air {
    lamp: vec3<f32>,
    // 1 under the open sky.
    sky: f32,
}

fn air_brick(cell: vec3<i32>) -> u32 {
    let part = vec3<u32>((cell >> vec3<u32>(5u)) & (AIR_BRICKS - 1));
    return (part.z * 4u + part.y) * 8u + part.x;
}

fn air_word(cell: vec3<i32>) -> u32 {
    let within = vec3<u32>(cell & vec3<i32>(31));
    return air_words[((air_brick(cell) * 32u + within.z) * 32u + within.y) * 32u + within.x];
}

// Weighted sum of lamplight and skylight over voxels that are not solid, and of the weights.
struct Sum {
    light: vec4<f32>,
    share: f32,
}

fn added(sum: Sum, word: u32, share: f32) -> Sum {
    if word < FIRST_AIR { return sum; }
    let parts = unpack4x8unorm(word);
    let light = vec4<f32>(parts.rgb * parts.rgb, parts.a);
    return Sum(sum.light + light * share, sum.share + share);
}

// Interpolates between the centres of voxels, excluding solid ones and those behind solid ones.
// Along an axis on which the place is at a voxel's centre, neighbours are not read.
fn air_between(at: vec3<f32>) -> vec4<f32> {
    let low = floor(at);
    let home = vec3<i32>(low) + frame.camera_cell;
    let beside = at - low - 0.5;
    let step = vec3<i32>(sign(beside));
    let near = select(abs(beside), vec3<f32>(0.0), abs(beside) < vec3<f32>(0.004));
    let far = 1.0 - near;
    let x = vec3<i32>(step.x, 0, 0);
    let y = vec3<i32>(0, step.y, 0);
    let z = vec3<i32>(0, 0, step.z);
    let word = air_word(home);
    var sum = added(Sum(vec4<f32>(0.0), 0.0), word, far.x * far.y * far.z);
    // A body that touches a wall may be in a solid voxel; then all neighbours are read.
    let inside = word < FIRST_AIR;
    var open = vec3<bool>(inside);
    if near.x > 0.0 {
        let word = air_word(home + x);
        open.x = open.x || word >= FIRST_AIR;
        sum = added(sum, word, near.x * far.y * far.z);
    }
    if near.y > 0.0 {
        let word = air_word(home + y);
        open.y = open.y || word >= FIRST_AIR;
        sum = added(sum, word, far.x * near.y * far.z);
    }
    if near.z > 0.0 {
        let word = air_word(home + z);
        open.z = open.z || word >= FIRST_AIR;
        sum = added(sum, word, far.x * far.y * near.z);
    }
    if near.x * near.y > 0.0 && (open.x || open.y) {
        sum = added(sum, air_word(home + x + y), near.x * near.y * far.z);
    }
    if near.y * near.z > 0.0 && (open.y || open.z) {
        sum = added(sum, air_word(home + y + z), far.x * near.y * near.z);
    }
    if near.z * near.x > 0.0 && (open.z || open.x) {
        sum = added(sum, air_word(home + z + x), near.x * far.y * near.z);
    }
    if near.x * near.y * near.z > 0.0 && all(open) {
        sum = added(sum, air_word(home + x + y + z), near.x * near.y * near.z);
    }
    return sum.light / max(sum.share, 1e-4);
}

// Returns the light in front of a surface. Lamps light the surface from the side on which their
// light increases.
fn air_before(relative: vec3<f32>, normal: vec3<f32>) -> Air {
    let all_open = Air(vec3<f32>(0.0), 1.0);
    if frame.light == 0u { return all_open; }
    let at = relative + frame.camera_offset + normal * 0.5;
    let cell = vec3<i32>(floor(at)) + frame.camera_cell;
    let low = vec3<f32>(cell - frame.light_origin);
    let rest = min(low, vec3<f32>(AIR_BRICKS * 32 - 1) - low);
    let border = min(min(rest.x, rest.y), rest.z);
    if border < 2.0 { return all_open; }
    let brick = air_brick(cell);
    let ready = frame.light_ready[brick >> 7u][(brick >> 5u) & 3u] >> (brick & 31u);
    if (ready & 1u) == 0u { return all_open; }
    let light = air_between(at);
    var lamp = light.rgb;
    if (frame.light & HAS_LAMPS) == 0u { lamp = vec3<f32>(0.0); }
    if any(lamp > vec3<f32>(0.0)) {
        let one = vec3<f32>(1.0);
        let here = dot(lamp, one);
        let ahead = dot(air_between(at + normal).rgb, one);
        // In a gap of one voxel the next voxel is dark.
        let growth = select((ahead - here) / max(ahead + here, 1e-4), 0.0, ahead == 0.0);
        lamp *= BRIGHTEST_LAMP * clamp(0.62 + 2.2 * growth, 0.2, 1.25);
    }
    let fade = smoothstep(2.0, AIR_BORDER, border);
    return Air(lamp * fade, mix(1.0, (light.a * 255.0 - 1.0) / 254.0, fade));
}
