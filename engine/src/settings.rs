//! What a player may trade between looks and speed.

/// Shadows of the sun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShadowQuality {
    /// None at all.
    Off,
    /// Cascades of 1024 x 1024.
    Low,
    /// Cascades of 2048 x 2048.
    High,
}

/// How edges are smoothed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Antialiasing {
    /// One sample a pixel.
    Off,
    /// Four samples a pixel.
    Msaa4,
}

/// Graphics settings; every combination draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphicsSettings {
    /// Metres, 16 to 1,000. Fog hides the edge.
    pub view_distance: f32,
    /// Shadows of the sun.
    pub shadows: ShadowQuality,
    /// How edges are smoothed.
    pub antialiasing: Antialiasing,
    /// 0 draws no distance fog; 1 hides everything at the view distance.
    pub fog: f32,
    /// 0 draws no ambient occlusion; 1 all of it.
    pub occlusion: f32,
    /// Detail on surfaces, 0 for plain colours to 1.
    pub detail: f32,
    /// Exposure before tone mapping, in stops.
    pub exposure: f32,
    /// Light of lamps.
    pub lamps: Lamps,
    /// Wait for the display before showing a picture.
    pub presentation: Presentation,
}

/// Whether lamps shine on what is near them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lamps {
    /// Lamps glow but light nothing.
    Off,
    /// Lamps light what is near.
    On,
}

/// When a finished picture is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presentation {
    /// With the display: never torn.
    Synchronised,
    /// At once.
    Immediate,
}

impl GraphicsSettings {
    /// Limits of [`Self::view_distance`].
    pub const VIEW_DISTANCE: std::ops::RangeInclusive<f32> = 16.0..=1000.0;

    /// What a software driver can draw a few times a second.
    #[must_use]
    pub fn modest() -> Self {
        Self {
            view_distance: 128.0,
            shadows: ShadowQuality::Low,
            antialiasing: Antialiasing::Off,
            ..Self::default()
        }
    }

    /// The same with every number brought into its range; NaN becomes the default.
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
            fog: 1.0,
            occlusion: 1.0,
            detail: 1.0,
            exposure: 0.0,
            lamps: Lamps::On,
            presentation: Presentation::Synchronised,
        }
    }
}
