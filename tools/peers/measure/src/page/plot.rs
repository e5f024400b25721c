//! Plots of the page, as SVG: bars for one figure, lines against the number of characters. Scales
//! are logarithmic.

use super::table::{figure, plain};
use crate::row::Row;
use std::fmt::Write;

const COLOURS: [&str; 12] = [
    "#1a7f4b", "#6fbf8b", "#8a8f99", "#c77d0a", "#e3a84d", "#7b5cc4", "#c2402f", "#2f6fc2",
    "#0f9aa8", "#b3478f", "#5b6472", "#9c8b2b",
];

/// A logarithmic scale from one power of ten to another.
struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn over(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Self {
        let positive = values.filter(|value| *value > 0.0);
        let least = positive.clone().fold(f64::INFINITY, f64::min);
        let most = positive.fold(0.0, f64::max);
        let (low, high) = if most > 0.0 {
            (least.log10().floor(), most.log10().ceil())
        } else {
            (0.0, 1.0)
        };
        Self {
            low,
            high: high.max(low + 1.0),
            from,
            to,
        }
    }

    fn at(&self, value: f64) -> f64 {
        let value = value.max(10f64.powf(self.low));
        let share = (value.log10() - self.low) / (self.high - self.low);
        self.from + share * (self.to - self.from)
    }

    fn powers(&self) -> impl Iterator<Item = f64> {
        (self.low as i32..=self.high as i32).map(|power| 10f64.powi(power))
    }
}

fn open(width: f64, height: f64, title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         font-family=\"system-ui,sans-serif\" \
         font-size=\"12\"><text x=\"12\" y=\"20\" font-size=\"14\" font-weight=\"600\">{}</text>",
        plain(title)
    )
}

/// Draws a bar for each peer.
pub fn bars(name: &str, rows: &[&Row]) -> String {
    const LINE: f64 = 22.0;
    let (left, right, width) = (170.0, 520.0, 600.0);
    let height = 50.0 + rows.len() as f64 * LINE + 14.0;
    let unit = rows.first().map_or("", |row| row.unit.as_str());
    let scale = Scale::over(rows.iter().map(|row| row.median), left, right);
    let mut svg = open(width, height, &format!("{name}, {unit}"));
    for power in scale.powers() {
        let x = scale.at(power);
        let _ = write!(
            svg,
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"42\" y2=\"{:.1}\" stroke=\"#e3e7ee\"/>\
             <text x=\"{x:.1}\" y=\"38\" text-anchor=\"middle\" fill=\"#8a8f99\">{power}</text>",
            height - 10.0
        );
    }
    for (index, row) in rows.iter().enumerate() {
        let y = 48.0 + index as f64 * LINE;
        let colour = COLOURS[if row.peer == "ours" { 0 } else { 10 }];
        let end = scale.at(row.median).max(left + 2.0);
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{left}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"15\" fill=\"{colour}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            left - 8.0,
            y + 12.0,
            plain(&row.peer),
            end - left,
            end + 6.0,
            y + 12.0,
            figure(row.median)
        );
    }
    svg + "</svg>"
}

/// Draws a line for each peer over the numbers of characters of a scene such as `crowd.walk.1m`.
pub fn lines(scene: &str, rows: &[Row]) -> String {
    let of_scene: Vec<(&Row, f64)> = rows
        .iter()
        .filter_map(|row| {
            let count = row.name.strip_prefix(scene)?.strip_prefix('.')?;
            Some((row, count.parse().ok()?))
        })
        .collect();
    let mut peers: Vec<&str> = Vec::new();
    for (row, _) in &of_scene {
        if !peers.contains(&row.peer.as_str()) {
            peers.push(&row.peer);
        }
    }
    let (width, height) = (580.0, 330.0);
    let across = Scale::over(of_scene.iter().map(|(_, count)| *count), 50.0, 360.0);
    let up = Scale::over(
        of_scene.iter().map(|(row, _)| row.median),
        height - 40.0,
        40.0,
    );
    let mut svg = open(width, height, &format!("{scene}, us a character and tick"));
    for power in across.powers() {
        let x = across.at(power);
        let _ = write!(
            svg,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#8a8f99\">{power}</text>",
            height - 18.0
        );
    }
    for power in up.powers() {
        let y = up.at(power);
        let _ = write!(
            svg,
            "<line x1=\"50\" x2=\"360\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#e3e7ee\"/>\
             <text x=\"44\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#8a8f99\">{power}</text>",
            y + 4.0
        );
    }
    for (index, peer) in peers.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let points: Vec<[f64; 2]> = of_scene
            .iter()
            .filter(|(row, _)| row.peer == *peer)
            .map(|(row, count)| [across.at(*count), up.at(row.median)])
            .collect();
        let path: Vec<String> = points
            .iter()
            .map(|[x, y]| format!("{x:.1},{y:.1}"))
            .collect();
        let thick = if *peer == "ours" { 3 } else { 2 };
        let _ = write!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{thick}\"/>",
            path.join(" ")
        );
        for [x, y] in points {
            let _ = write!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"/>"
            );
        }
        let y = 52.0 + index as f64 * 20.0;
        let _ = write!(
            svg,
            "<rect x=\"384\" y=\"{:.1}\" width=\"12\" height=\"12\" fill=\"{colour}\"/><text \
             x=\"402\" y=\"{y:.1}\">{}</text>",
            y - 10.5,
            plain(peer)
        );
    }
    svg + "</svg>"
}
