//! From what a host says to the line that the executor reads.

use super::error::{InputError, InputErrorKind};
use super::said::{Answer, Part, UserTurn};
use super::shape::{Fills, Node, Slot, on_one_line, quoted};
use super::spec::InputSpec;
use crate::profile::Profile;
use crate::text::Json;
use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::Value;

/// The shapes of a profile, made ready.
#[derive(Clone, Debug, Default)]
pub(crate) struct Templates {
    list: Vec<(&'static str, Node)>,
}

impl Templates {
    /// Of a table that was checked.
    pub(crate) fn of(spec: &InputSpec) -> Self {
        Templates { list: spec.shapes().map(|(key, shape)| (key, Node::of(shape.as_value()))).collect() }
    }

    fn get(&self, key: &str) -> Option<&Node> {
        self.list.iter().find(|(own, _)| *own == key).map(|(_, node)| node)
    }
}

/// Makes the lines that an executor reads, by its profile. Each ends with a line end and has no other.
///
/// The `id` of a request is the host's own choice; no two of one run may be the same.
#[derive(Clone, Copy, Debug)]
pub struct Encoder<'p> {
    profile: &'p Profile,
    /// As messages name it.
    command: &'p str,
}

impl<'p> Encoder<'p> {
    /// An encoder for this executor.
    #[must_use]
    pub fn new(profile: &'p Profile) -> Self {
        Encoder { profile, command: profile.command() }
    }

    /// For a program other than the profile's own.
    pub(crate) fn named(profile: &'p Profile, command: &'p str) -> Self {
        Encoder { profile, command }
    }

    /// A turn of the user.
    ///
    /// # Errors
    ///
    /// The executor takes one prompt and no more; the turn says nothing; it has an image and the executor takes none.
    pub fn turn(&self, turn: &UserTurn) -> Result<Vec<u8>, InputError> {
        let shape = self.shape("turn")?;
        let blank = |part: &Part| match part {
            Part::Text(text) => text.trim().is_empty(),
            Part::Image { data, .. } => data.is_empty(),
        };
        if turn.parts.iter().all(blank) {
            return Err(self.error(InputErrorKind::Empty, "the turn is empty"));
        }
        if shape.has(Slot::Text) {
            let Some(text) = turn.as_text() else {
                return Err(self.error(InputErrorKind::Unsupported, "it takes text alone"));
            };
            return Ok(line(shape, &[(Slot::Text, quoted(&text).into())]));
        }
        let mut parts = String::from("[");
        for part in turn.parts.iter().filter(|part| !blank(part)) {
            if parts.len() > 1 {
                parts.push(',');
            }
            match part {
                Part::Text(text) => {
                    self.shape("text_part")?.write(&[(Slot::Text, quoted(text).into())], &mut parts);
                }
                Part::Image { media_type, data } => {
                    let fills = [(Slot::MediaType, quoted(media_type).into()), (Slot::Data, quoted(data).into())];
                    self.shape("image_part")?.write(&fills, &mut parts);
                }
            }
        }
        parts.push(']');
        Ok(line(shape, &[(Slot::Parts, parts.into())]))
    }

    /// Stops the turn that runs.
    ///
    /// # Errors
    ///
    /// The executor cannot be told that.
    pub fn interrupt(&self, id: &str) -> Result<Vec<u8>, InputError> {
        Ok(line(self.shape("interrupt")?, &[(Slot::Id, quoted(id).into())]))
    }

    /// Answers the request `id` of the executor. `asked` is the input that it asked for, which goes back as it is where the
    /// answer allows it unchanged.
    ///
    /// # Errors
    ///
    /// The executor takes no such answer.
    pub fn answer(&self, id: &str, answer: &Answer, asked: Option<&Json<'_>>) -> Result<Vec<u8>, InputError> {
        let mut fills: Vec<(Slot, Cow<'_, str>)> = Vec::from([(Slot::Id, quoted(id).into())]);
        let shape = match answer {
            Answer::Allow { input, permissions } => {
                let input = match (input, asked) {
                    (Some(changed), _) => Cow::Owned(changed.to_string()),
                    (None, Some(asked)) => Cow::Owned(on_one_line(&asked.as_str()).into_owned()),
                    (None, None) => Cow::Borrowed("{}"),
                };
                fills.push((Slot::Input, input));
                fills.extend(permissions.as_ref().map(|given| (Slot::Permissions, given.to_string().into())));
                self.shape("allow")?
            }
            Answer::Deny { message, interrupt } => {
                fills.push((Slot::Message, quoted(message).into()));
                fills.extend(interrupt.then_some((Slot::Interrupt, Cow::Borrowed("true"))));
                self.shape("deny")?
            }
            Answer::Reply(reply) => {
                fills.push((Slot::Reply, reply.to_string().into()));
                self.shape("reply")?
            }
        };
        if let Answer::Allow { permissions: Some(_), .. } = answer
            && !shape.has(Slot::Permissions)
        {
            return Err(self.error(InputErrorKind::Unsupported, "it takes no permissions for later"));
        }
        if let Answer::Allow { input: Some(_), .. } = answer
            && !shape.has(Slot::Input)
        {
            return Err(self.error(InputErrorKind::Unsupported, "it takes no changed input"));
        }
        if let Answer::Deny { interrupt: true, .. } = answer
            && !shape.has(Slot::Interrupt)
        {
            return Err(self.error(InputErrorKind::Unsupported, "it cannot deny and stop in one"));
        }
        Ok(line(shape, &fills))
    }

    /// Changes the model.
    ///
    /// # Errors
    ///
    /// The executor cannot be told that.
    pub fn set_model(&self, id: &str, model: &str) -> Result<Vec<u8>, InputError> {
        let fills = [(Slot::Id, quoted(id).into()), (Slot::Model, quoted(model).into())];
        Ok(line(self.shape("set_model")?, &fills))
    }

    /// Changes the permission mode, in the vendor's word.
    ///
    /// # Errors
    ///
    /// The executor cannot be told that.
    pub fn set_permission_mode(&self, id: &str, mode: &str) -> Result<Vec<u8>, InputError> {
        let fills = [(Slot::Id, quoted(id).into()), (Slot::Mode, quoted(mode).into())];
        Ok(line(self.shape("set_permission_mode")?, &fills))
    }

    /// Any other request, in the vendor's own terms.
    ///
    /// # Errors
    ///
    /// The executor takes no requests.
    pub fn request(&self, id: &str, request: &Value) -> Result<Vec<u8>, InputError> {
        let fills = [(Slot::Id, quoted(id).into()), (Slot::Request, request.to_string().into())];
        Ok(line(self.shape("request")?, &fills))
    }

    fn shape(&self, key: &'static str) -> Result<&'p Node, InputError> {
        let templates = self.profile.input();
        templates.get(key).ok_or_else(|| match templates.get("turn") {
            Some(_) => self.error(
                InputErrorKind::Unsupported,
                match key {
                    "image_part" => "it takes no images",
                    "interrupt" => "a turn of it cannot be stopped",
                    "allow" | "deny" => "it asks for no permissions",
                    "set_model" => "its model cannot be changed while it runs",
                    "set_permission_mode" => "it has no permission modes that can be changed while it runs",
                    "reply" => "it takes no other answers than allow and deny",
                    _ => "its profile does not say how",
                },
            ),
            None => self.error(InputErrorKind::NotInteractive, "it takes one prompt and no more"),
        })
    }

    fn error(&self, kind: InputErrorKind, why: &str) -> InputError {
        InputError::new(kind, self.command, why)
    }
}

fn line(shape: &Node, fills: &Fills<'_>) -> Vec<u8> {
    let mut out = String::new();
    shape.write(fills, &mut out);
    out.push('\n');
    out.into_bytes()
}
