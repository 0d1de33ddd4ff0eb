//! The functions that the page calls, and those that it provides.
//!
//! The page writes its question to the buffer of [`reserve`], calls a function, and reads the answer at [`answer`]. One
//! question at a time.

#![expect(unsafe_code, reason = "calls between WebAssembly and the page have no other form")]

use crate::question;
use anabranch_net::Time;
use anabranch_record::{LinkSample, Sink, SubflowSample};
use std::cell::RefCell;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    fn keep_going(time_s: f64) -> i32;
    fn subflow_sample(
        flow: u32,
        subflow: u32,
        time_s: f64,
        cwnd_segments: f64,
        ssthresh_segments: f64,
        srtt_s: f64,
        in_flight_segments: f64,
        delivered_bytes: f64,
        lost_segments: f64,
    );
    fn link_sample(link: u32, time_s: f64, queue_bytes: f64, queue_packets: f64, drops: f64, losses: f64);
}

thread_local! {
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Reserves a buffer for a question of `len` bytes of UTF-8.
// SAFETY: only this crate uses the name; the same holds below.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(len: usize) -> *mut u8 {
    QUESTION.with_borrow_mut(|question| {
        question.clear();
        question.resize(len, 0);
        question.as_mut_ptr()
    })
}

/// The address of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// Stores an answer and returns its length in bytes, negative if it lists problems.
fn keep(answer: question::Answer) -> i32 {
    let sign = if answer.is_ok() { 1 } else { -1 };
    let text = answer.unwrap_or_else(|problems| problems);
    let len = text.len() as i32;
    ANSWER.set(text);
    sign * len
}

fn question_text() -> String {
    QUESTION.with_borrow(|question| String::from_utf8_lossy(question).into_owned())
}

/// [`question::algorithms`]
#[unsafe(no_mangle)]
pub extern "C" fn algorithms() -> i32 {
    keep(Ok(question::algorithms()))
}

/// [`question::describe`]
#[unsafe(no_mangle)]
pub extern "C" fn describe() -> i32 {
    keep(question::describe(&question_text()))
}

/// [`question::ideal`]
#[unsafe(no_mangle)]
pub extern "C" fn ideal() -> i32 {
    keep(question::ideal(&question_text()))
}

/// [`question::run`]
#[unsafe(no_mangle)]
pub extern "C" fn run() -> i32 {
    // SAFETY: the page provides a function of numbers.
    let mut going = |now: Time| unsafe { keep_going(now.as_secs_f64()) != 0 };
    keep(question::run(&question_text(), &mut Page, &mut going))
}

/// [`question::advise`]: the page gets fractions in place of times.
#[unsafe(no_mangle)]
pub extern "C" fn advise() -> i32 {
    // SAFETY: as above.
    let mut going = |fraction: f64| unsafe { keep_going(fraction) != 0 };
    keep(question::advise(&question_text(), &mut going))
}

/// Passes samples to the page.
struct Page;

impl Sink for Page {
    fn subflow(&mut self, s: &SubflowSample<'_>) {
        let (flow, subflow) = (s.flow as u32, s.subflow as u32);
        let (in_flight, delivered) = (s.in_flight_segments as f64, s.delivered_bytes as f64);
        // SAFETY: the page provides a function of numbers.
        unsafe {
            subflow_sample(
                flow,
                subflow,
                s.time_s,
                s.cwnd_segments,
                s.ssthresh_segments,
                s.srtt_s,
                in_flight,
                delivered,
                s.lost_segments as f64,
            );
        }
    }

    fn link(&mut self, s: &LinkSample) {
        let (bytes, packets) = (s.queue_bytes as f64, s.queue_packets as f64);
        // SAFETY: the page provides a function of numbers.
        unsafe { link_sample(s.link as u32, s.time_s, bytes, packets, s.drops as f64, s.losses as f64) }
    }
}
