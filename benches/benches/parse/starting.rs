//! What it costs before and around the first byte.

use crate::Criterion;
use criterion::Throughput;
use std::error::Error;
use std::hint::black_box;
use std::time::Duration;
use turnline::{Profile, catalogue};
use turnline_benches::corpus;
use turnline_benches::reader::{create, run};

pub(crate) fn bench(criterion: &mut Criterion) -> Result<(), Box<dyn Error>> {
    let mut group = criterion.benchmark_group("start");
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_millis(1500));
    for id in catalogue::ids() {
        let source = catalogue::source(id).ok_or("no such profile")?;
        group.bench_function(format!("compile {id}"), |bencher| {
            bencher.iter(|| Profile::from_toml(black_box(source)));
        });
    }
    let profile = Profile::builtin("claude-code")?;
    group.bench_function("parser", |bencher| bencher.iter(|| create(&profile)));

    let stream = corpus::run14();
    group.throughput(Throughput::Bytes(stream.len() as u64));
    group.bench_function("run of 14 lines", |bencher| bencher.iter(|| run(&stream, &profile)));
    group.finish();
    Ok(())
}
