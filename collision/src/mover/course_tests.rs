//! Ways past contacts: gutters, notches, ceilings, rims.

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
fn walker_without_a_way_downhill_beside_a_wall_goes_level() {
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
    assert!(course.meet(&wall) && course.way().dot(&wall.normal) > -1e-6);
    let corner = stop([0.576_246_4, -0.762_637_7, 0.293_809_24], [0.0, -1.0, 0.0]);
    assert!(course.meet(&corner));
    let way = course.way();
    assert!(way.norm() > 0.1 && way.dot(&wish) > 0.0, "{way}");
    assert!(way.dot(&wall.normal) > -1e-6 && way.dot(&corner.normal) > -1e-6);
}

#[test]
fn walker_downhill_under_a_ceiling_and_beside_an_edge_goes_on() {
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
    assert!(course.way().x < 0.0);
    assert!(course.meet(&edge));
    let mut ceiling = stop([-1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]);
    ceiling.detail.feature = Feature::Face;
    assert!(course.meet(&ceiling));
    let way = course.way();
    assert!(way.dot(&wish) > 0.25 * wish.norm_squared(), "{way}");
    for normal in [slope, edge.normal, ceiling.normal] {
        assert!(way.dot(&normal) >= -1e-6, "{way} {normal}");
    }
}

#[test]
fn walker_stopped_downhill_between_a_wall_and_a_corner_goes_level() {
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
fn walker_led_aside_in_a_gutter_slides_down_it() {
    let config = MoverConfig::default();
    let up = Vector3::new(-0.409_095_4, -0.804_196_95, -0.431_170_7);
    let frame = Frame::new(Radii::new(0.3, 0.6), up, 0.01);
    let wish = Vector3::new(0.005_835_557_4, -0.033_274_073, 0.092_603_52);
    let mut course = Course::new(Gait::Falling, wish, &frame, &config);
    for normal in [[0.0, 0.0, -1.0], [0.0, -1.0, 0.0]] {
        let mut face = stop(normal, normal);
        face.detail.feature = Feature::Face;
        face.detail.is_uppermost = true;
        assert!(course.meet(&face));
    }
    // Along the wall it would go up, along both down, and neither on nor back.
    let level = wish - up * up.dot(&wish);
    let way = course.way();
    assert!(way.x > 0.01 && way.dot(&up) < 0.0, "{way}");
    assert!(way.dot(&level).abs() < 0.01 * way.norm() * level.norm());
}

#[test]
fn edge_of_a_ceiling_over_a_rim_is_no_wall() {
    let config = MoverConfig::default();
    let frame = Frame::new(Radii::new(0.5, 0.5), Vector3::y(), 0.01);
    let wish = Vector3::new(-0.465_417_4, 0.0, 0.262_019_13);
    let mut course = Course::new(Gait::OnFoot, wish, &frame, &config);
    let mut ceiling = stop([0.0, -0.999_999_46, -0.001_053_894_2], [0.0, 0.0, -1.0]);
    ceiling.detail.top = Some(1.0);
    let mut rim = stop([0.277_281_25, 0.960_788_8, 0.0], [0.0, 1.0, 0.0]);
    rim.detail.top = Some(0.0);
    for met in [&ceiling, &rim, &ceiling] {
        assert!(course.meet(met));
    }
    let way = course.way();
    assert!(way.dot(&wish) > 0.1 * wish.norm_squared(), "{way}");
    for normal in [ceiling.normal, rim.normal] {
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
    // This is the contact of the other face, equal but for rounding.
    let again = stop([0.214_033_44, 0.422_408_04, -0.880_773_07], lower);
    assert!(met.normal != again.normal && course.meet(&again));
    assert!(course.way().dot(&met.normal) > -1e-6);
    assert!(course.way().norm() > 0.03);
}

#[test]
fn walker_downhill_beside_a_nearly_upright_edge_follows_it() {
    let config = MoverConfig::default();
    let up = Vector3::new(-0.621_350_65, 0.689_943_7, -0.371_350_32);
    let frame = Frame::new(Radii::new(0.4, 0.9), up, 0.01);
    let wish = Vector3::new(0.086_422_95, -0.028_296, -0.197_176_62);
    let mut course = Course::new(Gait::OnFoot, wish, &frame, &config);
    course.start_on(&Ground {
        normal: Vector3::y(),
        object: ObjectId(1),
        feature: Feature::Face,
    });
    let edge = stop([9.08e-9, 0.474_046_23, 0.880_499_96], [0.0, 1.0, 0.0]);
    assert!(edge.normal.dot(&up) > 0.0);
    // The edge is a wall on the level; the floor leads down along it and slightly into it.
    assert!(course.meet(&edge));
    let way = course.way();
    assert!(way.dot(&wish) > 0.1 * wish.norm_squared(), "{way}");
    for normal in [edge.normal, Vector3::y()] {
        assert!(way.dot(&normal) >= 0.0, "{way} {normal}");
    }
}

#[test]
fn walker_between_two_parallel_edges_follows_them() {
    let config = MoverConfig::default();
    let up = Vector3::new(-0.001_682_403_4, -0.654_341_76, -0.756_197_1);
    let frame = Frame::new(Radii::new(0.4, 0.9), up, 0.01);
    let wish = Vector3::new(-0.787_363_47, 0.035_558_425, -0.029_017_169);
    let mut course = Course::new(Gait::OnFoot, wish, &frame, &config);
    course.start_on(&Ground {
        normal: -Vector3::y(),
        object: ObjectId(0),
        feature: Feature::Edge,
    });
    let lower = stop([1.06e-8, -0.894_347_3, 0.447_373_36], [0.0, -1.0, 0.0]);
    let upper = stop([-2.24e-8, 0.820_349_1, -0.571_863_1], [0.0, 0.0, -1.0]);
    assert!(lower.normal.dot(&up) > 0.2 && upper.normal.dot(&up) < -0.1);
    // As upright walls the two leave but a cleft: the way along both is not quite level.
    for met in [&lower, &upper, &upper, &lower, &upper] {
        assert!(course.meet(met));
    }
    let way = course.way();
    assert!(way.dot(&wish) > 0.5 * wish.norm_squared(), "{way}");
    for normal in [lower.normal, upper.normal, -Vector3::y()] {
        assert!(way.dot(&normal) >= -1e-6, "{way} {normal}");
    }
}
