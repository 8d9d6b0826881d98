//! Notices and failures: what is worth showing, and which of it ends the run.

use super::{Own, named};
use crate::reference::failures::{Failure, add_failure, class_of, opened};
use crate::reference::field::{Here, cut};
use crate::reference::node::Node;
use crate::reference::pattern::{self, Kept};
use crate::reference::state::{State, fields};
use serde_json::Value;
use turnline::Severity;
use turnline::profile::{FailureEmit, Field, ListField, NoticeEmit, When};

impl State<'_> {
    /// The profile's notice that a message is: severity, code, what it keeps.
    fn noticed(&self, message: &str) -> Option<(Severity, Option<String>, Kept)> {
        self.spec.notices.iter().find_map(|notice| {
            let kept = pattern::captures(&notice.pattern, message, false)?;
            let severity = notice.severity.as_deref().and_then(Severity::from_name).unwrap_or(Severity::Warning);
            let retry = pattern::keeps_attempt(&notice.pattern).then(|| "retry".to_owned());
            Some((severity, notice.code.clone().or(retry), kept))
        })
    }

    pub(super) fn notice(&mut self, e: &NoticeEmit<Field, When, ListField>, here: Here<'_>) {
        let words = opened(&here.text(&e.message).unwrap_or_default(), self.options.limits.message);
        let known = self.noticed(&words);
        let severity = match &known {
            Some((severity, _, _)) => *severity,
            None => named!(here, &e.severity, Severity).unwrap_or_default(),
        };
        if severity == Severity::Error {
            self.last_error = Some(words);
        }
        let said = Kept {
            attempt: here.whole(&e.retry_attempt),
            max: here.whole(&e.retry_max),
            delay_ms: here.whole(&e.retry_delay_ms),
        };
        let (code, kept) = known.map_or((None, Kept::default()), |(_, code, kept)| (code, kept));
        let message = here.text(&e.message).unwrap_or_default();
        self.tell(severity, here.text(&e.code).or(code), message, if kept == Kept::default() { said } else { kept });
    }

    fn tell(&mut self, severity: Severity, code: Option<String>, message: String, retry: Kept) {
        self.notices += 1;
        let retry = (retry != Kept::default()).then(|| {
            let number = |value: Option<u64>| value.map(Value::from);
            Value::Object(fields([
                ("attempt", number(retry.attempt)),
                ("max", number(retry.max)),
                ("delay_ms", number(retry.delay_ms)),
            ]))
        });
        let all = fields([
            ("severity", Some(severity.as_str().into())),
            ("code", code.map(Value::from)),
            ("message", Some(message.into())),
            ("retry", retry),
        ]);
        self.event("notice", false, all);
    }

    pub(super) fn failure(&mut self, e: &FailureEmit<Field, When, ListField>, here: Here<'_>) {
        let label = cut(here.text(&e.label).unwrap_or_default(), self.options.limits.message);
        let mut message = self.detail(here, &e.message);
        let told_by_notice = self.spec.quirks.contains(&turnline::profile::Quirk::FailureToldByNotice);
        if message.is_empty() && told_by_notice {
            message = self.last_error.take().unwrap_or_default();
        }
        let code = Some(label.clone()).filter(|label| !label.is_empty());
        if let Some((severity, own, kept)) = self.noticed(&message) {
            self.tell(severity, own.or(code), message, kept);
            return;
        }
        if message.is_empty() {
            message = "no reason given".into();
        }
        let class = here.word(&e.class).filter(|class| turnline::ErrorClass::from_name(class).is_some());
        let class = class.unwrap_or_else(|| class_of(self.spec, &label, &message));
        if self.record.terminal {
            self.record.failed = true;
            self.record.error = Some((class.clone(), message.clone()));
        } else {
            self.tell(Severity::Error, code, message.clone(), Kept::default());
        }
        let until_first_turn = here.flag(&e.until_first_turn) && self.turns == 0;
        let turns = self.turns;
        let weak = here.flag(&e.weak);
        let failure = Failure { label, message, class, until_first_turn, weak, turns };
        add_failure(&mut self.failures, failure, self.options.limits.failures);
        if weak && self.record.terminal {
            self.record.error = self.told_of_turn().or(self.record.error.take());
        }
    }

    /// The words of a failure: the first alternative that has any.
    fn detail(&self, here: Here<'_>, field: &Own) -> String {
        let Some(known) = field else { return String::new() };
        let bound = self.options.limits.message;
        let translated = match known {
            Field::Mapped(mapped) => !mapped.map.is_empty() || mapped.default.is_some(),
            Field::Path(path) => path.starts_with('='),
            Field::Flag(_) => true,
            Field::Paths(_) => false,
        };
        if translated {
            return opened(&here.text(field).unwrap_or_default(), bound);
        }
        let told = here.alternatives(known).into_iter().map(|node: Node<'_>| opened(&node.word(), bound));
        told.into_iter().find(|words| !words.is_empty()).unwrap_or_default()
    }
}
