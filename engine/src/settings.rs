//! Graphics settings: quality against speed.

/// Shadows of the sun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShadowQuality {
    /// No shadows.
    Off,
    /// Cascades of 1024 x 1024 texels.
    Low,
    /// Cascades of 2048 x 2048 texels.
    High,
}

/// The smoothing of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Antialiasing {
    /// One sample per pixel.
    Off,
    /// Four samples per pixel.
    Msaa4,
}

/// Graphics settings; every combination is valid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphicsSettings {
    /// View distance in metres, 16 to 1,000. Fog hides its edge.
    pub view_distance: f32,
    /// Shadows of the sun.
    pub shadows: ShadowQuality,
    /// Smoothing of edges.
    pub antialiasing: Antialiasing,
    /// Pixels of the scene along a side over those of the picture, 0.5 to 1. Panels are always
    /// drawn in full.
    pub render_scale: f32,
    /// Distance fog: 0 is none; 1 hides everything at the view distance.
    pub fog: f32,
    /// Ambient occlusion, from 0 (none) to 1 (full).
    pub occlusion: f32,
    /// Surface detail, from 0 (plain colours) to 1.
    pub detail: f32,
    /// Exposure before tone mapping, in stops.
    pub exposure: f32,
    /// Lamp light.
    pub lamps: Lamps,
    /// Waiting for the display before showing a picture.
    pub presentation: Presentation,
}

/// The light of lamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lamps {
    /// Lamps glow but light nothing.
    Off,
    /// Lamps light their surroundings.
    On,
}

/// The time at which a finished picture is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presentation {
    /// In step with the display, without tearing.
    Synchronised,
    /// Immediately.
    Immediate,
}

impl GraphicsSettings {
    /// Limits of [`Self::view_distance`].
    pub const VIEW_DISTANCE: std::ops::RangeInclusive<f32> = 16.0..=1000.0;

    /// Limits of [`Self::render_scale`].
    pub const RENDER_SCALE: std::ops::RangeInclusive<f32> = 0.5..=1.0;

    /// Returns settings that a software driver can draw a few times a second.
    #[must_use]
    pub fn modest() -> Self {
        Self {
            view_distance: 128.0,
            shadows: ShadowQuality::Low,
            antialiasing: Antialiasing::Off,
            ..Self::default()
        }
    }

    /// Returns the settings with every number clamped into its range; NaN becomes the default.
    #[must_use]
    pub fn sanitised(mut self) -> Self {
        let default = Self::default();
        let clean = |value: f32, low: f32, high: f32, instead: f32| {
            if value.is_nan() {
                instead
            } else {
                value.clamp(low, high)
            }
        };
        self.view_distance = clean(
            self.view_distance,
            *Self::VIEW_DISTANCE.start(),
            *Self::VIEW_DISTANCE.end(),
            default.view_distance,
        );
        self.render_scale = clean(
            self.render_scale,
            *Self::RENDER_SCALE.start(),
            *Self::RENDER_SCALE.end(),
            default.render_scale,
        );
        self.fog = clean(self.fog, 0.0, 1.0, default.fog);
        self.occlusion = clean(self.occlusion, 0.0, 1.0, default.occlusion);
        self.detail = clean(self.detail, 0.0, 1.0, default.detail);
        self.exposure = clean(self.exposure, -4.0, 4.0, default.exposure);
        self
    }
}

impl Default for GraphicsSettings {
    fn default() -> Self {
        Self {
            view_distance: 256.0,
            shadows: ShadowQuality::High,
            antialiasing: Antialiasing::Msaa4,
            render_scale: 1.0,
            fog: 1.0,
            occlusion: 1.0,
            detail: 1.0,
            exposure: 0.0,
            lamps: Lamps::On,
            presentation: Presentation::Synchronised,
        }
    }
}
