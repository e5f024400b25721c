//! All kinds of features between cells, in the orders in which they are found: which one it is costs a look into a table.

use collision::CellFeature;

/// Kinds of features by their signs.
const fn kinds<const N: usize>(signs: [[i8; 3]; N]) -> [CellFeature; N] {
    let mut kinds = [CellFeature::of_signs([0; 3]); N];
    let mut number = 0;
    while number < N {
        kinds[number] = CellFeature::of_signs(signs[number]);
        number += 1;
    }
    kinds
}

/// Faces by axis, then by side: seen from its positive side, from its negative.
pub(super) const FACES: [CellFeature; 6] = kinds([
    [1, 0, 0],
    [-1, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
    [0, 0, 1],
    [0, 0, -1],
]);

/// Edges by the axis along them, then by the sides on the second axis after it and on the next, which changes first.
pub(super) const EDGES: [CellFeature; 12] = kinds([
    [0, 1, 1],
    [0, -1, 1],
    [0, 1, -1],
    [0, -1, -1],
    [1, 0, 1],
    [1, 0, -1],
    [-1, 0, 1],
    [-1, 0, -1],
    [1, 1, 0],
    [-1, 1, 0],
    [1, -1, 0],
    [-1, -1, 0],
]);

/// Corners by the sides on x, z and y, which changes first.
pub(super) const CORNERS: [CellFeature; 8] = kinds([
    [1, 1, 1],
    [1, -1, 1],
    [1, 1, -1],
    [1, -1, -1],
    [-1, 1, 1],
    [-1, -1, 1],
    [-1, 1, -1],
    [-1, -1, -1],
]);
