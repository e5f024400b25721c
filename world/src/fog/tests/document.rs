//! The oracle: the tiles that units see by the line tests as documented, tile by tile, in floating
//! point.

use std::collections::HashSet;

use super::super::{HeightField, LineTest, Unit};

type Tile = [i32; 2];

/// One unit and the map, queried about tiles relative to the unit.
struct View<'a> {
    heights: &'a HeightField,
    unit: &'a Unit,
}

impl View<'_> {
    fn height(&self, [x, z]: Tile) -> Option<i32> {
        self.heights
            .get([self.unit.tile[0] + x, self.unit.tile[1] + z])
    }

    fn is_obstacle(&self, tile: Tile) -> bool {
        tile != [0, 0]
            && self
                .height(tile)
                .is_some_and(|height| height > self.unit.eye)
    }

    /// Returns the tiles of the map within the circle.
    fn circle(&self) -> Vec<Tile> {
        let radius = self.unit.radius as i32;
        let mut tiles = Vec::new();
        for z in -radius..=radius {
            for x in -radius..=radius {
                let within = distance([x, z]) <= f64::from(radius);
                if within && self.height([x, z]).is_some() {
                    tiles.push([x, z]);
                }
            }
        }
        tiles
    }

    /// Returns the tiles in the circle that steps over sides of tiles reach without entering an
    /// obstacle.
    fn reached(&self) -> Vec<Tile> {
        let circle: HashSet<Tile> = self.circle().into_iter().collect();
        let mut seen = HashSet::from([[0, 0]]);
        let (mut reached, mut next) = (vec![[0, 0]], 0);
        while let Some(&[x, z]) = reached.get(next) {
            next += 1;
            for tile in [[x + 1, z], [x - 1, z], [x, z + 1], [x, z - 1]] {
                let enters = circle.contains(&tile) && !self.is_obstacle(tile);
                if enters && seen.insert(tile) {
                    reached.push(tile);
                }
            }
        }
        reached
    }
}

fn distance([x, z]: Tile) -> f64 {
    f64::from(x * x + z * z).sqrt()
}

/// Returns every tile that a unit sees.
pub(super) fn seen_tiles(heights: &HeightField, unit: &Unit, line_test: LineTest) -> Vec<Tile> {
    let view = View { heights, unit };
    if view.height([0, 0]).is_none() {
        return Vec::new();
    }
    let circle = view.circle();
    let low = circle
        .iter()
        .copied()
        .filter(|&tile| !view.is_obstacle(tile));
    let seen: Vec<Tile> = match line_test {
        LineTest::Directions => {
            let obstacles = by_distance(
                circle
                    .iter()
                    .copied()
                    .filter(|&tile| view.is_obstacle(tile)),
            );
            let reached: HashSet<Tile> = view.reached().into_iter().collect();
            low.filter(|tile| reached.contains(tile) && is_seen_by_directions(*tile, &obstacles))
                .collect()
        }
        LineTest::Stepping => low
            .filter(|&tile| !way_of(tile).into_iter().any(|step| view.is_obstacle(step)))
            .collect(),
        LineTest::Exact => low
            .filter(|&tile| {
                let mut squares = circle.iter().filter(|&&square| view.is_obstacle(square));
                !squares.any(|&square| meets_square(square, tile))
            })
            .collect(),
    };
    seen.into_iter()
        .map(|[x, z]| [unit.tile[0] + x, unit.tile[1] + z])
        .collect()
}

struct Obstacle {
    distance: f64,
    direction: [f64; 2],
}

fn by_distance(tiles: impl Iterator<Item = Tile>) -> Vec<Obstacle> {
    let mut obstacles: Vec<Obstacle> = tiles
        .map(|tile| Obstacle {
            distance: distance(tile),
            direction: tile.map(|at| f64::from(at) / distance(tile)),
        })
        .collect();
    obstacles.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    obstacles
}

fn is_seen_by_directions(tile: Tile, obstacles: &[Obstacle]) -> bool {
    let far = distance(tile);
    if obstacles
        .first()
        .is_none_or(|nearest| far < nearest.distance)
    {
        return true;
    }
    let direction = tile.map(|at| f64::from(at) / far);
    let nearer = obstacles
        .iter()
        .take_while(|obstacle| obstacle.distance < far);
    !nearer.into_iter().any(|obstacle| {
        let [x, z] = obstacle.direction;
        x * direction[0] + z * direction[1] > 0.9
    })
}

/// Returns the tiles between the unit and a tile, one axis at a time.
fn way_of([dx, dy]: Tile) -> Vec<Tile> {
    let (mut steps_x, mut steps_y, mut way) = (0, 0, Vec::new());
    let size = |steps: i32| f64::from(steps.abs());
    while (steps_x, steps_y) != (dx.abs(), dy.abs()) {
        let along_x = if dy == 0 {
            true
        } else if dx == 0 {
            false
        } else if dy.abs() >= dx.abs() {
            size(steps_x) / size(steps_y + 1) < size(dx) / size(dy)
        } else {
            size(steps_y) / size(steps_x + 1) >= size(dy) / size(dx)
        };
        steps_x += i32::from(along_x);
        steps_y += i32::from(!along_x);
        way.push([steps_x * dx.signum(), steps_y * dy.signum()]);
    }
    way.pop();
    way
}

/// Returns whether the line from the unit's middle to a tile's meets a closed square, clipped at
/// its sides.
fn meets_square(square: Tile, tile: Tile) -> bool {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for axis in 0..2 {
        let (low, high) = (f64::from(square[axis]) - 0.5, f64::from(square[axis]) + 0.5);
        let speed = f64::from(tile[axis]);
        if speed == 0.0 {
            if low > 0.0 || high < 0.0 {
                return false;
            }
            continue;
        }
        let (a, b) = (low / speed, high / speed);
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    enter <= leave + 1e-9
}
