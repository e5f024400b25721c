//! Settings saved as text by `serde` read back the same, and text from before a number was added
//! still reads.
#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used)]

use collision::Settings;

#[test]
fn settings_come_back_the_same() {
    let mut settings = Settings {
        air_control: 12.5,
        ..Settings::default()
    };
    settings.mover.air_step = 0.75;
    let text = serde_json::to_string(&settings).unwrap();
    assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings);
}

#[test]
fn a_number_that_was_not_there_yet_is_the_default() {
    let text = r#"{"gravity": 9.5, "mover": {"skin": 0.02}}"#;
    let read: Settings = serde_json::from_str(text).unwrap();
    let mut expected = Settings {
        gravity: 9.5,
        ..Settings::default()
    };
    expected.mover.skin = 0.02;
    assert_eq!(read, expected);
}
