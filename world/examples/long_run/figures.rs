//! Memory, handles and times of the playing process, and the judgement that they do not grow.

use std::fmt::Write as _;

/// Age of a life from which on its samples count, in seconds: by then caches and the history are
/// full.
const WARM: f64 = 15.0;
/// Growth of memory allowed from the first third of the run to the last: a share, and kilobytes.
const GROWN: f64 = 1.1;
const GROWN_KB: f64 = 8_192.0;
/// Growth of the number of handles allowed.
const MORE_HANDLES: f64 = 2.0;

/// One look at the playing process.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample {
    /// Seconds since the run began.
    pub(crate) at: f64,
    /// The columns of [`Sample::HEAD`] behind the first.
    pub(crate) values: [f64; 10],
}

impl Sample {
    pub(crate) const HEAD: &str = "  at s   age s    edits   RSS KB handles file KB chunks \
                                   waiting  held tick us   p99 us";

    pub(crate) fn parse(words: &str) -> Option<Self> {
        let values: Vec<f64> = words
            .split(' ')
            .map_while(|word| word.parse().ok())
            .collect();
        let values = values.try_into().ok()?;
        Some(Sample { at: 0.0, values })
    }

    pub(crate) fn row(&self) -> String {
        let widths = [7, 8, 8, 7, 7, 6, 7, 5, 7, 8];
        let mut row = format!("{:>6.0}", self.at);
        for (value, width) in self.values.iter().zip(widths) {
            let _ = write!(row, " {value:>width$.0}");
        }
        row
    }

    fn age(&self) -> f64 {
        self.values[0]
    }

    fn memory(&self) -> f64 {
        self.values[2]
    }

    fn handles(&self) -> f64 {
        self.values[3]
    }
}

/// All samples of a run.
#[derive(Default)]
pub(crate) struct Figures {
    pub(crate) samples: Vec<Sample>,
}

fn median(samples: &[&Sample], of: fn(&Sample) -> f64) -> f64 {
    let mut values: Vec<f64> = samples.iter().map(|sample| of(sample)).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

impl Figures {
    /// Compares the first third of the run with the last.
    pub(crate) fn judge(&self, faults: &mut Vec<String>) {
        let warm = self.samples.iter().filter(|sample| sample.age() >= WARM);
        let warm: Vec<&Sample> = warm.collect();
        let third = warm.len() / 3;
        if third == 0 {
            println!("too short to judge memory: no life was older than {WARM} s for long");
            return;
        }
        let (first, last) = (&warm[..third], &warm[warm.len() - third..]);
        let memory = [first, last].map(|it| median(it, Sample::memory));
        let handles = [first, last].map(|it| median(it, Sample::handles));
        println!(
            "memory {:.0} KB at first, {:.0} KB at last; handles {:.0} and {:.0}",
            memory[0], memory[1], handles[0], handles[1]
        );
        if memory[1] > memory[0] * GROWN + GROWN_KB {
            faults.push(format!(
                "memory grew from {} to {} KB",
                memory[0], memory[1]
            ));
        }
        if handles[1] > handles[0] + MORE_HANDLES {
            faults.push(format!(
                "handles grew from {} to {}",
                handles[0], handles[1]
            ));
        }
    }

    pub(crate) fn csv(&self) -> String {
        let mut text =
            "at,age,edits,rss_kb,handles,file_kb,chunks,waiting,held,tick_us,p99_us\n".to_owned();
        for sample in &self.samples {
            let _ = write!(text, "{:.1}", sample.at);
            for value in sample.values {
                let _ = write!(text, ",{value}");
            }
            text.push('\n');
        }
        text
    }
}
