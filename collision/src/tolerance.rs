//! Every tolerance and limit of this crate, with its unit, its meaning and what goes wrong when it is larger or smaller.
//! Lengths derive from one: [`MICRON`].

/// One micrometre, in metres: the length that all others derive from; about eight steps of an `f32` near 1 m.
pub const MICRON: f32 = 1e-6;

/// How far apart the lines of two edges of meshes may lie that count as one, in metres. Smaller: rounding parts the edges of a long and a short
/// side. Larger: beside the edge of a thin sheet the one below it counts.
pub const SAME_EDGE: f32 = 1e-4;

/// How much less than a face an edge reaches, in metres. Smaller: the rim of a floor turns into a nearly flat edge by rounding and
/// stops the mover. Ten times larger: the skin visibly shrinks at 60 m/s.
pub const EDGE_RANK: f32 = MICRON;

/// How much less than a face a corner reaches, in metres. Must exceed [`EDGE_RANK`] for the same reason.
pub const CORNER_RANK: f32 = 2.0 * MICRON;

/// How far faces and edges reach beyond their ends, in metres, so that a way exactly along a seam meets both sides. Larger: faces are felt
/// beyond their rim; a mover there is lifted by far less than this.
pub const RIM: f32 = MICRON;

/// Approach, as a share of the motion across an edge or corner, below which it is passed by. A ball that passes a point this tangentially
/// digs in by `radius * APPROACH^2 / 2`, far below a micrometre. Must be larger than [`SOLVER_SLACK`]: the other way round jams.
pub const APPROACH: f32 = 1e-3;

/// How far the unit normal of a contact with an edge or corner may lean over a face beside it: then the ball is still over that face, which
/// is nearer. No larger than [`APPROACH`], or what leans between the two would stop nothing; smaller: rounding loses rims.
pub const RIM_SLACK: f32 = APPROACH;

/// Approach, as a share of the whole motion, below which an edge is passed by whatever its angle: what is left is rounding of a motion
/// along it. Must be larger than what the solver leaves ([`SOLVER_SLACK`], [`TURN_OUT`]), or edges are met again and again; larger: a fast mover
/// digs into an edge it follows.
pub const LEAN: f32 = 3e-5;

/// Approach, as a share of the whole motion, below which a slanted face is passed by that the ball already touches: what is left is rounding
/// of a motion along it. Smaller: between two parallel walls a body is held by one after the other; larger: skin is lost.
pub const GRAZE: f32 = 1e-6;

/// How far, as a share of its length, a solved displacement may still lean into a plane. Smaller: rounding makes feasible solutions
/// look infeasible and the mover stops in corners. Larger: skin is lost.
pub const SOLVER_SLACK: f32 = 1e-5;

/// Sine of the angle between two planes below which they have no common line. Smaller: creases of nothing but rounding.
pub const PARALLEL: f32 = 1e-4;

/// How far the face of a triangle reaches beyond its sides, in metres, so that no ray slips between two. Larger: faces are felt beyond
/// their rim; a tenth of a millimetre lifts a mover there by far less than a micrometre.
pub const FACET_SLACK: f32 = 20.0 * MICRON;

/// Height of a triangle as a share of its longest side up to which it is a needle: it has no
/// face, and stops movers by its edges and corners alone. Smaller: normals of nothing but
/// rounding.
pub const NEEDLE: f64 = 1e-5;

/// The same share up to which all edges and corners of a triangle of a mesh take part, flat
/// ones too: where a body is squashed such a triangle may be a needle. Smaller: the slit
/// between two triangles beside it lets bodies through.
pub const THIN: f64 = 100.0 * NEEDLE;

/// The same share up to which a face is cut off at its ends: its tips would reach beyond them
/// by [`FACET_SLACK`] over the sine of half their angle, here by less than a millimetre.
/// Smaller: bodies are stopped before sharp tips. Larger: more to compute.
pub const SHARP: f32 = 0.05;

/// How far, as a share of its length, a solved motion is turned out of a slanted plane, so that rounding cannot leave it leaning in.
/// Must be at least [`SOLVER_SLACK`]; larger: a walker drifts off a slope.
pub const TURN_OUT: f32 = 1e-5;

/// How far, as a share of its length, a solved motion may be turned to lead out of two planes at once. Larger: who is held between two walls
/// that are not quite parallel is flung along them; smaller: it is held in sharp clefts.
pub const PARTING: f32 = 0.01;

/// Difference of two unit normals that is nothing but rounding: both faces beside an edge may bring it. Smaller: who meets such an edge again and
/// again takes it for another each time, and stops; larger: rolling slowly over an edge is meeting it again.
pub const ROUNDED: f32 = 1e-6;

/// Difference of two unit normals below which they are one plane, of which the newer counts. Larger: rolling over an edge loses planes that
/// still bear. Must exceed [`PARALLEL`], or two planes of which neither can be solved alone stop the mover.
pub const SAME_PLANE: f32 = 1e-3;

/// Distance from a plane's exact contact, in metres, within which a body is put exactly there. Covers the rounding of a sweep; larger:
/// bodies jump.
pub const EXACT: f32 = 20.0 * MICRON;

/// Distance, in metres, within which two supports count as touched at once, and below which a fall is no fall.
pub const TOUCHING: f32 = 1e-4;

/// How deep into its skin a body may end a move before the move is taken back, in metres. Smaller: rounding far along a fast move
/// takes good moves back. Larger: it must stay well below the skin.
pub const VALID_DEPTH: f32 = 1e-4;

/// How far beyond the swept box candidates are gathered, in metres: covers the rounding of the box itself.
pub const REACH_MARGIN: f32 = 1e-3;

/// Displacements shorter than this, in metres, are not swept: they would be lost in rounding.
pub const SHORTEST_MOTION: f32 = 1e-7;

/// Sweeps of one slide. Reaching it is reported; the rest of the motion is dropped.
pub const MAX_SWEEPS: u32 = 8;

/// Planes one slide keeps; at most one is met per sweep.
pub const MAX_PLANES: usize = MAX_SWEEPS as usize;

/// Longest motion gathered for at once, in metres; a longer one is swept in pieces. Larger: candidates by the hundred, most never near.
pub const MAX_REACH: f32 = 4.0;

/// Cosine between the way of a fall and what it is pressed along, down to which below zero it is led aside and not back. Smaller: who falls
/// into a gutter that all but crosses its way hangs there; larger: who is pressed into a notch is thrown out of it again and again.
pub const ASIDE: f32 = 0.05;

/// Motions longer than this, in metres a tick, are cut to it: 256 m a tick of a sixtieth of a second is 15 km/s.
pub const MAX_MOTION: f32 = 256.0;

/// Rise of the contact with an edge or a corner of a block, as a cosine, from which on it is a bump that lifts a walker, however steep a slope it
/// walks up: that of 50 degrees. Smaller: who walks steep slopes gets over walls without a step.
pub const BUMP: f32 = 0.642_787_6;

/// Rise of the contact with a wall, as a cosine, up to which it is taken for upright: met near the waist; and how far about the waist that is, as
/// a share of the half height. Larger: who meets a wall with its foot is taken for one who cannot step over it.
pub const UPRIGHT: f32 = 0.1;

/// Most walls that one step is led along, and most overhangs that lead it aside. Larger: a step that fails costs more.
pub const MOST_BESIDE: usize = 2;

/// How far one overhang may lead a step aside, as a share of the radius across. Larger: who steps up is seen to jump aside. Smaller:
/// overhangs hold down who only touches them.
pub const LEAD_ASIDE: f32 = 0.1;

/// How far out over an edge who climbs onto it may stand, as a share of the radius across, though [`ledge`](crate::MoverConfig::ledge) be smaller.
/// Larger: steps are climbed by a hair; smaller: slow walkers climb none.
pub const LEDGE_COMING_IN: f32 = 0.95;

/// How much less far out than it may be a body on a rim must be, as a share of its radius across, for a short look to tell that it is borne.
/// Smaller than rounding: the look and a sweep disagree; larger: more ticks are swept.
pub const RIM_SHARE: f32 = 1e-3;

/// How much lower than its foot a rim must be to be a way down for who stands on another, in metres. Larger: low stairs of a mesh are walked
/// down two at a time; smaller: who crosses a slot between rims that are not quite level sinks in between.
pub const LIP: f32 = 0.02;

/// How far below its foot other ground must be for a body to stand on a rim alone, in metres. Larger: who landed on a low rim stays out on
/// it; smaller: stairs higher than a step are climbed from rim to rim.
pub const RIM_DROP: f32 = 0.15;

/// How far a recovery looks for a free place, in longest radii of the body. Larger: bodies come out of blocks that should hold them.
pub const ESCAPE_REACH: f32 = 2.2;

/// Coordinates by axis at which a recovery looks for a place beside faces; the nearest count. More: more places than can be looked at in a tick.
pub const ESCAPE_PLANES: usize = 13;

/// Distance between the places a recovery tries among triangles in one direction, in metres. Smaller: more tries for the same way out.
pub const ESCAPE_DIRECTIONS_STEP: f32 = 0.25;

/// Gap between two boxes, in metres, that is no way out for a centre that leaves one.
/// Smaller: rounding makes gaps between neighbours. Larger: walls that nearly touch count as one.
pub const SEAL: f32 = 2e-3;

/// How much farther a free place may be, in metres, than one from which somebody else is pushed away.
pub const COMPANY_COST: f32 = 0.5;

/// Rounds in which the nearest point of a box to a tilted ellipsoid settles.
pub const CLOSEST_ROUNDS: usize = 24;

/// How many times as far as a tilted body reaches a box is that it plainly does not reach. Smaller: rounding leaves out boxes that are touched.
/// Larger: more boxes are measured exactly.
pub const PLAINLY: f32 = 1.001;

/// Pushes out of the deepest overlap after which a recovery looks elsewhere.
pub const MAX_PUSHES: u32 = 8;

/// Squared sine of the angle between motion and rod below which they count as parallel: a micro-radian.
/// Smaller lets rounding invent sideways motion; larger loses hits on long edges that the end spheres do not cover.
pub const SWEEP_PARALLEL_SQUARED: f32 = 1e-12;

/// Distance between path and surface, in radii of the mover, at which an ellipsoid touches another.
/// Smaller is below the rounding of positions a few radii away; larger stops characters visibly early.
pub const SWEEP_TOUCH: f32 = 1e-6;

/// Advances along the path per ellipsoid sweep. Straight hits need 2 to 4, grazing ones converge by halves.
pub const SWEEP_ADVANCES: usize = 24;

/// Newton steps of one closest-point search on an ellipsoid; 3 to 6 are usual.
pub const SWEEP_NEWTON_STEPS: usize = 16;

/// A step of such a search, in radians, after which another could change no more than rounding does. Larger: it ends beside the closest point;
/// smaller: steps that change nothing.
pub const SHORT_STEP: f32 = 3e-4;

/// How often such a step is halved until it leads up. Fewer: flat ellipsoids are felt before they are touched; more: nothing changes.
pub const SWEEP_HALVINGS: usize = 6;

/// Sine of the fold at an edge of a mesh below which the edge is flat. Larger: a ball aimed at a fold passes between the moved-out
/// faces. Smaller: rounding of the corners makes seams of flat floors.
pub const FLAT_EDGE: f64 = 1e-6;

/// Longest side of a piece of a mesh, in metres; larger triangles are cut. Larger: corners far from the body round the plane away.
pub const LONGEST_PIECE: f64 = 32.0;

/// How far beyond a body something is looked for that moved over it in one tick, in metres: 60 m/s. Larger: more is gathered wherever something
/// moves.
pub const FARTHEST_CROSSING: f32 = 1.0;

/// How far from a place the owner of an object is looked for that is named there, in cells: farther
/// than a recovery of the largest body looks. Larger: of two objects with one number, far from each
/// other, the wrong one may carry. Smaller: a pusher is not found.
pub const FARTHEST_CARRIER: i32 = 64;

/// Most pieces of the triangles of one mesh. Larger: a small file fills the memory.
pub const MOST_PIECES: usize = 1 << 20;

/// Most triangles on one edge that are held against each other: an edge of more takes part as it is. Larger: a file that says one triangle over
/// and over takes for ever.
pub const MOST_ON_AN_EDGE: usize = 32;

/// How far from where it was made a mesh may be carried, and how far from its origin a box may reach, in metres. Larger: cells wrap after
/// 2^31 m, and what lies on one side is found on the other, or in one heap.
pub const FARTHEST_FROM_ORIGIN: f64 = 1e9;

/// Most cells of the lattice that the sides of some boxes make, of two bytes each. Larger: a few hundred boxes fill the memory.
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

/// Fastest velocity that is accepted along any axis, in metres a second. Larger: at 60 Hz one tick along it outruns [`MAX_MOTION`].
pub const MAX_SPEED: f32 = 10_000.0;

/// Smallest and largest radius of a character, in metres. Smaller: the skin is larger than the body. Larger: everybody is near.
pub const SMALLEST_RADIUS: f32 = 0.05;
/// See [`SMALLEST_RADIUS`].
pub const LARGEST_RADIUS: f32 = 8.0;

/// Strongest gravity of a character along any axis, in metres a second squared. Larger: its square
/// is no number.
pub const LARGEST_GRAVITY: f32 = 1.0e6;

/// Largest half size of a sensor, in metres. Larger: it reaches past what a character can be told apart in.
pub const LARGEST_SENSOR: f32 = 1.0e6;

/// How far the squared length of a unit vector from outside may be from 1.
pub const UNIT_SLACK: f32 = 1e-4;

/// The shortest sum of two up axes that leads between them. Shorter: two of opposite axes are pushed the way that rounding leads.
pub const SHORTEST_AXIS: f32 = 1e-3;

/// The highest step, farthest snap and longest advance of a character, in metres: that of the largest body. Larger: each tick looks at all the
/// ground between.
pub const LONGEST_STEP: f32 = 2.0 * LARGEST_RADIUS;

/// The widest skin of a character in a crowd, in metres. Wider: who moves does not wake all who looked at it.
pub const WIDEST_SKIN: f32 = 0.35;

/// Newton steps of one separation of two ellipsoids. Fewer: pushes come out askew; more: nothing changes any more.
pub const SEPARATION_STEPS: u32 = 3;

/// A last step of those, in radians, after which there is more to climb. Larger: long and flat bodies askew are in each other where they
/// are not; smaller: pairs that are close enough are climbed on for.
pub const LAST_STEP: f32 = 0.003;

/// Longest tick, in seconds. A longer one is refused: the caller has lost time it should tick through.
pub const LONGEST_TICK: f32 = 1.0;

/// Share of the skin two characters must keep before they are pushed apart. Larger: those who merely touch are pushed for ever.
/// Smaller: less room for rounding before they overlap.
pub const PUSH_BELOW: f32 = 0.5;

/// Rounds of pushing in one tick, and again of those who went back. Fewer: packed crowds settle later; what is left is taken back (see [`MAX_TAKE_BACKS`]).
pub const PUSH_ROUNDS: u32 = 6;

/// Rounds in which those who were carried into somebody ride again: so many in a queue stop one behind the other. Fewer: the rest of a longer
/// queue is pressed together.
pub const RIDE_ROUNDS: u32 = 128;

/// By how much two who are carried together may come nearer, in metres, and not be taken for one who is carried into the other: rounding at the far
/// end of a cell, with room. Larger: a slow ride pushes who stands in its way.
pub const RIDE_SLACK: f32 = 1e-5;

/// Longest push of one round, in metres. Larger: packed crowds boil; smaller: deep overlaps (a character that was placed on another)
/// take long to part.
pub const LONGEST_PUSH: f32 = 0.1;

/// The same of those who went back. Smaller: a hundred on one spot take longer to part; larger: they push each other past their goal again, and go back
/// for ever.
pub const LONGEST_CREEP: f32 = 3e-3;

/// How far aside those are pushed, as a share of their push. Smaller: who stand in one row stay in each other; larger: they go round each other.
pub const CREEP_ASIDE: f32 = 0.1;

/// Share of their push that more than two on one spot are spread by. Larger: they leave on a ring and not on a disc.
pub const MANY_APART: f32 = 0.25;

/// Overlap of two characters that is let be at the end of a tick, in metres: an eighth of a default skin's width.
pub const OVERLAP_SLACK: f32 = 1.25e-3;

/// Rounds in which characters that could not be parted go back to where their moves began, and those they meet there too.
pub const MAX_TAKE_BACKS: u32 = 16;

/// Share by which a squared length must be off a limit before it is told by the square alone. Smaller than rounding: a short way and a
/// whole one could disagree; larger: ways near the limit take the whole.
pub const SQUARE_SLACK: f32 = 1e-3;

/// How much farther than it may come a character looks for others, in metres. Larger: more are
/// looked at and woken; smaller: more characters look about a second time, after their move.
pub const DRIFT: f32 = 0.04;

const _: () = assert!(PUSH_BELOW < 1.0);
const _: () = assert!(SMALLEST_RADIUS > OVERLAP_SLACK);

/// How far from its skin a watched character touches something, in metres. Smaller: rounding makes
/// contacts end and begin; larger: things are touched that do not bear or block.
pub const TOUCH_REACH: f32 = 0.5e-3;

/// How far behind a place on a surface the voxel is looked for that it belongs to, in metres. Must
/// exceed [`TOUCH_REACH`]; larger: thin voxels are missed.
pub const BEHIND_SURFACE: f32 = 1e-3;

const _: () = assert!(TOUCHING < TOUCH_REACH && TOUCH_REACH < BEHIND_SURFACE);

/// Smallest radius of a body that is swept through terrain or that a ray is cast at, in metres; a smaller one hits nothing and is not hit.
/// Smaller: its square is nothing, and the point it touches no number.
pub const SMALLEST_QUERY: f32 = MICRON;

/// Largest radius of a body that is swept through terrain, in metres; a larger one hits nothing. Larger: as that.
pub const LARGEST_QUERY: f32 = 128.0;

/// Longest straight sweep asked of terrain, in metres; a longer one is cut. Larger: a hostile question takes long.
pub const MAX_QUERY: f32 = 4096.0;

/// Radius of the ball that stands for a ray, in metres. Smaller: rounding lets it through seams; larger: it meets what it should pass.
pub const RAY_RADIUS: f32 = 1e-3;

const _: () = assert!(SMALLEST_QUERY <= RAY_RADIUS && SMALLEST_QUERY <= SMALLEST_RADIUS);
