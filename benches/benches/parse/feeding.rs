//! What the size of chunks and of lines costs.

use crate::{Criterion, long};
use criterion::{BenchmarkId, Throughput};
use std::error::Error;
use turnline::Profile;
use turnline_benches::corpus;
use turnline_benches::facts::{CHUNKS, TINY_LINES};
use turnline_benches::reader::{CHUNK, Reader};

pub(crate) fn bench(criterion: &mut Criterion) -> Result<(), Box<dyn Error>> {
    let claude = Profile::builtin("claude-code")?;
    let codex = Profile::builtin("codex")?;

    let stream = corpus::claude(20_000_000);
    let mut group = criterion.benchmark_group("chunks");
    long(&mut group);
    group.throughput(Throughput::Bytes(stream.len() as u64));
    for (name, size) in CHUNKS {
        let size = if size == 0 { stream.len() } else { size };
        group.bench_with_input(BenchmarkId::from_parameter(name), &size, |bencher, size| {
            bencher.iter(|| Reader::Lazy.read(&stream, *size, &claude));
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("lines");
    long(&mut group);
    for (name, stream) in [("one of 16 MiB", corpus::huge_line()), ("the same in 1 kB", corpus::small_lines())] {
        group.throughput(Throughput::Bytes(stream.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(|| Reader::Lazy.read(&stream, 4 << 10, &claude)));
    }
    for (name, stream) in [
        ("a million tiny messages", corpus::tiny_messages(TINY_LINES)),
        ("a million tiny unmapped records", corpus::tiny_unmapped(TINY_LINES)),
    ] {
        group.throughput(Throughput::Bytes(stream.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(|| Reader::Lazy.read(&stream, CHUNK, &codex)));
    }
    group.finish();
    Ok(())
}
