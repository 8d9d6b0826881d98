//! Numbers as people read them.

/// Groups of three digits.
pub(super) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        let behind = digits.len() - at;
        if at > 0 && behind / 3 * 3 == behind {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with its noun: `1 turn`, `2 turns`.
pub(super) fn counted(value: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(value), if value == 1 { "" } else { "s" })
}

/// Dollars: cents for large amounts, four digits after the point for small ones, as many as needed for tiny ones.
pub(super) fn dollars(value: f64) -> String {
    if value == 0.0 {
        "$0".to_owned()
    } else if value.abs() >= 10.0 {
        format!("${value:.2}")
    } else if value.abs() >= 0.001 {
        format!("${value:.4}")
    } else {
        format!("${value:.7}")
    }
}

/// Milliseconds as a time.
pub(super) fn time(ms: f64) -> String {
    if ms < 1000.0 {
        format!("{ms:.0} ms")
    } else if ms < 60_000.0 {
        format!("{:.1} s", ms / 1000.0)
    } else {
        let seconds = (ms / 1000.0).round() as u64;
        format!("{} min {:02} s", count(seconds / 60), seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [0.0, 0.000_012_3, 0.0123, 1.5, 12.345].map(dollars),
            ["$0", "$0.0000123", "$0.0123", "$1.5000", "$12.35"]
        );
        assert_eq!([12.0, 1_500.0, 61_000.0].map(time), ["12 ms", "1.5 s", "1 min 01 s"]);
        assert_eq!((counted(1, "turn"), counted(2, "turn")), ("1 turn".to_owned(), "2 turns".to_owned()));
    }
}
