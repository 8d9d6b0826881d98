//! Every way of reading on every corpus.

use crate::{Criterion, long};
use criterion::Throughput;
use std::error::Error;
use std::path::Path;
use std::time::Duration;
use turnline::Profile;
use turnline_benches::corpus;
use turnline_benches::figures::seconds;
use turnline_benches::reader::{CHUNK, Reader};
use turnline_benches::table::Row;

/// Gives what was measured, of the corpora on which all readers were.
pub(crate) fn bench(criterion: &mut Criterion) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut corpora = corpus::generated(20_000_000);
    corpora.extend(corpus::recorded(Path::new(corpus::RECORDINGS)));
    corpora.extend(corpus::documented(Path::new(corpus::DOCUMENTED), 1 << 20));
    let mut rows = Vec::new();
    for corpus in corpora {
        let profile = Profile::builtin(corpus.executor)?;
        let mut row = Row { name: corpus.name, bytes: corpus.bytes.len(), seconds: Default::default() };
        let mut group = criterion.benchmark_group(&row.name);
        long(&mut group);
        group.throughput(Throughput::Bytes(row.bytes as u64));
        for reader in Reader::ALL {
            let times = &mut row.seconds[reader as usize];
            group.bench_function(reader.name(), |bencher| {
                bencher.iter_custom(|iterations| {
                    let each = seconds(iterations, || {
                        let _ = reader.read(&corpus.bytes, CHUNK, &profile);
                    });
                    times.push(each);
                    Duration::from_secs_f64(each * iterations as f64)
                });
            });
        }
        group.finish();
        if row.seconds.iter().all(|times| !times.is_empty()) {
            rows.push(row);
        }
    }
    Ok(rows)
}
