//! Structs in memory shared with shaders, each with a list of its fields for comparison.

use bytemuck::{Pod, Zeroable};

/// The layout of a Rust struct that shaders read under the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedStruct {
    /// Name in both languages.
    pub name: &'static str,
    /// Size in bytes.
    pub size: usize,
    /// Name, offset and size of each field; names with a leading underscore are padding, implicit
    /// in WGSL.
    pub fields: &'static [(&'static str, usize, usize)],
}

macro_rules! shared {
    ($(
        $(#[$doc:meta])*
        struct $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
            #[repr(C)]
            pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }
        )*

        /// Returns the layouts of all shared structs.
        #[must_use]
        pub fn shared_structs() -> &'static [SharedStruct] {
            &[$(SharedStruct {
                name: stringify!($name),
                size: size_of::<$name>(),
                fields: &[$((
                    stringify!($field),
                    std::mem::offset_of!($name, $field),
                    size_of::<$type>(),
                )),*],
            }),*]
        }
    };
}

type Matrix = [[f32; 4]; 4];

shared! {
    /// The data of a picture that every pass reads.
    #[allow(missing_docs)]
    struct FrameUniform {
        view_projection: Matrix,
        inverse_view_projection: Matrix,
        cascades: [Matrix; 3],
        cascade_reach: [f32; 4],
        camera_cell: [i32; 3],
        time: f32,
        camera_offset: [f32; 3],
        near: f32,
        light_direction: [f32; 3],
        night: f32,
        light_color: [f32; 3],
        exposure: f32,
        sun_direction: [f32; 3],
        view_distance: f32,
        zenith: [f32; 3],
        fog: f32,
        horizon: [f32; 3],
        occlusion: f32,
        bounce: [f32; 3],
        detail: f32,
        light_origin: [i32; 3],
        light: u32,
        light_ready: [[u32; 4]; 2],
        war_origin: [i32; 2],
        war_size: [f32; 2],
        picture_size: [f32; 2],
        pixel: f32,
        war_tile: f32,
    }

    /// The place of a chunk.
    #[allow(missing_docs)]
    struct Brick {
        origin: [i32; 3],
        voxel: f32,
        offset: [f32; 3],
        part: u32,
    }

    /// The quads of one draw.
    #[allow(missing_docs)]
    struct Run {
        first: u32,
        brick: u32,
    }

    /// The look of a material.
    #[allow(missing_docs)]
    struct MaterialRow {
        color: [f32; 4],
        side: u32,
        top: u32,
        bottom: u32,
        look: u32,
        glow: f32,
        variation: f32,
        contrast: f32,
        under: f32,
        under_color: [f32; 4],
    }

    /// One ellipsoid.
    #[allow(missing_docs)]
    struct Body {
        position: [f32; 3],
        color: u32,
        radii: [f32; 3],
        kind: u32,
        turn: [f32; 4],
    }

    /// One cascade of the shadow map.
    #[allow(missing_docs)]
    struct Cascade {
        view_projection: Matrix,
    }

    /// The base of an overlay.
    #[allow(missing_docs)]
    struct Base {
        offset: [f32; 3],
        lift: f32,
    }

    /// A corner of a line or triangle; the colour is four bytes that become a `vec4<f32>`.
    #[allow(missing_docs)]
    struct OverlayVertex {
        position: [f32; 3],
        color: [u8; 4],
    }

    /// A corner of a model's triangle.
    #[allow(missing_docs)]
    struct ModelVertex {
        position: [f32; 3],
        normal: [f32; 3],
    }

    /// One model; the tint is four bytes that become a `vec4<f32>`.
    #[allow(missing_docs)]
    struct Model {
        place: [f32; 4],
        turn: [f32; 4],
        tint: [u8; 4],
    }

    /// One pass over the fog of war.
    #[allow(missing_docs)]
    struct WarBlur {
        axis: [i32; 2],
        cliff: f32,
        share: f32,
    }
}

macro_rules! offsets {
    ($($row:ident: $count:literal, $($field:ident)*;)*) => {
        $(impl $row {
            /// Offsets of its attributes by shader location.
            pub const OFFSETS: [u64; $count] = [$(std::mem::offset_of!(Self, $field) as u64),*];
        })*
    };
}

offsets! {
    Run: 2, first brick;
    Body: 5, position color radii kind turn;
    OverlayVertex: 2, position color;
}

impl ModelVertex {
    /// Offsets of its attributes by shader location.
    pub const OFFSETS: [u64; 2] = [
        std::mem::offset_of!(Self, position) as u64,
        std::mem::offset_of!(Self, normal) as u64,
    ];
}

impl Model {
    /// Shader location of its first attribute: it follows those of [`ModelVertex`].
    pub const FIRST_LOCATION: u32 = ModelVertex::OFFSETS.len() as u32;
    /// Offsets of its attributes by shader location, from the first on.
    pub const OFFSETS: [u64; 3] = [
        std::mem::offset_of!(Self, place) as u64,
        std::mem::offset_of!(Self, turn) as u64,
        std::mem::offset_of!(Self, tint) as u64,
    ];
}
