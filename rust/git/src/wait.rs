//! Waiting for others, with a limit.

use std::hash::{BuildHasher as _, RandomState};
use std::time::{Duration, Instant};

use crate::Error;

/// How long others are waited for where nothing else is said.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// The first pause is at most this long; each one after it up to twice as long as the one before …
const FIRST_PAUSE: Duration = Duration::from_micros(500);

/// … five times.
const MOST_DOUBLINGS: u32 = 5;

/// Sleeps for a while; an error ends the waiting.
pub type Pause<'a> = &'a dyn Fn(Duration) -> Result<(), Error>;

/// The pauses between attempts at what others stand in the way of, until time is up.
///
/// Their lengths are random: writers that met once do not meet again in step.
pub struct Wait<'a> {
    timeout: Duration,
    /// `None` where time is never up.
    end: Option<Instant>,
    pauses: u32,
    random: u64,
    pause: Pause<'a>,
}

impl<'a> Wait<'a> {
    /// Wait for as long as `timeout` in all, by calls of `pause`.
    pub fn new(timeout: Duration, pause: Pause<'a>) -> Self {
        // The one source of randomness of the standard library: its keys differ in each call.
        let random = RandomState::new().hash_one(std::process::id()) | 1;
        Self { timeout, end: Instant::now().checked_add(timeout), pauses: 0, random, pause }
    }

    /// How long is waited in all.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Whether time is up.
    pub fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// Pause before the next attempt; `false` where time is up.
    ///
    /// # Errors
    /// What the pause ended with, such as [`Error::Interrupted`].
    pub fn pause(&mut self) -> Result<bool, Error> {
        if self.is_over() {
            return Ok(false);
        }
        let most = FIRST_PAUSE * (1 << self.pauses.min(MOST_DOUBLINGS));
        self.pauses += 1;
        // Xorshift: it only has to differ between writers.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let half = most / 2;
        let mut length = half + half * (self.random % 1_000) as u32 / 1_000;
        if let Some(end) = self.end {
            length = length.min(end.saturating_duration_since(Instant::now()));
        }
        (self.pause)(length)?;
        Ok(true)
    }

    /// Begin with short pauses again: what was waited for came.
    pub fn start_over(&mut self) {
        self.pauses = 0;
    }
}

/// Sleep, and nothing else.
///
/// # Errors
/// Never: it has the form of a [`Pause`].
pub fn sleep(length: Duration) -> Result<(), Error> {
    std::thread::sleep(length);
    Ok(())
}
