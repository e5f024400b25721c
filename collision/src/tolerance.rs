//! All tolerances and limits of this crate, each with its unit, its meaning and the fault that a
//! larger or smaller value causes. Lengths derive from [`MICRON`].

/// One micrometre, in metres: the base of all other lengths; about eight steps of an `f32` near 1
/// m.
pub const MICRON: f32 = 1e-6;

/// Largest distance, in metres, between the lines of two mesh edges that count as one. Smaller:
/// rounding separates a long side from the short sides along it. Larger: an edge of a thin sheet is
/// taken for the one below it.
pub const SAME_EDGE: f32 = 1e-4;

/// Length, in metres, by which the reach of an edge is less than that of a face. Smaller: rounding
/// turns the rim of a floor into a nearly flat edge that stops a character. Ten times larger: the
/// skin visibly shrinks at 60 m/s.
pub const EDGE_RANK: f32 = MICRON;

/// Length, in metres, by which the reach of a corner is less than that of a face. Must exceed
/// [`EDGE_RANK`] for the same reason.
pub const CORNER_RANK: f32 = 2.0 * MICRON;

/// Length, in metres, by which faces and edges extend beyond their ends, so that a path exactly
/// along a seam meets both sides. Larger: faces are felt beyond their rim; a character there is
/// lifted by far less than this.
pub const RIM: f32 = MICRON;

/// Approach, as a share of the motion across an edge or corner, below which the contact does not
/// count. A ball that passes a point this tangentially digs in by `radius * APPROACH^2 / 2`, far
/// below a micrometre. Must exceed [`SOLVER_SLACK`], or moves jam.
pub const APPROACH: f32 = 1e-3;

/// Largest lean of the unit normal of an edge or corner contact over a face beside it: beyond it
/// the ball is still over that face, which is nearer. No larger than [`APPROACH`], or a contact
/// that leans between the two would stop nothing. Smaller: rounding loses rims.
pub const RIM_SLACK: f32 = APPROACH;

/// Approach, as a share of the whole motion, below which an edge contact does not count at any
/// angle: the rest is rounding of a motion along the edge. Must exceed the residue of the solver
/// ([`SOLVER_SLACK`], [`TURN_OUT`]), or edges are met again and again. Larger: a fast body digs
/// into an edge it follows.
pub const LEAN: f32 = 3e-5;

/// Approach, as a share of the whole motion, below which a slanted face that the ball already
/// touches does not count: the rest is rounding of a motion along it. Smaller: two parallel walls
/// hold a body in turn. Larger: skin is lost.
pub const GRAZE: f32 = 1e-6;

/// Largest residual motion into a plane, as a share of the length of a solved displacement.
/// Smaller: rounding makes feasible solutions look infeasible, and the move stops in corners.
/// Larger: skin is lost.
pub const SOLVER_SLACK: f32 = 1e-5;

/// Sine of the angle between two planes below which they have no common line. Smaller: creases made
/// of rounding alone.
pub const PARALLEL: f32 = 1e-4;

/// Length, in metres, by which the face of a triangle extends beyond its sides, so that no ray
/// slips between two. Larger: faces are felt beyond their rim; a tenth of a millimetre lifts a body
/// there by far less than a micrometre.
pub const FACET_SLACK: f32 = 20.0 * MICRON;

/// Height of a triangle as a share of its longest side up to which it is a needle: it has no
/// face, and stops movers by its edges and corners alone. Smaller: normals of nothing but
/// rounding.
pub const NEEDLE: f64 = 1e-5;

/// Height of a triangle as a share of its longest side up to which all its edges and corners stop
/// movers, flat ones too: in a squashed space it may be a needle. Smaller: the slit between two
/// triangles beside it lets bodies through.
pub const THIN: f64 = 100.0 * NEEDLE;

/// Height of a triangle as a share of its longest side up to which its face is cut off at its ends:
/// its tips would reach beyond them by [`FACET_SLACK`] over the sine of half their angle, here by
/// less than a millimetre. Smaller: bodies are stopped before sharp tips. Larger: more to compute.
pub const SHARP: f32 = 0.05;

/// Turn of a solved motion out of a slanted plane, as a share of its length, so that rounding
/// leaves no motion into it. Must be at least [`SOLVER_SLACK`]; larger: a walker drifts off a
/// slope.
pub const TURN_OUT: f32 = 1e-5;

/// Largest turn of a solved motion, as a share of its length, that leads it out of two planes at
/// once. Larger: a body between two nearly parallel walls is flung along them. Smaller: sharp
/// clefts hold it.
pub const PARTING: f32 = 0.01;

/// Length of a walker's way, as a share of its wish, up to which it is no way but the rounding of
/// one into a cleft. Smaller: walkers stop under ceilings where the planes as they are leave a way.
/// Larger: walkers pressed almost straight against a wall under a ceiling leave the floor.
pub const CLEFT: f32 = 1e-3;

/// Difference of two unit normals that is rounding alone: both faces beside an edge may cause it.
/// Smaller: each new contact with the same edge looks like another edge, and the body stops.
/// Larger: rolling slowly over an edge looks like meeting it again.
pub const ROUNDED: f32 = 1e-6;

/// Difference of two unit normals below which they are one plane; the newer one is kept. Larger:
/// rolling over an edge loses planes that still support the body. Must exceed [`PARALLEL`], or two
/// different planes without a common line stop the body.
pub const SAME_PLANE: f32 = 1e-3;

/// Distance from the exact contact with a plane, in metres, within which a body is moved exactly
/// there. Covers the rounding of a sweep. Larger: bodies jump.
pub const EXACT: f32 = 20.0 * MICRON;

/// Distance, in metres, within which two supports count as touched at once, and below which a drop
/// is no fall.
pub const TOUCHING: f32 = 1e-4;

/// Largest penetration of the skin, in metres, at the end of a move that is not taken back.
/// Smaller: rounding far along a fast move takes good moves back. Larger: it must stay well below
/// the skin.
pub const VALID_DEPTH: f32 = 1e-4;

/// Margin around the swept box in which candidates are gathered, in metres: covers the rounding of
/// the box itself.
pub const REACH_MARGIN: f32 = 1e-3;

/// Shortest displacement that is swept, in metres: shorter ones are lost in rounding.
pub const SHORTEST_MOTION: f32 = 1e-7;

/// Most sweeps of one slide. Reaching it is reported; the rest of the motion is dropped.
pub const MAX_SWEEPS: u32 = 8;

/// Most planes that one slide keeps; each sweep meets at most one.
pub const MAX_PLANES: usize = MAX_SWEEPS as usize;

/// Longest motion whose candidates are gathered at once, in metres; a longer one is swept in
/// pieces. Larger: hundreds of candidates, most of them never near.
pub const MAX_REACH: f32 = 4.0;

/// Negated cosine between a fall and the direction it is pressed along, up to which the fall is led
/// aside rather than back. Smaller: a fall into a gutter almost across its path hangs there.
/// Larger: a body pressed into a notch is thrown out of it again and again.
pub const ASIDE: f32 = 0.05;

/// Lead of a walker over its wish, as a share of the advance of a step, above which the next step
/// waits. Smaller: slow walkers stop at each step. Larger: they climb tall steps in bursts.
pub const STEP_LEAD: f32 = 0.5;

/// Longest motion in a tick, in metres; longer ones are cut. 256 m in a sixtieth of a second is 15
/// km/s.
pub const MAX_MOTION: f32 = 256.0;

/// Rise of a contact with an edge or a corner of a block, as a cosine (that of 50 degrees), from
/// which it is a bump that lifts a walker whatever its slope limit. Smaller: walkers with a high
/// slope limit climb walls without a step.
pub const BUMP: f32 = 0.642_787_6;

/// Largest rise of a contact with a wall, as a cosine, that counts as upright, and the height about
/// the waist at which such a contact lies, as a share of the half height. Larger: a wall met by the
/// foot looks too high to step over.
pub const UPRIGHT: f32 = 0.1;

/// Most walls that one step is led along, and most overhangs that lead it aside. Larger: a step
/// that fails costs more.
pub const MOST_BESIDE: usize = 2;

/// Farthest that one overhang may lead a step aside, as a share of the radius across. Larger: steps
/// visibly jump aside. Smaller: overhangs that are barely touched prevent steps.
pub const LEAD_ASIDE: f32 = 0.1;

/// Farthest that a body which climbs onto an edge may stand out over it, as a share of the radius
/// across, even where [`ledge`](crate::MoverConfig::ledge) is smaller. Larger: a hair's contact is
/// enough to climb a step. Smaller: slow walkers climb none.
pub const LEDGE_COMING_IN: f32 = 0.95;

/// Margin, as a share of the radius across, by which a body must be farther in on a rim than it may
/// be for the cheap passage test to report that the rim supports it. Smaller than rounding: the
/// test and a sweep disagree. Larger: more ticks are swept.
pub const RIM_SHARE: f32 = 1e-3;

/// Least height of the foot above a lower rim, in metres, for that rim to be a way down from
/// another one. Larger: low mesh stairs are walked down two at a time. Smaller: a body that crosses
/// a slot between nearly level rims sinks in between.
pub const LIP: f32 = 0.02;

/// Least height of the foot above other ground, in metres, for a body to stand on a rim alone.
/// Larger: a body that landed on a low rim stays out on it. Smaller: stairs higher than a step are
/// climbed from rim to rim.
pub const RIM_DROP: f32 = 0.15;

/// Farthest free place that a recovery looks for, in longest radii of the body. Larger: bodies come
/// out of blocks that should hold them.
pub const ESCAPE_REACH: f32 = 2.2;

/// Most coordinates on each axis at which a recovery looks for a place beside faces; the nearest
/// are kept. More: too many places to test in a tick.
pub const ESCAPE_PLANES: usize = 13;

/// Distance between the places that a recovery among triangles tries in one direction, in metres.
/// Smaller: more tries for the same way out.
pub const ESCAPE_DIRECTIONS_STEP: f32 = 0.25;

/// Widest gap between two boxes, in metres, that is no way out for a centre that leaves one.
/// Smaller: rounding makes gaps between neighbours. Larger: walls that nearly touch count as one.
pub const SEAL: f32 = 2e-3;

/// Extra cost, in metres of way, of a place from which another character has to be pushed away.
pub const COMPANY_COST: f32 = 0.5;

/// Rounds in which the nearest point of a box to a tilted ellipsoid settles.
pub const CLOSEST_ROUNDS: usize = 24;

/// Factor on the extent of a tilted body beyond which a box is out of its reach without an exact
/// test. Smaller: rounding leaves out boxes that are touched. Larger: more exact tests.
pub const PLAINLY: f32 = 1.001;

/// Pushes out of the deepest overlap after which a recovery looks elsewhere.
pub const MAX_PUSHES: u32 = 8;

/// Squared sine of the angle between motion and rod below which they count as parallel: a
/// micro-radian. Smaller: rounding invents sideways motion. Larger: hits on long edges that the end
/// spheres do not cover are lost.
pub const SWEEP_PARALLEL_SQUARED: f32 = 1e-12;

/// Distance between path and surface, in radii of the moving shape, at which an ellipsoid touches
/// another. Smaller: below the rounding of positions a few radii away. Larger: characters stop
/// visibly early.
pub const SWEEP_TOUCH: f32 = 1e-6;

/// Most advances along the path of one ellipsoid sweep. Straight hits need 2 to 4; grazing ones
/// converge by halves.
pub const SWEEP_ADVANCES: usize = 24;

/// Most Newton steps of one closest-point search on an ellipsoid; 3 to 6 are usual.
pub const SWEEP_NEWTON_STEPS: usize = 16;

/// Newton step, in radians, after which another one could change no more than rounding does.
/// Larger: the search ends beside the closest point. Smaller: steps without effect.
pub const SHORT_STEP: f32 = 3e-4;

/// Most halvings of a Newton step that leads down. Fewer: flat ellipsoids are felt before they are
/// touched. More: no effect.
pub const SWEEP_HALVINGS: usize = 6;

/// Sine of the fold at a mesh edge below which the edge is flat. Larger: a ball aimed at a fold
/// passes between the moved-out faces. Smaller: rounding of the corners makes seams in flat floors.
pub const FLAT_EDGE: f64 = 1e-6;

/// Longest side of a piece of a mesh, in metres; larger triangles are cut. Larger: far corners cost
/// the plane its precision near the body.
pub const LONGEST_PIECE: f64 = 32.0;

/// Distance beyond a body, in metres, within which objects that moved over it in one tick are
/// looked for: 60 m/s. Larger: more is gathered wherever something moves.
pub const FARTHEST_CROSSING: f32 = 1.0;

/// Distance from a place, in cells, within which the object of a given number is looked for:
/// farther than the recovery of the largest body reaches. Larger: of two objects with one number,
/// far from each other, the wrong one may carry. Smaller: a pushing object is not found.
pub const FARTHEST_CARRIER: i32 = 64;

/// Most pieces of the triangles of one mesh. Larger: a small file fills the memory.
pub const MOST_PIECES: usize = 1 << 20;

/// Most triangles on one edge that are compared with each other; an edge of more is kept without a
/// test for convexity. Larger: a file that repeats one triangle takes for ever.
pub const MOST_ON_AN_EDGE: usize = 32;

/// Farthest that a mesh may be carried from where it was built, and a box may reach from its
/// origin, in metres. Larger: cells wrap after 2^31 m, and geometry appears on the wrong side or in
/// one heap.
pub const FARTHEST_FROM_ORIGIN: f64 = 1e9;

/// Most cells of the lattice made by the sides of some boxes, of two bytes each. Larger: a few
/// hundred boxes fill the memory.
pub const MOST_LATTICE_CELLS: usize = 4_000_000;

/// Longest side of a triangle of a mesh, in metres. Larger: cutting one fills the memory.
pub const LONGEST_TRIANGLE: f64 = 4096.0;

const _: () = assert!(CORNER_RANK > EDGE_RANK);
const _: () = assert!(APPROACH > SOLVER_SLACK);
const _: () = assert!(RIM_SLACK <= APPROACH);
const _: () = assert!(SAME_PLANE > PARALLEL);
const _: () = assert!(TURN_OUT >= SOLVER_SLACK);
const _: () = assert!(LEAN > SOLVER_SLACK && LEAN > TURN_OUT);
const _: () = assert!(VALID_DEPTH > CORNER_RANK);
const _: () = assert!(REACH_MARGIN > VALID_DEPTH);

/// Fastest accepted velocity along any axis, in metres a second. Larger: one tick at 60 Hz exceeds
/// [`MAX_MOTION`].
pub const MAX_SPEED: f32 = 10_000.0;

/// Smallest radius of a character, in metres. Smaller: the skin is larger than the body.
pub const SMALLEST_RADIUS: f32 = 0.05;
/// Largest radius of a character, in metres. Larger: every character is near every other.
pub const LARGEST_RADIUS: f32 = 8.0;

/// Strongest gravity of a character along any axis, in metres a second squared. Larger: its square
/// overflows.
pub const LARGEST_GRAVITY: f32 = 1.0e6;

/// Largest half size of a sensor, in metres. Larger: it reaches beyond the precision of offsets.
pub const LARGEST_SENSOR: f32 = 1.0e6;

/// Largest difference from 1 of the squared length of a unit vector from outside.
pub const UNIT_SLACK: f32 = 1e-4;

/// Shortest usable sum of two up axes. Shorter: rounding decides the direction in which two bodies
/// of opposite axes are pushed.
pub const SHORTEST_AXIS: f32 = 1e-3;

/// Highest step, farthest snap and longest advance of a character, in metres: the height of the
/// largest one. Larger: each tick tests all the ground between.
pub const LONGEST_STEP: f32 = 2.0 * LARGEST_RADIUS;

/// Widest skin of a character in a crowd, in metres. Wider: a moving character does not wake all
/// that have it in reach.
pub const WIDEST_SKIN: f32 = 0.35;

/// Newton steps of one separation of two ellipsoids. Fewer: pushes come out askew. More: no effect.
pub const SEPARATION_STEPS: u32 = 3;

/// Last of those steps, in radians, above which the search goes on. Larger: long and flat bodies
/// askew seem to overlap where they do not. Smaller: searches go on for pairs that are close
/// enough.
pub const LAST_STEP: f32 = 0.003;

/// Longest tick, in seconds. A longer one is refused: the caller should split lost time into
/// several ticks.
pub const LONGEST_TICK: f32 = 1.0;

/// Share of the skin that two characters must keep, below which they are pushed apart. Larger:
/// characters that merely touch are pushed for ever. Smaller: less room for rounding before they
/// overlap.
pub const PUSH_BELOW: f32 = 0.5;

/// Rounds of pushing in one tick, and again for the characters taken back. Fewer: packed crowds
/// settle later; remaining overlaps are taken back (see [`MAX_TAKE_BACKS`]).
pub const PUSH_ROUNDS: u32 = 6;

/// Rounds in which characters that were carried into others ride again: the length of a queue whose
/// members stop one behind the other. Fewer: the rest of a longer queue is pressed together.
pub const RIDE_ROUNDS: u32 = 128;

/// Approach of two characters carried together, in metres, that does not count as one carried into
/// the other: rounding at the far end of a cell, with room. Larger: a slow ride pushes characters
/// in its path.
pub const RIDE_SLACK: f32 = 1e-5;

/// Longest push of one round, in metres. Larger: packed crowds boil. Smaller: deep overlaps (a
/// character placed on another) take long to part.
pub const LONGEST_PUSH: f32 = 0.1;

/// Longest push of one round after a take-back, in metres. Smaller: a hundred characters on one
/// spot take longer to part. Larger: they push each other past their goal and are taken back for
/// ever.
pub const LONGEST_CREEP: f32 = 3e-3;

/// Sideways share of a push after a take-back. Smaller: overlapping characters in one row stay so.
/// Larger: they circle each other.
pub const CREEP_ASIDE: f32 = 0.1;

/// Share of their push by which more than two characters on one spot are spread. Larger: they leave
/// on a ring and not on a disc.
pub const MANY_APART: f32 = 0.25;

/// Largest overlap of two characters tolerated at the end of a tick, in metres: an eighth of the
/// width of a default skin.
pub const OVERLAP_SLACK: f32 = 1.25e-3;

/// Rounds in which characters that could not be parted, and those they then meet, go back to where
/// their moves began.
pub const MAX_TAKE_BACKS: u32 = 16;

/// Relative distance of a squared length from a limit at which the square alone decides. Smaller
/// than rounding: the short test and the full one could disagree. Larger: more motions near the
/// limit take the full test.
pub const SQUARE_SLACK: f32 = 1e-3;

/// Extra distance beyond its longest motion within which a character looks for others, in metres.
/// Larger: more are tested and woken. Smaller: more characters search a second time after their
/// move.
pub const DRIFT: f32 = 0.04;

const _: () = assert!(PUSH_BELOW < 1.0);
const _: () = assert!(SMALLEST_RADIUS > OVERLAP_SLACK);

/// Distance from its skin within which a watched character touches a thing, in metres. Smaller:
/// rounding makes contacts end and begin; larger: things are touched that do not bear or block.
pub const TOUCH_REACH: f32 = 0.5e-3;

/// Depth behind a place on a surface at which its voxel is searched, in metres. Must exceed
/// [`TOUCH_REACH`]; larger: thin voxels are missed.
pub const BEHIND_SURFACE: f32 = 1e-3;

const _: () = assert!(TOUCHING < TOUCH_REACH && TOUCH_REACH < BEHIND_SURFACE);

/// Smallest radius of a body in sweeps through terrain and in ray casts, in metres; a smaller one
/// hits nothing and is not hit. Smaller: its square is zero, and its touching point NaN.
pub const SMALLEST_QUERY: f32 = MICRON;

/// Largest radius of a body that is swept through terrain, in metres; a larger one hits nothing.
/// Larger: a hostile query takes long.
pub const LARGEST_QUERY: f32 = 128.0;

/// Longest straight sweep through terrain, in metres; a longer one is cut. Larger: a hostile query
/// takes long.
pub const MAX_QUERY: f32 = 4096.0;

/// Radius of the ball that stands for a ray, in metres. Smaller: rounding lets it through seams.
/// Larger: it hits surfaces that the ray passes.
pub const RAY_RADIUS: f32 = 1e-3;

const _: () = assert!(SMALLEST_QUERY <= RAY_RADIUS && SMALLEST_QUERY <= SMALLEST_RADIUS);
