//! MagicaVoxel files: any bytes are refused, or give models that are written and read again alike.

use collision::Cell;
use nalgebra::Vector3;
use world::{Clipboard, Material, MaterialTable, VoxError, read_vox, write_vox};

use crate::Target;

/// The target.
pub const TARGET: Target = Target {
    name: "vox",
    check,
    seeds,
    longest: 8192,
};

/// Most voxels of a model that is written again.
const MOST_VOXELS: u64 = 1 << 18;

/// Reads bytes as a `.vox` file.
pub fn check(data: &[u8]) {
    let mut materials = MaterialTable::standard();
    let Ok(models) = read_vox(data, &mut materials) else {
        return;
    };
    for model in &models {
        let size = model.voxels.size();
        assert!(size.iter().all(|side| (1..=256).contains(side)), "{size}");
        assert!(
            model.at.iter().all(|part| part.abs() <= 1 << 30),
            "{}",
            model.at
        );
        let volume: u64 = size.iter().map(|&side| u64::from(side)).product();
        if volume <= MOST_VOXELS {
            check_again(&model.voxels, &materials);
        }
    }
}

/// Writes a model and reads it again.
fn check_again(voxels: &Clipboard, materials: &MaterialTable) {
    let bytes = match write_vox(voxels, materials) {
        Ok(bytes) => bytes,
        Err(VoxError::TooManyColours(_)) => return,
        Err(error) => panic!("not written: {error}"),
    };
    let mut again = materials.clone();
    let read = read_vox(&bytes, &mut again).expect("our own file is read");
    let [model] = &read[..] else {
        panic!("{} models of one", read.len());
    };
    let size = voxels.size();
    assert_eq!(model.voxels.size(), size);
    let colour = |clipboard: &Clipboard, table: &MaterialTable, at| {
        let material = clipboard.get(at);
        (material != Material::AIR).then(|| table.info(material).colour)
    };
    for index in 0..size.product() {
        let at = Vector3::new(
            index % size.x,
            index / size.x % size.y,
            index / (size.x * size.y),
        );
        let (wrote, found) = (
            colour(voxels, materials, at),
            colour(&model.voxels, &again, at),
        );
        assert_eq!(wrote, found, "{at}");
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let table = MaterialTable::standard();
    let model = |size: [u32; 3]| {
        Clipboard::from_fn(size.into(), |at| match at.sum() % 4 {
            0 => Material::STONE,
            1 => Material::GRASS,
            2 => Material::WATER,
            _ => Material::AIR,
        })
    };
    let mut seeds = Vec::new();
    for size in [[1, 1, 1], [3, 5, 2], [7, 4, 9], [257, 1, 2]] {
        let bytes = model(size).map(|model| write_vox(&model, &table));
        seeds.extend(bytes.into_iter().flatten());
    }
    seeds.push(shared());
    seeds
}

/// Writes a file by hand: groups within groups that share a turned model.
fn shared() -> Vec<u8> {
    let mut chunks = Vec::new();
    let mut put = |id: &[u8; 4], content: &[u8]| {
        chunks.extend_from_slice(id);
        chunks.extend_from_slice(&(content.len() as u32).to_le_bytes());
        chunks.extend_from_slice(&[0; 4]);
        chunks.extend_from_slice(content);
    };
    let words =
        |words: &[i32]| -> Vec<u8> { words.iter().flat_map(|word| word.to_le_bytes()).collect() };
    put(b"SIZE", &words(&[2, 3, 4]));
    put(
        b"XYZI",
        &[words(&[2]), vec![0, 0, 0, 1, 1, 2, 3, 200]].concat(),
    );
    let turned = [
        words(&[0, 0, 1, -1, 0, 1, 2, 2]),
        b"_r".to_vec(),
        words(&[2]),
        b"17".to_vec(),
    ];
    let moved = [
        words(&[2]),
        b"_t".to_vec(),
        words(&[7]),
        b"5 -9 40".to_vec(),
    ];
    put(b"nTRN", &[turned.concat(), moved.concat()].concat());
    put(b"nGRP", &words(&[1, 0, 3, 2, 2, 3]));
    put(b"nSHP", &words(&[2, 0, 1, 0, 0]));
    put(b"nGRP", &words(&[3, 0, 2, 2, 2]));
    put(b"RGBA", &[9, 8, 7, 255].repeat(256));
    put(b"note", &Cell::zeros().x.to_le_bytes());
    let mut file = b"VOX ".to_vec();
    file.extend_from_slice(&150_u32.to_le_bytes());
    file.extend_from_slice(b"MAIN");
    file.extend_from_slice(&[0; 4]);
    file.extend_from_slice(&(chunks.len() as u32).to_le_bytes());
    file.extend_from_slice(&chunks);
    file
}
