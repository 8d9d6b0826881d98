//! Sentences about names that do not exist.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Characters of a name, or of a text, that are quoted.
const SHOWN: usize = 60;

/// A value that is none of a fixed set of names.
pub(crate) fn none_of(name: &str, known: &[&str]) -> String {
    format!("`{}` is not one of: {}{}", shown(name), known.join(", "), meant(name, known))
}

/// A key that a table does not have.
pub(crate) fn no_key(name: &str, known: &[&str]) -> String {
    format!("there is no key `{}` here; there are: {}{}", shown(name), known.join(", "), meant(name, known))
}

/// A text in quotes, cut where it is long.
pub(crate) fn quoted(text: &str) -> String {
    format!("{:?}", shown(text))
}

fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

fn meant(name: &str, known: &[&str]) -> String {
    nearest(name, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

/// The known name that a slip of the hand away may have been meant; none where nothing is near.
pub(crate) fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let name: Vec<char> = name.chars().take(SHOWN).map(|c| c.to_ascii_lowercase()).collect();
    let near = known.iter().map(|known| (distance(&name, &known.chars().collect::<Vec<_>>()), *known));
    let (distance, near) = near.min_by_key(|(distance, _)| *distance)?;
    let bound = (name.len().max(near.chars().count()) / 3).max(1);
    (distance <= bound).then_some(near)
}

/// How many characters were left out, added, exchanged or swapped with their neighbour. The crates that measure this need
/// the standard library, which this one does without.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut row = alloc::vec![i + 1];
        for (j, right) in b.iter().enumerate() {
            let mut least = (above[j] + usize::from(left != right)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i - 1] == *right && b[j - 1] == *left {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = core::mem::replace(&mut above, row);
    }
    above.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_hand_are_near_and_other_words_are_not() {
        const KNOWN: &[&str] = &["prefix", "present", "pattern", "is", "not"];
        let table = [
            ("prefx", Some("prefix")),
            ("Prefix", Some("prefix")),
            ("rpefix", Some("prefix")),
            ("presnet", Some("present")),
            ("iz", Some("is")),
            ("contains", None),
            ("", None),
        ];
        for (name, want) in table {
            assert_eq!(nearest(name, KNOWN), want, "{name}");
        }
        assert_eq!(nearest("x", &[]), None);
    }

    #[test]
    fn what_is_long_is_cut() {
        assert_eq!(quoted(&"é".repeat(61)), format!("\"{}…\"", "é".repeat(60)));
        assert_eq!(none_of("colour", &["color", "size"]), "`colour` is not one of: color, size; did you mean `color`?");
    }
}
