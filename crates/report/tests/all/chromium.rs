//! A page in a real browser, where there is one: what its script says.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use std::{env, fs, path::Path, thread};

/// How long a page may take. Chromium sometimes hangs before it opens a page, so it starts anew; each time it may take
/// longer, for a page that is slow beside a busy machine's other work.
const PATIENCE: [Duration; 3] = [Duration::from_secs(60), Duration::from_secs(180), Duration::from_secs(360)];

/// The prefix of a page's message on its console.
const MARK: &str = "the page says ";

/// Hands a value over to the test, once.
const SAY: &str = "<script>
  const say = (what) => {
    const bytes = new TextEncoder().encode(JSON.stringify(what));
    console.log('the page says ' + btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) + '.');
  };
</script>";

/// The message that a page in `dir` with that body passes to `say`; nothing where there is no Chromium.
///
/// # Panics
/// Where it says nothing, and where there is no Chromium though ANABRANCH_REQUIRE_BROWSER=1 asks for one.
pub fn says(dir: &Path, body: &str) -> Option<Value> {
    let page = dir.join("says.html");
    fs::write(&page, format!("<!DOCTYPE html><body>{SAY}{body}</body>")).unwrap();
    let mut logs = Vec::new();
    for patience in PATIENCE {
        match opened(&page, patience)? {
            Ok(said) => return Some(said),
            Err(log) => logs.push(log),
        }
    }
    panic!("the page said nothing, {} times:\n{}", logs.len(), logs.join("\n\n"));
}

/// What a script says of a page of the report, which is its `page`, in a frame with these attributes.
pub fn says_of(dir: &Path, frame: &str, script: &str) -> Option<Value> {
    let body = format!(
        "<iframe {frame} style='width:1280px;height:1000px'></iframe>
        <script>addEventListener('load', async () => {{
          const page = document.querySelector('iframe').contentDocument;
          const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
          {script}
        }});</script>"
    );
    says(dir, &body)
}

/// What the page says, or all that Chromium logs within that time; nothing where there is no Chromium.
fn opened(page: &Path, patience: Duration) -> Option<Result<Value, String>> {
    let until = Instant::now() + patience;
    let profile = tempfile::tempdir().unwrap();
    let mut browser = Browser::start(page, profile.path())?;
    let (sender, receiver) = channel();
    let lines = BufReader::new(browser.0.stderr.take().unwrap()).lines();
    // The thread ends with the browser.
    let reader = thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
    let mut log = Vec::new();
    let said = loop {
        match receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) => match line.split_once(MARK) {
                Some((_, said)) => {
                    let bytes = STANDARD.decode(said.split('.').next().unwrap()).unwrap();
                    break Ok(serde_json::from_slice(&bytes).unwrap());
                }
                None if line.contains("Uncaught") => panic!("{line}"),
                None => log.push(line),
            },
            Err(RecvTimeoutError::Timeout) => break Err(log.join("\n")),
            Err(RecvTimeoutError::Disconnected) => panic!("Chromium ended: {}", log.join("\n")),
        }
    };
    drop((browser, receiver));
    let _ = reader.join();
    Some(said)
}

/// Ends with its value.
struct Browser(Child);

impl Browser {
    fn start(page: &Path, profile: &Path) -> Option<Self> {
        let flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            // So that a page can look into its frames.
            "--allow-file-access-from-files",
            "--enable-logging=stderr",
            "--hide-scrollbars",
            "--window-size=1400,1100",
        ];
        let child = Command::new(env::var("CHROMIUM").unwrap_or("chromium".into()))
            .args(flags)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("file://{}", page.display()))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        match child {
            Ok(child) => Some(Browser(child)),
            Err(error) => {
                let required = env::var("ANABRANCH_REQUIRE_BROWSER").is_ok_and(|value| value == "1");
                assert!(!required, "chromium does not start ({error}), and must be there");
                eprintln!("skipped: chromium does not start ({error})");
                None
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
