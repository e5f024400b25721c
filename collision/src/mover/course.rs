//! Which way a move goes on after what it has met: along all planes at once, flying or on foot.

use crate::mover::probe::Stop;
use crate::mover::slide::is_nothing;
use crate::mover::{Feature, Frame, Ground, MoverConfig, PlaneSet};
use crate::tolerance::{BUMP, PARALLEL, TURN_OUT};
use nalgebra::Vector3;

/// How planes turn a move aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gait {
    /// Along every plane alike.
    Free,
    /// Along every plane, but to the level part of the wish what is steep is an upright wall: see [`PlaneSet::project_falling`].
    Falling,
    /// On foot: what is walkable lifts, everything else is an upright wall.
    OnFoot,
}

/// A floor that lifts a walker.
#[derive(Clone, Copy)]
struct Slope {
    normal: Vector3<f32>,
    /// Whether the length along the slope counts (a face, a steep edge) or the length on the level (a bump).
    keeps_length: bool,
}

impl Slope {
    /// How much a level way rises where it is laid on the slope.
    #[inline]
    fn lift(&self, level: &Vector3<f32>, up: &Vector3<f32>) -> f32 {
        -level.dot(&self.normal) / self.normal.dot(up)
    }
}

/// The way wished for, and what stands in it.
pub(crate) struct Course<'a> {
    gait: Gait,
    wish: Vector3<f32>,
    up: Vector3<f32>,
    config: &'a MoverConfig,
    pub(crate) planes: PlaneSet,
    slopes: [Option<Slope>; 4],
    /// The normal of the slope stood on, until it is met. Who stands on an edge may touch it at another angle.
    supposed: Option<Vector3<f32>>,
    /// The planes met before one was added that is not met but leads downhill along a wall.
    level: Option<PlaneSet>,
    /// Whether something leans over the way of who is lifted by a slope: between the two there is only the way along both as they are.
    under: bool,
    /// How high what lifts a walker may be, from the base that the way begins at.
    highest: f32,
}

impl<'a> Course<'a> {
    /// A course along `wish`. On foot the wish is level.
    #[inline]
    pub(crate) fn new(
        gait: Gait,
        wish: Vector3<f32>,
        frame: &Frame,
        config: &'a MoverConfig,
    ) -> Self {
        Self {
            gait,
            wish,
            up: frame.up,
            config,
            planes: PlaneSet::of(frame),
            slopes: [None; 4],
            supposed: None,
            level: None,
            under: false,
            highest: f32::INFINITY,
        }
    }

    /// Takes what is known to be higher than `top` for a wall, however upright it is where it is touched.
    pub(crate) fn stay_below(&mut self, top: f32) {
        self.highest = top;
    }

    /// Whether it has to stay below something.
    pub(crate) fn is_low(&self) -> bool {
        self.highest.is_finite()
    }

    /// Goes along walls that are known before they are met.
    pub(crate) fn go_beside(&mut self, walls: &PlaneSet) {
        for &wall in walls.normals() {
            self.planes.add(wall);
        }
    }

    /// The way for the whole wish: scale it by the share that is left.
    #[inline]
    pub(crate) fn way(&self) -> Vector3<f32> {
        match self.gait {
            Gait::Free => self.eased(self.planes.project(self.wish)),
            Gait::Falling => self.eased(self.fall()),
            Gait::OnFoot if self.under => self.eased(self.between()),
            Gait::OnFoot => self.lifted(self.eased(self.planes.project(self.wish))),
        }
    }

    /// The way of a fall. Nobody is thrown back by pressing on: who is pressed into a notch over what bears stays there, and who would
    /// go back farther than without pressing falls as if it did not.
    #[inline]
    fn fall(&self) -> Vector3<f32> {
        let least_rise = self.config.walkable_rise();
        let way = self.planes.project_falling(self.wish, self.up, least_rise);
        let height = self.up * self.up.dot(&self.wish);
        let level = self.wish - height;
        let forward = way.dot(&level);
        if forward >= 0.0 {
            return way;
        }
        if self.planes.bear(self.up, least_rise) && self.is_held_or_climbs(&level) {
            return Vector3::zeros();
        }
        let unpressed = self.planes.project(height);
        if forward < unpressed.dot(&level) {
            unpressed
        } else {
            way
        }
    }

    /// Whether pressing on along a level way leads nowhere or, for who does not rise by itself, farther up than on or back.
    fn is_held_or_climbs(&self, level: &Vector3<f32>) -> bool {
        let pressed = self.planes.project(self.wish);
        let falls = self.wish.dot(&self.up) <= 0.0;
        let climbs = pressed.dot(&self.up) * level.norm() > pressed.dot(level).abs();
        pressed == Vector3::zeros() || falls && climbs
    }

    /// Friction and the shrink by the angle turned.
    #[inline]
    fn eased(&self, way: Vector3<f32>) -> Vector3<f32> {
        if (self.config.friction == 0.0 && self.config.shrink == 0.0) || way == self.wish {
            return way;
        }
        let (length, whole) = (way.norm(), self.wish.norm());
        if length == 0.0 {
            return way;
        }
        let lost = self.config.friction * (self.wish - way).norm();
        let turned = 1.0 - way.dot(&self.wish) / (length * whole);
        let kept = (1.0 - lost / length).max(0.0) * (1.0 - self.config.shrink * turned).max(0.0);
        way * kept
    }

    /// A level way, laid on the slopes.
    #[inline]
    fn lifted(&self, level: Vector3<f32>) -> Vector3<f32> {
        let mut slopes = self.slopes.iter().flatten().peekable();
        if slopes.peek().is_none() {
            return level;
        }
        let out = TURN_OUT * level.norm();
        let mut highest: Option<(f32, bool)> = None;
        for slope in slopes {
            let lift = out + slope.lift(&level, &self.up);
            if highest.is_none_or(|(best, _)| lift > best) {
                highest = Some((lift, slope.keeps_length));
            }
        }
        match highest {
            Some((lift, keeps_length)) => {
                let way = level + self.up * lift;
                let length = way.norm();
                let share = if keeps_length && length > 0.0 {
                    level.norm() / length
                } else {
                    1.0
                };
                way * share
            }
            None => level,
        }
    }

    /// The way between slopes and what leans over them.
    fn between(&self) -> Vector3<f32> {
        let mut planes = self.planes;
        for slope in self.slopes.iter().flatten() {
            if !planes.add(slope.normal) {
                return Vector3::zeros();
            }
        }
        planes.project(self.wish)
    }

    /// Takes a contact into account; `false` when there is no room for it.
    #[inline]
    pub(crate) fn meet(&mut self, stop: &Stop) -> bool {
        match self.gait {
            Gait::Free => self.planes.add(stop.normal),
            Gait::Falling => self.planes.put(stop.normal, self.is_steep(stop)),
            Gait::OnFoot if self.is_walkable(stop) => {
                let bump = stop.detail.feature != Feature::Face && self.is_upright(stop, BUMP);
                self.climb(stop.normal, !bump)
            }
            Gait::OnFoot => self.meet_wall(stop.normal, stop.detail.feature),
        }
    }

    /// The same for the contact with another body.
    #[inline]
    pub(crate) fn meet_body(&mut self, normal: Vector3<f32>) -> bool {
        match self.gait {
            Gait::Free => self.planes.add(normal),
            Gait::Falling => {
                let rise = normal.dot(&self.up);
                self.planes.put(normal, rise < self.config.walkable_rise())
            }
            Gait::OnFoot => self.meet_wall(normal, Feature::Body),
        }
    }

    /// Whether a contact lifts a walker. Nobody walks up other bodies.
    #[inline]
    pub(crate) fn is_walkable(&self, stop: &Stop) -> bool {
        let low = stop.detail.top.is_none_or(|top| top <= self.highest);
        // Beside the edge of a block there is a wall, however steep a slope may be.
        let of_block = stop.detail.top.is_some() && stop.detail.feature != Feature::Face;
        let least_rise = self.config.walkable_rise();
        let least_rise = if of_block {
            least_rise.max(BUMP)
        } else {
            least_rise
        };
        low && self.is_upright(stop, least_rise)
            && !self.is_steep(stop)
            && stop.detail.feature != Feature::Body
    }

    #[inline]
    fn is_upright(&self, stop: &Stop, least_rise: f32) -> bool {
        stop.normal.dot(&self.up) >= least_rise
    }

    /// Whether what was met is known to have no face that could be stood on, however upright it is where it is touched.
    #[inline]
    fn is_steep(&self, stop: &Stop) -> bool {
        stop.detail.is_uppermost
            && stop.detail.face_normal.dot(&self.up) < self.config.walkable_rise()
    }

    /// Starts from the slope stood on.
    #[inline]
    pub(crate) fn start_on(&mut self, ground: &Ground) {
        self.supposed = Some(ground.normal);
        self.climb(ground.normal, ground.feature == Feature::Face);
    }

    /// Goes on over a walkable plane.
    #[inline]
    fn climb(&mut self, normal: Vector3<f32>, keeps_length: bool) -> bool {
        let slope = Slope {
            normal,
            keeps_length,
        };
        match self.slopes.iter_mut().find(|slot| slot.is_none()) {
            Some(slot) => {
                *slot = Some(slope);
                true
            }
            None => self.forget_lowest(slope),
        }
    }

    /// Makes room for one more slope: that which lifts the way least is behind.
    fn forget_lowest(&mut self, slope: Slope) -> bool {
        let (way, up) = (self.planes.project(self.wish), self.up);
        let lift = |slot: &Option<Slope>| slot.as_ref().map_or(f32::MIN, |it| it.lift(&way, &up));
        let slots = self.slopes.iter_mut();
        let lowest = slots.min_by(|a, b| lift(a).total_cmp(&lift(b)));
        lowest.map(|slot| *slot = Some(slope)).is_some()
    }

    /// A plane too steep to walk on stops as an upright wall does. Met again, it leans over or under the way: then it also lifts, or stops.
    /// Under a ceiling, a slope that is only supposed to go on underfoot is given up before the ceiling is slid along.
    #[inline]
    pub(crate) fn meet_wall(&mut self, normal: Vector3<f32>, feature: Feature) -> bool {
        let rise = normal.dot(&self.up);
        let level = normal - self.up * rise;
        let size = level.norm();
        let ceiling = -rise > size && self.lifting().is_some();
        if size > PARALLEL && !ceiling {
            let upright = level / size;
            if !self.planes.contains(upright) {
                return self.planes.add(upright) && self.goes_downhill_or_level(upright);
            }
        }
        if feature == Feature::Face && self.go_downhill_beside(normal) {
            return true;
        }
        if rise > PARALLEL {
            return self.climb(normal, false);
        }
        if let Some(slope) = self.lifting() {
            if self.supposed == Some(slope) {
                self.drop_supposed();
                return true;
            }
            if !self.under || !self.planes.contains(normal) {
                self.drop_supposed();
                self.under = true;
                return self.planes.add(normal);
            }
        } else if rise < 0.0 && !self.under && self.slopes.iter().any(Option::is_some) {
            // Level over what leads downhill, and so close under it that there is no room to be held off the slopes.
            self.under = true;
            return self.planes.add(normal);
        }
        let way = self.planes.project(self.wish);
        let length = way.norm();
        length > 0.0 && self.planes.add(-way / length)
    }

    /// Downhill along a wall that leans back the way laid on the slope leads into the wall again: goes where the two run along each other, if
    /// that leads at least half as far. (Else it goes level, and leaves the slope.)
    fn go_downhill_beside(&mut self, normal: Vector3<f32>) -> bool {
        let way = self.planes.project(self.wish);
        let lift = |slope: &Slope| slope.lift(&way, &self.up);
        let slopes = self.slopes.iter().flatten();
        let Some(highest) = slopes.max_by(|a, b| lift(a).total_cmp(&lift(b))) else {
            return false;
        };
        let rise = normal.dot(&self.up);
        let beside = normal - highest.normal * (rise / highest.normal.dot(&self.up));
        let level = beside - self.up * beside.dot(&self.up);
        let downhill = rise > 0.0 && lift(highest) < 0.0;
        let Some(beside) = level.try_normalize(PARALLEL).filter(|_| downhill) else {
            return false;
        };
        let mut planes = self.planes;
        let leads = !planes.contains(beside)
            && planes.add(beside)
            && planes.project(self.wish).norm() >= 0.5 * way.norm();
        if leads {
            self.level.get_or_insert(self.planes);
            self.planes = planes;
        }
        leads
    }

    /// Where a wall that was just met leaves no way downhill beside another, there may still be one on the level.
    fn goes_downhill_or_level(&mut self, upright: Vector3<f32>) -> bool {
        let Some(level) = self.level else {
            return true;
        };
        if !is_nothing(self.way()) {
            return true;
        }
        self.level = None;
        self.slopes = [None; 4];
        self.planes = level;
        self.planes.contains(upright) || self.planes.add(upright)
    }

    /// Forgets the slope stood on: where it is in the way, it is met as it is touched.
    fn drop_supposed(&mut self) {
        let supposed = self.supposed.take();
        for slot in &mut self.slopes {
            if slot.map(|slope| slope.normal) == supposed {
                *slot = None;
            }
        }
    }

    /// The normal of the slope that lifts the level way most.
    #[inline]
    fn lifting(&self) -> Option<Vector3<f32>> {
        let way = self.planes.project(self.wish);
        let mut most = 0.0;
        let mut lifting = None;
        for slope in self.slopes.iter().flatten() {
            let lift = slope.lift(&way, &self.up);
            if lift > most {
                most = lift;
                lifting = Some(slope.normal);
            }
        }
        lifting
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::Detail;
    use crate::mover::Radii;
    use crate::terrain::ObjectId;

    fn stop(normal: [f32; 3], face_normal: [f32; 3]) -> Stop {
        let normal = Vector3::from(normal);
        Stop {
            time: 0.0,
            normal,
            rise: normal.y,
            detail: Detail {
                feature: Feature::Edge,
                object: ObjectId(1),
                face_normal: face_normal.into(),
                is_uppermost: false,
                top: None,
                crest: None,
                plane: None,
            },
        }
    }

    #[test]
    fn edge_of_faces_that_are_all_too_steep_is_a_wall_however_upright_it_is_touched() {
        let config = MoverConfig::default();
        let frame = Frame::new(Radii::new(1.0, 1.0), Vector3::y(), 0.01);
        for gait in [Gait::OnFoot, Gait::Falling] {
            for is_uppermost in [false, true] {
                let mut met = stop([-0.6, 0.8, 0.0], [-0.8, 0.6, 0.0]);
                met.detail.is_uppermost = is_uppermost;
                let mut course = Course::new(gait, Vector3::x(), &frame, &config);
                assert!(course.meet(&met));
                let lifts = course.way().y > config.skin;
                assert_eq!(lifts, !is_uppermost, "{gait:?} {}", course.way());
            }
        }
    }

    #[test]
    fn who_has_no_way_downhill_beside_a_wall_goes_level() {
        let config = MoverConfig::default();
        let up = Vector3::new(-0.471_567_15, -0.689_330_8, 0.549_952_2);
        let frame = Frame::new(Radii::new(0.4, 0.9), up, 0.01);
        let wish = Vector3::new(0.168_198, -0.386_848, -0.340_665);
        let mut course = Course::new(Gait::OnFoot, wish, &frame, &config);
        course.start_on(&Ground {
            normal: -Vector3::y(),
            object: ObjectId(1),
            feature: Feature::Corner,
        });
        let mut wall = stop([-1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]);
        wall.detail.feature = Feature::Face;
        // Downhill it leads into the wall again.
        assert!(course.meet(&wall) && course.way().dot(&wall.normal) < -0.1);
        assert!(course.meet(&wall) && course.way().dot(&wall.normal) > -1e-6);
        let corner = stop([0.576_246_4, -0.762_637_7, 0.293_809_24], [0.0, -1.0, 0.0]);
        assert!(course.meet(&corner));
        let way = course.way();
        assert!(way.norm() > 0.1 && way.dot(&wish) > 0.0, "{way}");
        assert!(way.dot(&wall.normal) > -1e-6 && way.dot(&corner.normal) > -1e-6);
    }

    #[test]
    fn who_falls_into_a_notch_is_not_thrown_out_of_it_by_pressing_on() {
        let config = MoverConfig::default();
        let up = Vector3::new(-0.471_567_15, -0.689_330_8, 0.549_952_2);
        let frame = Frame::new(Radii::new(0.5, 0.5), up, 0.01);
        let wish = Vector3::new(-0.594_305_6, 0.331_388_77, -0.148_835_02);
        let mut course = Course::new(Gait::Falling, wish, &frame, &config);
        let edges = [
            [0.0, -0.727_413_8, 0.686_199_07],
            [0.689_551_23, -0.724_236_97, 0.0],
        ];
        for normal in edges {
            assert!(course.meet(&stop(normal, [0.0, -1.0, 0.0])));
        }
        let mut corner = stop([0.686_041_65, 0.250_154_7, 0.683_205_37], [0.0, 0.0, 1.0]);
        corner.detail.is_uppermost = true;
        assert!(course.meet(&corner));
        // The crease of the last two leads all but straight up, and the first bears.
        let pressed = course.planes.project(wish);
        assert!(pressed.dot(&up) > 0.9 * pressed.norm(), "{pressed}");
        assert_eq!(course.way(), Vector3::zeros());
        // A jump is not stopped there.
        course.wish += up * 0.1;
        assert_ne!(course.way(), Vector3::zeros());
    }

    #[test]
    fn who_touches_a_ceiling_beside_an_edge_goes_level_over_what_leads_downhill() {
        let config = MoverConfig::default();
        let frame = Frame::new(Radii::new(0.4, 0.9), Vector3::x(), 0.01);
        let wish = Vector3::new(0.0, 0.650_217_7, -0.607_260_64);
        let mut course = Course::new(Gait::OnFoot, wish, &frame, &config);
        let slope = Vector3::new(0.852_731_8, 0.294_346_93, -0.431_518_67);
        course.start_on(&Ground {
            normal: slope,
            object: ObjectId(2),
            feature: Feature::Face,
        });
        let mut edge = stop([0.358_222_96, -0.933_636_07, 0.0], [1.0, 0.0, 0.0]);
        edge.detail.top = Some(0.0);
        for _ in 0..2 {
            assert!(course.way().x < 0.0);
            assert!(course.meet(&edge));
        }
        let mut ceiling = stop([-1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]);
        ceiling.detail.feature = Feature::Face;
        assert!(course.meet(&ceiling));
        let way = course.way();
        assert!(way.dot(&wish) > 0.3, "{way}");
        for normal in [slope, edge.normal, ceiling.normal] {
            assert!(way.dot(&normal) >= -1e-6, "{way} {normal}");
        }
    }

    #[test]
    fn who_is_stopped_downhill_between_a_wall_and_a_corner_goes_level() {
        let config = MoverConfig::default();
        let up = Vector3::new(-0.833_664_8, 0.501_657_25, -0.230_961_13);
        let frame = Frame::new(Radii::new(0.4, 0.9), up, 0.01);
        let wish = Vector3::new(-0.161_949_53, -0.124_050_31, 0.315_121_77);
        let mut course = Course::new(Gait::OnFoot, wish, &frame, &config);
        course.start_on(&Ground {
            normal: -Vector3::x(),
            object: ObjectId(1),
            feature: Feature::Corner,
        });
        let mut wall = stop([-4.916_24e-8, 0.0, -1.0], [0.0, 0.0, -1.0]);
        wall.detail.feature = Feature::Face;
        let mut corner = stop([-0.680_421_4, 0.279_930_3, 0.677_248_66], [-1.0, 0.0, 0.0]);
        corner.detail.top = Some(-0.582_836_15);
        for met in [&wall, &wall, &corner] {
            assert!(course.meet(met));
        }
        let way = course.way();
        assert!(way.dot(&wish) > 0.1 * wish.norm_squared(), "{way}");
        for normal in [wall.normal, corner.normal] {
            assert!(way.dot(&normal) >= -1e-6, "{way} {normal}");
        }
    }

    #[test]
    fn edge_that_both_its_faces_bring_is_met_but_once() {
        let config = MoverConfig::default();
        let frame = Frame::new(Radii::new(1.0, 1.0), Vector3::y(), 0.01);
        let (upper, lower) = (
            [-0.459_099_53, 0.869_934_74, -0.180_114_37],
            [0.645_107_03, -0.607_953_7, -0.462_848_96],
        );
        let wish = Vector3::new(-0.073_466_5, 0.0, 0.050_795_73);
        let mut course = Course::new(Gait::OnFoot, wish, &frame, &config);
        course.start_on(&Ground {
            normal: upper.into(),
            object: ObjectId(1),
            feature: Feature::Edge,
        });
        let met = stop([0.214_033_41, 0.422_407_98, -0.880_773_07], upper);
        assert!(course.meet(&met));
        assert!(course.way().dot(&met.normal) < -0.01);
        // As the other face has it, a rounding aside.
        let again = stop([0.214_033_44, 0.422_408_04, -0.880_773_07], lower);
        assert!(met.normal != again.normal && course.meet(&again));
        assert!(course.way().dot(&met.normal) > -1e-6);
        assert!(course.way().norm() > 0.03);
    }
}
