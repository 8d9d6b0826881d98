//! Fields, conditions and iterations of a profile, evaluated as they are written.

use super::node::Node;
use super::pattern;
use turnline::Limits;
use turnline::profile::{Alternatives, Conditions, Field, Mapped, Matcher, Scalar, Switch, Test, ValueType, When};

/// Where a rule is in a record: at the record itself, or at an element of an iteration.
#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    root: Node<'a>,
    element: Node<'a>,
    key: Option<Node<'a>>,
    pub(super) block: u64,
}

/// A counter of a usage record.
pub(super) enum Counter {
    Absent,
    Unreadable,
    Value(u64),
}

impl<'a> Here<'a> {
    pub(super) fn record(root: Node<'a>) -> Self {
        Here { root, element: root, key: None, block: 0 }
    }

    pub(super) fn node(self) -> Node<'a> {
        self.element
    }

    /// The elements of an iteration: `path[]` over an array, `path{}` over an object.
    pub(super) fn each(self, of: &str) -> Vec<Here<'a>> {
        let (path, entries) = match (of.strip_suffix("[]"), of.strip_suffix("{}")) {
            (Some(path), _) => (path, false),
            (_, Some(path)) => (path, true),
            _ => return Vec::new(),
        };
        let Some(list) = self.value(path) else { return Vec::new() };
        if entries {
            let at = |(key, element)| Here { element, key: Some(key), ..self };
            return list.entries().into_iter().map(at).collect();
        }
        list.elements().into_iter().map(|element| Here { element, key: None, ..self }).collect()
    }

    /// The value at one path, null included.
    fn value(self, path: &str) -> Option<Node<'a>> {
        match path {
            "@" => return Some(self.element),
            "@key" => return self.key,
            "@block" => return None,
            _ => {}
        }
        let (mut node, keys) = match (path.strip_prefix("$."), path.strip_prefix("@.")) {
            (Some(rest), _) => (self.root, rest),
            (_, Some(rest)) => (self.element, rest),
            _ => (self.element, path),
        };
        for key in keys_of(keys) {
            node = node.get(&key)?;
        }
        Some(node)
    }

    /// The first alternative that says something, else the first that is there at all.
    fn pick(self, paths: &[String]) -> Option<Node<'a>> {
        let there: Vec<Node<'a>> =
            paths.iter().filter_map(|path| self.value(path)).filter(|node| !node.is_null()).collect();
        there.iter().find(|node| !node.is_blank()).or(there.first()).copied()
    }

    pub(super) fn picked(self, field: &Option<Field>) -> Option<Node<'a>> {
        self.pick(&paths(field.as_ref()?))
    }

    /// Each alternative that says something, by itself.
    pub(super) fn alternatives(self, field: &Field) -> Vec<Node<'a>> {
        let each = paths(field).into_iter().filter_map(|path| self.pick(&[path]));
        each.filter(|node| !node.is_blank()).collect()
    }

    pub(super) fn word(self, field: &Option<Field>) -> Option<String> {
        let field = field.as_ref()?;
        if let Some(literal) = literal(field) {
            return Some(literal);
        }
        let mapped = mapped(field);
        match self.pick(&paths(field)) {
            None => mapped?.missing.clone(),
            Some(node) => {
                let word = node.word();
                let map = mapped.and_then(|mapped| mapped.map.get(&word).or(mapped.default.as_ref()));
                Some(map.cloned().unwrap_or(word))
            }
        }
    }

    pub(super) fn text(self, field: &Option<Field>) -> Option<String> {
        let known = field.as_ref()?;
        if translates(known) {
            return self.word(field);
        }
        let missing = mapped(known).and_then(|mapped| mapped.missing.clone());
        self.pick(&paths(known)).map(Node::words).or(missing)
    }

    /// A text that identifies something: a string that is not empty, or a number; of a huge one its first characters.
    pub(super) fn id(self, field: &Option<Field>) -> Option<String> {
        let known = field.as_ref()?;
        let fits = |node: Node<'_>| node.is_string() || node.is_number();
        let given = mapped(known).is_some_and(|mapped| mapped.missing.is_some());
        if !translates(known) && !given && !self.pick(&paths(known)).is_some_and(fits) {
            return None;
        }
        let mut id = self.text(field).filter(|id| !id.is_empty())?;
        while id.len() > Limits::ID_BYTES {
            id.pop();
        }
        Some(id)
    }

    /// A value that says something and is neither `false` nor 0.
    pub(super) fn flag(self, field: &Option<Field>) -> bool {
        let Some(known) = field else { return false };
        if translates(known) || mapped(known).is_some_and(|mapped| mapped.missing.is_some()) {
            return self.word(field).as_deref() == Some("true");
        }
        self.pick(&paths(known)).is_some_and(|node| !node.is_blank() && node.0 != "false" && node.number() != Some(0.0))
    }

    pub(super) fn counter(self, field: &Option<Field>) -> Counter {
        let Some(node) = self.picked(field) else { return Counter::Absent };
        let Some(number) = node.number() else { return Counter::Unreadable };
        if let Ok(whole) = node.0.parse() {
            return Counter::Value(whole);
        }
        match number {
            // As far as a double counts exactly.
            n if (0.0..=9_007_199_254_740_992.0).contains(&n) && n.fract() == 0.0 => Counter::Value(n as u64),
            _ => Counter::Unreadable,
        }
    }

    pub(super) fn whole(self, field: &Option<Field>) -> Option<u64> {
        match self.counter(field) {
            Counter::Value(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn signed(self, field: &Option<Field>) -> Option<i64> {
        self.picked(field)?.word().parse().ok()
    }

    pub(super) fn number(self, field: &Option<Field>) -> Option<f64> {
        self.picked(field)?.number().filter(|number| number.is_finite())
    }

    pub(super) fn holds(self, conditions: &Conditions) -> bool {
        conditions.iter().all(|(path, matcher)| {
            let paths: Vec<String> = Alternatives::One(path.clone()).iter().map(str::to_owned).collect();
            self.matches(&paths, matcher)
        })
    }

    pub(super) fn when(self, when: Option<&When>) -> bool {
        when.is_none_or(|when| when.groups().iter().any(|group| self.holds(group)))
    }

    pub(super) fn switch(self, switch: &Option<Switch>) -> bool {
        match switch {
            None => false,
            Some(Switch::Flag(flag)) => *flag,
            Some(Switch::When(when)) => self.when(Some(when)),
        }
    }

    fn matches(self, paths: &[String], matcher: &Matcher) -> bool {
        let node = self.pick(paths);
        match matcher {
            Matcher::Is(scalar) => node.is_some_and(|node| equal(node, scalar)),
            Matcher::OneOf(scalars) => node.is_some_and(|node| scalars.iter().any(|scalar| equal(node, scalar))),
            Matcher::Test(test) => self.passes(paths, node, test),
        }
    }

    fn passes(self, paths: &[String], node: Option<Node<'a>>, test: &Test) -> bool {
        let text = node.and_then(Node::string);
        let null = || node.is_none() && paths.iter().any(|path| self.value(path).is_some_and(Node::is_null));
        test.prefix.as_ref().is_none_or(|prefix| text.as_ref().is_some_and(|text| text.starts_with(prefix)))
            && test
                .not
                .as_ref()
                .is_none_or(|not| !node.is_some_and(|node| not.as_slice().iter().any(|no| equal(node, no))))
            && test.present.is_none_or(|present| node.is_some() == present)
            && test.blank.is_none_or(|blank| node.is_none_or(Node::is_blank) == blank)
            && test.pattern.as_ref().is_none_or(|p| text.as_ref().is_some_and(|text| pattern::matches(p, text, false)))
            && test.is.is_none_or(|wanted| match wanted {
                ValueType::String => node.is_some_and(Node::is_string),
                ValueType::Number => node.is_some_and(Node::is_number),
                ValueType::Bool => node.is_some_and(Node::is_bool),
                ValueType::Array => node.is_some_and(Node::is_array),
                ValueType::Object => node.is_some_and(Node::is_object),
                _ => null(),
            })
    }
}

fn equal(node: Node<'_>, scalar: &Scalar) -> bool {
    match scalar {
        Scalar::Flag(flag) => node.0 == flag.to_string(),
        Scalar::Whole(number) => node.number() == Some(*number as f64),
        Scalar::Number(number) => node.number() == Some(*number),
        Scalar::Text(text) => node.string().as_ref() == Some(text),
    }
}

/// True where a field is the number of a block.
pub(super) fn is_block(field: &Option<Field>) -> bool {
    field.as_ref().is_some_and(|field| paths(field).first().is_some_and(|path| path == "@block"))
}

pub(super) fn literal(field: &Field) -> Option<String> {
    match field {
        Field::Flag(flag) => Some(flag.to_string()),
        Field::Path(text) => text.strip_prefix('=').map(str::to_owned),
        Field::Paths(_) | Field::Mapped(_) => None,
    }
}

pub(super) fn mapped(field: &Field) -> Option<&Mapped> {
    match field {
        Field::Mapped(mapped) => Some(mapped),
        _ => None,
    }
}

/// True where what is said is not simply what stands in the record.
fn translates(field: &Field) -> bool {
    literal(field).is_some() || mapped(field).is_some_and(|mapped| !mapped.map.is_empty() || mapped.default.is_some())
}

pub(super) fn paths(field: &Field) -> Vec<String> {
    let alternatives = match field {
        _ if literal(field).is_some() => return Vec::new(),
        Field::Flag(_) => return Vec::new(),
        Field::Path(path) => Alternatives::One(path.clone()),
        Field::Paths(paths) => Alternatives::Many(paths.clone()),
        Field::Mapped(mapped) => mapped.path.clone(),
    };
    alternatives.iter().map(str::to_owned).collect()
}

/// The keys of a path: separated by dots, in quotes where they hold one.
pub(super) fn keys_of(path: &str) -> Vec<String> {
    let mut keys = vec![String::new()];
    let mut chars = path.chars();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' if quoted => keys.last_mut().expect("there is one").extend(chars.next()),
            '.' if !quoted => keys.push(String::new()),
            c => keys.last_mut().expect("there is one").push(c),
        }
    }
    keys
}

/// Cuts a text to a number of bytes, not inside a character.
pub(super) fn cut(mut text: String, bytes: usize) -> String {
    while text.len() > bytes {
        text.pop();
    }
    text
}
