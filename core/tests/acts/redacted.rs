//! No secret is kept.

use super::only;

#[test]
fn secrets_are_taken_out() {
    let key = "a1B2c3D4e5F6g7H8i9J0";
    let cases = [
        ("GH_TOKEN=@@ git push", "GH_TOKEN=[redacted] git push"),
        ("GH_TOKEN='@@ x' git push", "GH_TOKEN=[redacted] git push"),
        ("MY_API_KEY=\"@@\" git push", "MY_API_KEY=[redacted] git push"),
        ("env npm_config_otp=@@ npm publish", "env npm_config_otp=[redacted] npm publish"),
        ("cargo publish --token @@", "cargo publish --token [redacted]"),
        ("cargo publish --token=@@ -p x", "cargo publish --token=[redacted] -p x"),
        ("npm publish --//registry.example/:_authToken=@@", "npm publish --//registry.example/:_authToken=[redacted]"),
        ("twine upload -u __token__ -p @@ dist/x.whl", "twine upload -u __token__ -p [redacted] dist/x.whl"),
        ("twine upload -p@@ dist/x.whl", "twine upload -p[redacted] dist/x.whl"),
        ("twine upload --password @@ dist/x.whl", "twine upload --password [redacted] dist/x.whl"),
        ("git push https://me:@@@example.org/r.git x", "git push https://[redacted]@example.org/r.git x"),
        ("git push https://@@@example.org/r.git x", "git push https://[redacted]@example.org/r.git x"),
        ("git push ssh://git@example.org/r.git x", "git push ssh://git@example.org/r.git x"),
        (
            "git -c http.extraHeader=\"Authorization: Basic @@\" push",
            "git -c http.extraHeader=\"Authorization: [redacted]\" push",
        ),
        ("git -c 'http.extraHeader=X-Auth-Token: @@' push", "git -c 'http.extraHeader=X-Auth-Token: [redacted]' push"),
        (
            "gh pr create -t x -b '{\"password\": \"@@\", \"a\": 1}'",
            "gh pr create -t x -b '{\"password\": [redacted], \"a\": 1}'",
        ),
        ("gh pr create -t x -b 'key is ghp_@@.'", "gh pr create -t x -b 'key is [redacted]'"),
        ("gh pr create -t x -b 'sk-@@'", "gh pr create -t x -b '[redacted]'"),
        ("gh pr create -t x -b 'AKIA@@'", "gh pr create -t x -b '[redacted]'"),
        (
            "gh pr create -t x -b '-----BEGIN PRIVATE KEY-----\n@@\n-----END PRIVATE KEY----- y'",
            "gh pr create -t x -b '[redacted] y'",
        ),
        ("vercel --prod -t @@", "vercel --prod -t [redacted]"),
        // What looks like one and is none.
        ("git push -u origin x", "git push -u origin x"),
        ("git -c user.name=x commit --author='A <a@b>'; git push", "git push"),
        ("PWD=/x git push", "PWD=/x git push"),
        (
            "gh pr create -t 'Rotate the token' -b 'secrets, passwords: all'",
            "gh pr create -t 'Rotate the token' -b 'secrets, passwords: all'",
        ),
        ("git push origin token-refresh", "git push origin token-refresh"),
    ];
    for (line, want) in cases {
        let said = line.replace("@@", key);
        let act = only(&said);
        assert_eq!(act.command, want.replace("@@", key), "{line}");
        assert!(!act.command.contains(key) && !act.target.unwrap_or_default().contains(key), "{line}");
    }
}
