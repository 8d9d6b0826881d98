//! All benchmarks, in one run; the table of ratios comes last. `cargo bench -p turnline-benches [-- FILTER]`.

mod corpora;
mod feeding;
mod starting;

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{BenchmarkGroup, SamplingMode};
use std::error::Error;
use std::io::{self, Write};
use std::time::Duration;
use turnline_benches::figures::own_time;
use turnline_benches::machine;
use turnline_benches::table::Ratios;

fn main() -> Result<(), Box<dyn Error>> {
    let mut criterion = criterion::Criterion::default().with_measurement(OwnTime).configure_from_args();
    feeding::bench(&mut criterion)?;
    starting::bench(&mut criterion)?;
    let rows = corpora::bench(&mut criterion)?;
    criterion.final_summary();
    if !rows.is_empty() {
        writeln!(io::stdout(), "\n{}\n{}", Ratios(&rows), machine::kind())?;
    }
    Ok(())
}

type Criterion = criterion::Criterion<OwnTime>;

/// Processor time instead of wall time: the figures hold while the machine does other things.
struct OwnTime;

impl Measurement for OwnTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        own_time()
    }

    fn end(&self, start: Duration) -> Duration {
        own_time() - start
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        WallTime.to_f64(value)
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

/// Settings for whole streams of many megabytes: few, long samples.
fn long(group: &mut BenchmarkGroup<'_, OwnTime>) {
    group
        .sampling_mode(SamplingMode::Flat)
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1500));
}
