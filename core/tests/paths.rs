//! Keys of any kind can be named.

use turnline::{EventKind, Parser, Profile};

const HEAD: &str = "id = \"x\"\ncommand = \"x\"\n";

#[test]
fn a_bar_in_a_quoted_key_is_no_separator() {
    let profile = Profile::from_toml(&format!(
        "{HEAD}[[rules]]\nmatch = {{ \"\\\"a|b\\\"\" = 1 }}\nemit = [{{ event = \"message\", text = [\"x|\\\"y|z\\\".t\"] }}]\n"
    ))
    .expect("a profile");
    let mut parser = Parser::new(&profile);
    parser.push(b"{\"a|b\":1,\"y|z\":{\"t\":\"said\"}}\n");
    parser.eof();
    let mut said = Vec::new();
    while let Some(event) = parser.next_event() {
        if let EventKind::Message(message) = &event.kind {
            said.push(message.text.decode().into_owned());
        }
    }
    assert_eq!(said, ["said"]);
}
