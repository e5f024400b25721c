//! A furnished house: rooms, doors, tables, chairs, shelves, rugs, columns, panels and a stair.

use super::{Turn, WalkedMesh, add_box, add_column};
use crate::Random;
use collision::obj::ObjMesh;
use nalgebra::Point3;

/// Side of a room, in metres.
const ROOM: f64 = 5.0;
/// Rooms along x and z.
const ROOMS: [i32; 2] = [4, 2];
const HEIGHT: f64 = 3.0;
/// Half the thickness of a wall.
const WALL: f64 = 0.1;
const DOOR: [f64; 2] = [1.1, 2.1];
const SEED: u64 = 41;

/// Makes eight rooms of 5 x 5 m with their furniture, in some 4,000 triangles.
#[must_use]
pub fn interior() -> WalkedMesh {
    let mut house = House {
        mesh: ObjMesh::default(),
        random: Random::new(SEED),
        taken: Vec::new(),
    };
    house.shell();
    for x in 0..ROOMS[0] {
        for z in 0..ROOMS[1] {
            house.walls(x, z);
            house.furnish(x, z);
        }
    }
    let starts = house.starts();
    WalkedMesh {
        mesh: house.mesh,
        starts,
    }
}

/// A circle on the floor that is taken.
struct Taken {
    at: [f64; 2],
    radius: f64,
}

struct House {
    mesh: ObjMesh,
    random: Random,
    taken: Vec<Taken>,
}

impl House {
    fn block(&mut self, low: [f64; 3], high: [f64; 3]) {
        self.turned(Point3::origin(), Turn::NONE, low, high);
    }

    fn turned(&mut self, at: Point3<f64>, turn: Turn, low: [f64; 3], high: [f64; 3]) {
        add_box(&mut self.mesh, at, turn, low.into(), high.into());
    }

    /// Adds floor, ceiling and outer walls.
    fn shell(&mut self) {
        let [x, z] = ROOMS.map(|rooms| f64::from(rooms) * ROOM);
        self.block([0.0, -0.3, 0.0], [x, 0.0, z]);
        self.block([0.0, HEIGHT, 0.0], [x, HEIGHT + 0.3, z]);
        self.block([-0.3, 0.0, 0.0], [0.0, HEIGHT, z]);
        self.block([x, 0.0, 0.0], [x + 0.3, HEIGHT, z]);
        self.block([0.0, 0.0, -0.3], [x, HEIGHT, 0.0]);
        self.block([0.0, 0.0, z], [x, HEIGHT, z + 0.3]);
    }

    /// Adds the walls to the next rooms along x and z, each with an open door.
    fn walls(&mut self, x: i32, z: i32) {
        let low = [x, z].map(|room| f64::from(room) * ROOM);
        for axis in 0..2 {
            if [x, z][axis] + 1 == ROOMS[axis] {
                continue;
            }
            let at = low[axis] + ROOM;
            let begin = low[1 - axis] + self.random.between(1.0, ROOM - 1.0 - DOOR[0]);
            let end = begin + DOOR[0];
            let mut part = |from: f64, to: f64, foot: f64, head: f64| {
                let mut corners = [[at - WALL, foot, from], [at + WALL, head, to]];
                if axis == 1 {
                    corners = corners.map(|[x, y, z]| [z, y, x]);
                }
                self.block(corners[0], corners[1]);
            };
            part(low[1 - axis], begin, 0.0, HEIGHT);
            part(end, low[1 - axis] + ROOM, 0.0, HEIGHT);
            part(begin, end, DOOR[1], HEIGHT);
            let mut hinge = [at, 0.0];
            hinge[1] = begin;
            let mut middle = [at, 0.5 * (begin + end)];
            if axis == 1 {
                (hinge, middle) = ([hinge[1], hinge[0]], [middle[1], middle[0]]);
            }
            self.leaf(hinge, axis);
            self.taken.push(Taken {
                at: middle,
                radius: 0.9,
            });
        }
    }

    /// Adds a leaf of a door, opened by a random angle.
    fn leaf(&mut self, [x, z]: [f64; 2], axis: usize) {
        let open = Turn::of(self.random.between(-0.2, 0.2));
        let out = WALL + 0.03;
        let at = Point3::new(x, 0.0, z);
        if axis == 0 {
            let corners = [[out, 0.01, -0.05], [out + 0.95, 2.05, 0.0]];
            self.turned(at, open, corners[0], corners[1]);
        } else {
            let corners = [[-0.05, 0.01, out], [0.0, 2.05, out + 0.95]];
            self.turned(at, open, corners[0], corners[1]);
        }
    }

    /// Puts furniture into a room.
    fn furnish(&mut self, x: i32, z: i32) {
        let low = [x, z].map(|room| f64::from(room) * ROOM);
        self.panels(low);
        if (x, z) == (0, 0) {
            self.stair(low);
        }
        self.rug(low);
        let table = self.place(low, 1.0);
        self.table(table);
        for side in [-1.0, 1.0] {
            self.chair(table, side);
        }
        let shelf = self.place(low, 0.7);
        self.shelf(shelf);
        let [x, z] = self.place(low, 0.35);
        add_column(&mut self.mesh, Point3::new(x, 0.0, z), 0.25, HEIGHT, 12);
    }

    /// Returns a free place in a room.
    fn place(&mut self, low: [f64; 2], radius: f64) -> [f64; 2] {
        let margin = radius + 0.3;
        let mut at = low;
        for _ in 0..200 {
            at = low.map(|low| low + self.random.between(margin, ROOM - margin));
            if self.is_free(at, radius) {
                break;
            }
        }
        self.taken.push(Taken { at, radius });
        at
    }

    fn is_free(&self, at: [f64; 2], radius: f64) -> bool {
        self.taken.iter().all(|taken| {
            let (x, z) = (taken.at[0] - at[0], taken.at[1] - at[1]);
            x * x + z * z > (taken.radius + radius) * (taken.radius + radius)
        })
    }

    fn turn(&mut self) -> Turn {
        Turn::of(self.random.between(-0.4, 0.4))
    }

    fn table(&mut self, [x, z]: [f64; 2]) {
        let at = Point3::new(x, 0.0, z);
        self.turned(at, Turn::NONE, [-0.8, 0.7, -0.45], [0.8, 0.75, 0.45]);
        for (x, z) in [(-0.75, -0.4), (0.7, -0.4), (-0.75, 0.35), (0.7, 0.35)] {
            let (low, high) = ([x, 0.0, z], [x + 0.05, 0.7, z + 0.05]);
            self.turned(at, Turn::NONE, low, high);
        }
    }

    /// Adds a chair at a side of a table, pushed back and turned at random.
    fn chair(&mut self, [x, z]: [f64; 2], side: f64) {
        let shift = self.random.between(-0.3, 0.3);
        let at = Point3::new(x + shift, 0.0, z + side * 0.8);
        let turn = self.turn();
        self.turned(at, turn, [-0.22, 0.42, -0.22], [0.22, 0.46, 0.22]);
        let back = if side > 0.0 { 0.18 } else { -0.22 };
        self.turned(at, turn, [-0.22, 0.46, back], [0.22, 0.95, back + 0.04]);
        for (x, z) in [(-0.22, -0.22), (0.18, -0.22), (-0.22, 0.18), (0.18, 0.18)] {
            self.turned(at, turn, [x, 0.0, z], [x + 0.04, 0.42, z + 0.04]);
        }
    }

    /// Adds a shelf of two sides and four boards.
    fn shelf(&mut self, [x, z]: [f64; 2]) {
        let (at, turn) = (Point3::new(x, 0.0, z), self.turn());
        for side in [-0.55, 0.52] {
            self.turned(at, turn, [side, 0.0, -0.15], [side + 0.03, 1.8, 0.15]);
        }
        for board in 0..4 {
            let y = 0.1 + 0.5 * f64::from(board);
            self.turned(at, turn, [-0.52, y, -0.15], [0.52, y + 0.03, 0.15]);
        }
    }

    /// Adds a carpet of four strips, each on part of the one before.
    fn rug(&mut self, low: [f64; 2]) {
        let [x, z] = low.map(|low| low + self.random.between(1.5, ROOM - 1.5));
        let (at, turn) = (Point3::new(x, 0.0, z), self.turn());
        for strip in 0..4 {
            let (inset, y) = (0.12 * f64::from(strip), 0.006 * f64::from(strip));
            let (along, across) = (1.2 - inset, 0.8 - inset);
            let (low, high) = ([-along, y, -across], [along, y + 0.006, across]);
            self.turned(at, turn, low, high);
        }
    }

    /// Adds three panels on the low walls of a room.
    fn panels(&mut self, [x, z]: [f64; 2]) {
        for panel in 0..3 {
            let along = x + 0.3 + 1.6 * f64::from(panel);
            let face = z + WALL + 0.02 * f64::from(u8::from(z == 0.0));
            let inner = if z == 0.0 { z } else { z + WALL };
            self.block([along, 0.4, inner], [along + 1.2, 1.6, face + 0.02]);
        }
    }

    /// Adds ten steps up to a landing with posts.
    fn stair(&mut self, [x, z]: [f64; 2]) {
        let (x, z) = (x + 0.1, z + 3.4);
        for step in 0..10 {
            let from = x + 0.28 * f64::from(step);
            let top = 0.15 * f64::from(step + 1);
            self.block([from, top - 0.15, z], [from + 0.3, top, z + 1.4]);
        }
        let end = x + 2.8;
        self.block([end, 1.35, z], [end + 2.0, 1.5, z + 1.4]);
        for post in 0..5 {
            let at = end + 0.02 + 0.48 * f64::from(post);
            self.block([at, 0.0, z + 0.02], [at + 0.04, 2.4, z + 0.06]);
        }
        for at in [0.7, 2.1, 3.5, 4.4] {
            self.taken.push(Taken {
                at: [x + at, z + 0.7],
                radius: 0.9,
            });
        }
    }

    /// Places on the floor that nothing takes.
    fn starts(&self) -> Vec<Point3<f64>> {
        let mut starts = Vec::new();
        let [x, z] = ROOMS.map(|rooms| f64::from(rooms) * ROOM);
        let step = 0.45;
        let along = |end: f64| {
            (0..)
                .map(move |n| 0.7 + step * f64::from(n))
                .take_while(move |at| *at < end - 0.7)
        };
        for x in along(x) {
            for z in along(z) {
                let off = |at: f64| (at - (at / ROOM).round() * ROOM).abs() > 0.65;
                if off(x) && off(z) && self.is_free([x, z], 0.5) {
                    starts.push(Point3::new(x, 1.0, z));
                }
            }
        }
        starts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn house_is_as_large_as_it_says_and_has_room() {
        let WalkedMesh { mesh, starts } = interior();
        let count = mesh.triangles.len();
        assert!((3_500..4_500).contains(&count), "{count} triangles");
        assert!(starts.len() >= 50, "{} places", starts.len());
    }
}
