//! The actions that keys can be bound to, with the words that the panels of help and controls show.

use serde::{Deserialize, Serialize};

/// The part of the help page to which an action belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionGroup {
    /// Moving about.
    Move,
    /// Changing voxels.
    Carve,
    /// Characters, cannon and melee.
    Play,
    /// Panels, overlays and time.
    Show,
}

macro_rules! actions {
    ($($group:ident $name:ident $key:literal $words:literal;)*) => {
        /// An action of the player.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Action {
            $(#[doc = $words] $name,)*
        }

        impl Action {
            /// Every action, in the order of the help page.
            pub const ALL: &[Action] = &[$(Action::$name,)*];

            /// Returns its description in a few words.
            pub fn words(self) -> &'static str {
                match self { $(Action::$name => $words,)* }
            }

            /// Returns its part of the help page.
            pub fn group(self) -> ActionGroup {
                match self { $(Action::$name => ActionGroup::$group,)* }
            }

            /// Returns its default triggers, separated by spaces.
            pub(super) fn standard_triggers(self) -> &'static str {
                match self { $(Action::$name => $key,)* }
            }
        }
    };
}

actions! {
    Move Forward "KeyW ArrowUp" "Forward";
    Move Back "KeyS ArrowDown" "Back";
    Move Left "KeyA ArrowLeft" "Left";
    Move Right "KeyD ArrowRight" "Right";
    Move Up "Space PadSouth" "Jump, swim or fly up; twice: fly or walk";
    Move Down "KeyC PadEast" "Crouch, dive or fly down";
    Move Sprint "ShiftLeft PadLeftThumb" "Sprint, or boost when flying";
    Move SwitchWalk "KeyF PadNorth" "Fly or walk";
    Move SwitchView "KeyV PadSelect" "First or third person";
    Move Faster "BracketRight" "Fly faster (also the wheel when flying without a tool)";
    Move Slower "BracketLeft" "Fly slower";
    Move Spawn "Home" "Back to the start";
    Move Teleport "KeyT" "Teleport to what the pointer is on";

    Carve Use "MouseLeft PadRightTrigger" "Use the tool";
    Carve UseOther "MouseRight PadLeftTrigger" "Use the tool's other side: place";
    Carve PickMaterial "MouseMiddle KeyG PadWest" "Pick the material under the pointer";
    Carve Larger "WheelUp PadDPadUp Equal" "Larger brush";
    Carve Smaller "WheelDown PadDPadDown Minus" "Smaller brush";
    Carve NextBrush "KeyB PadDPadRight" "Next brush shape";
    Carve NextMode "KeyN PadDPadLeft" "Next brush mode";
    Carve Undo "Ctrl+KeyZ KeyU PadRightThumb" "Undo";
    Carve Redo "Ctrl+KeyY Ctrl+Shift+KeyZ KeyY" "Redo";
    Carve Copy "Ctrl+KeyC" "Copy a box: at one corner, then at the other";
    Carve Paste "Ctrl+KeyV" "Take the copy in hand, and put it down";
    Carve PlaceModel "Ctrl+Shift+KeyV" "Stand the copy up as a model, a quarter as large";
    Carve TakeModel "Delete" "Take the model under the pointer away";
    Carve TurnCopy "KeyJ" "Turn the copy (also the wheel)";
    Carve MirrorCopy "KeyH" "Mirror the copy";
    Carve Lamp "KeyL" "Place a lamp";
    Carve NextSlot "PadLeftShoulder" "Next of the hot-bar";
    Carve Slot1 "Digit1" "Hot-bar 1";
    Carve Slot2 "Digit2" "Hot-bar 2";
    Carve Slot3 "Digit3" "Hot-bar 3";
    Carve Slot4 "Digit4" "Hot-bar 4";
    Carve Slot5 "Digit5" "Hot-bar 5";
    Carve Slot6 "Digit6" "Hot-bar 6";
    Carve Slot7 "Digit7" "Hot-bar 7";
    Carve Slot8 "Digit8" "Hot-bar 8";
    Carve Slot9 "Digit9" "Hot-bar 9";

    Play ToolCarve "KeyZ" "Tool: carve and build";
    Play ToolCannon "KeyX" "Tool: cannon";
    Play ToolMelee "Backquote" "Tool: melee";
    Play ToolProps "KeyI" "Tool: props";
    Play ToolSelect "Digit0" "Tool: select a box";
    Play NextTool "Tab PadRightShoulder" "Next tool";
    Play Spin "KeyQ" "Melee: spin";
    Play Slam "Alt+KeyQ" "Melee: ground slam";
    Play CrowdMore "Period" "More walkers";
    Play CrowdFewer "Comma" "Fewer walkers";
    Play CrowdMood "KeyM" "Walkers wander, follow or rush";
    Play Platforms "KeyO" "Moving platforms on or off";
    Play FogOfWar "KeyR" "Fog of war on or off";
    Play ThrowPickup "Semicolon" "Throw a pick-up";
    Play Targets "KeyK" "Scatter new targets";

    Show Help "F1 PadStart" "Help";
    Show Screenshot "F2" "Screenshot";
    Show PanelMaterials "KeyE F3" "Materials panel";
    Show PanelBuild "Ctrl+KeyB" "Build panel";
    Show PanelShelf "Ctrl+KeyE" "Blueprints panel";
    Show PanelWorld "F4" "World panel";
    Show PanelShared "Enter" "Players, talk and shared worlds panel";
    Show PanelGraphics "F5" "Graphics panel";
    Show PanelCharacters "F6" "Characters panel";
    Show PanelGames "F12" "Cannon and fog of war panel";
    Show PanelRange "Ctrl+F12" "Range of the cannon";
    Show PanelControls "F7" "Controls panel";
    Show PanelOverlays "F8" "Overlays panel";
    Show PanelScenes "F9" "Scene viewer";
    Show Minimap "F10" "Minimap";
    Show OverlayFrame "Alt+Digit1" "Overlay: frame graph";
    Show OverlayMemory "Alt+Digit2" "Overlay: memory";
    Show OverlayChunks "Alt+Digit3" "Overlay: chunk boxes";
    Show OverlayTree "Alt+Digit4" "Overlay: KD-tree cells";
    Show OverlayQuads "Alt+Digit5" "Overlay: merged rectangles";
    Show OverlaySweep "Alt+Digit6" "Overlay: sweep frustum and candidates";
    Show OverlayContacts "Alt+Digit7" "Overlay: contact planes and slide path";
    Show OverlayGrid "Alt+Digit8" "Overlay: paged grid sectors";
    Show OverlayOverlaps "Alt+Digit9" "Overlay: overlapping characters";
    Show OverlayHits "Alt+Digit0" "Overlay: attack shapes";
    Show OverlayFog "Alt+KeyR" "Overlay: fog tiles";
    Show Freeze "KeyP Pause" "Freeze the simulation";
    Show Step "Slash" "One tick while frozen";
    Show SlowMotion "Backslash" "Slow motion";
    Show ReleasePointer "Escape MouseBack" "Menu, or close a panel";
    Show Fullscreen "F11" "The whole screen, or a window";
    Show NewDevice "Ctrl+F11" "Give the graphics device up and open it anew";
    Show Quit "Ctrl+KeyQ" "Save and quit";
}
