//! Playing a plan.

use crate::rules::{self, Rule, Verdict, Violation, hold};
use crate::transport::{MOST_PATHS, Transport};
use crate::{Acks, Event, EventKind, Plan, Rtt};
use anabranch_cc::registry::{Kind, Value};
use anabranch_cc::{Ack, Congestion, Group, LostSegment, MIN_SSTHRESH, Path, Seconds, Segments, Signal};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A plan that breaks a rule; its last event does.
#[derive(Clone)]
pub struct Failure {
    /// The plan, up to that event.
    pub plan: Plan,
    /// The rule.
    pub broken: Violation,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.plan, self.broken)
    }
}

/// Plays a plan.
///
/// # Errors
/// The first rule that does not hold, with the plan up to there.
///
/// # Panics
/// Where the plan gives a parameter a value that is not allowed. A decoded one does not.
pub fn check(plan: &Plan) -> Result<(), Failure> {
    let mut run = Run::new(plan);
    for (i, event) in plan.events.iter().enumerate() {
        let outcome = catch_unwind(AssertUnwindSafe(|| run.play(event)));
        let verdict = outcome.unwrap_or_else(|payload| {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let detail = text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("").to_owned();
            Err(Violation { rule: Rule::Panic, detail })
        });
        if let Err(broken) = verdict {
            let events = plan.events[..=i].to_vec();
            return Err(Failure { plan: Plan { events, ..plan.clone() }, broken });
        }
    }
    Ok(())
}

/// The acknowledgement of a path just before another event.
const LAST: Acks = Acks {
    count: 1,
    spacing: 0.0,
    per_round: 1,
    share: 0.5,
    rtt: Rtt::Scaled(1.1),
    growing: true,
    use_of_window: 1.0,
    interval: 0.1,
};

#[derive(Clone, Copy)]
enum Call {
    Join { srtt: Seconds, window: Segments },
    Leave,
    Ack(Ack),
    Congestion(Congestion),
    Lost(LostSegment),
    Spurious,
}

impl Call {
    /// Makes the call for row `r` and returns the row that it concerned.
    fn make(&self, group: &mut Group, r: usize) -> usize {
        match self {
            Call::Join { srtt, window } => return group.add_path(*srtt, *window),
            Call::Leave => group.remove_path(r),
            Call::Ack(ack) => group.on_ack(r, ack),
            Call::Congestion(event) => group.on_congestion(r, event),
            Call::Lost(lost) => group.on_lost(r, lost),
            Call::Spurious => group.on_spurious(r),
        }
        r
    }
}

/// The groups that a plan drives, and the transport that does it.
struct Run<'a> {
    plan: &'a Plan,
    transport: Transport,
    /// When the last acknowledgement, congestion or loss was.
    last: Seconds,
    group: Group,
    /// Hears the same, and of paths that leave or visit some more: [`Rule::Trace`].
    traced: Group,
    /// Hears the same since all paths had left: [`Rule::Fresh`].
    fresh: Option<Group>,
    /// Hears of row 0 only, since a path joined there: [`Rule::Alone`].
    alone: Option<Group>,
    before: Vec<Path>,
    observed: [Vec<f64>; 2],
    /// Whether the algorithm takes acknowledgements together.
    together: bool,
    /// The allowed growth of each row's window since it last changed, where acknowledgements are taken together.
    waiting: [f64; MOST_PATHS],
}

impl<'a> Run<'a> {
    fn new(plan: &'a Plan) -> Self {
        let observed = vec![f64::NAN; plan.entry.observables.len()];
        Run {
            plan,
            transport: Transport::default(),
            last: 0.0,
            group: new_group(plan),
            traced: new_group(plan),
            fresh: None,
            alone: None,
            before: Vec::new(),
            observed: [observed.clone(), observed],
            together: takes_together(plan),
            waiting: [0.0; MOST_PATHS],
        }
    }

    fn play(&mut self, event: &Event) -> Verdict {
        self.transport.now += event.gap;
        if let EventKind::Join { srtt, window } = event.what {
            return self.join(srtt, window);
        }
        if self.transport.rows().next().is_none() {
            self.join(0.0, 10.0)?;
        }
        let r = self.transport.row(event.path).expect("a path is in use");
        match event.what {
            EventKind::Join { .. } => Ok(()),
            EventKind::Leave => self.leave(r),
            EventKind::AllLeave => {
                let rows: Vec<_> = self.transport.rows().collect();
                rows.into_iter().try_for_each(|r| self.leave(r))
            }
            EventKind::Visit => self.visit(),
            EventKind::Acks(acks) => (0..acks.count).try_for_each(|i| {
                self.transport.now += if i == 0 { 0.0 } else { acks.spacing };
                let ack = self.transport.ack(&self.group, r, i, &acks);
                self.call(r, Call::Ack(ack))
            }),
            EventKind::Congestion(signal) => self.congestion(r, signal),
            EventKind::Lost(count) => self.lost(r, count),
            EventKind::Mistake(signal) => self.mistake(r, signal),
            EventKind::Spurious => self.call(r, Call::Spurious),
        }
    }

    fn join(&mut self, srtt: Seconds, window: Segments) -> Verdict {
        if self.transport.rows().count() == MOST_PATHS {
            return Ok(());
        }
        let r = self.call_all(0, Call::Join { srtt, window })?;
        self.transport.joined(r, srtt);
        if r == 0 && self.plan.entry.kind == Kind::SinglePath {
            let mut alone = new_group(self.plan);
            alone.add_path(srtt, window);
            self.alone = Some(alone);
        }
        self.compare()
    }

    fn leave(&mut self, r: usize) -> Verdict {
        // The counting rows are those of the connection's last event, and the removal of a path is not such an event.
        let ack = Ack { now: self.last, ..self.transport.clone().ack(&self.traced, r, 0, &LAST) };
        self.traced.on_ack(r, &ack);
        self.call_all(r, Call::Leave)?;
        self.transport.left(r);
        let late = Congestion { now: self.transport.now, signal: Signal::Loss };
        for call in [Call::Ack(ack), Call::Congestion(late), Call::Spurious] {
            call.make(&mut self.traced, r);
        }
        if r == 0 {
            self.alone = None;
        }
        if self.transport.rows().next().is_none() {
            self.fresh = Some(new_group(self.plan));
        }
        self.compare()
    }

    fn visit(&mut self) -> Verdict {
        if self.transport.rows().count() < MOST_PATHS {
            let r = self.traced.add_path(0.0, 10.0);
            self.traced.remove_path(r);
        }
        self.compare()
    }

    fn congestion(&mut self, r: usize, signal: Signal) -> Verdict {
        let event = self.transport.congestion(r, signal);
        event.map_or(Ok(()), |event| self.call(r, Call::Congestion(event)))
    }

    fn lost(&mut self, r: usize, count: u32) -> Verdict {
        self.congestion(r, Signal::Loss)?;
        if self.group.is_model_based() {
            for _ in 0..count {
                let Some(lost) = self.transport.lost(r) else { break };
                self.call(r, Call::Lost(lost))?;
            }
        }
        Ok(())
    }

    fn mistake(&mut self, r: usize, signal: Signal) -> Verdict {
        // From here on which rows count is as of now.
        let ack = self.transport.ack(&self.group, r, 0, &LAST);
        self.call(r, Call::Ack(ack))?;
        let before = *self.group.path(r);
        self.group.observe(r, &mut self.observed[0]);
        let inner = self.observed[0].clone();
        let Some(event) = self.transport.congestion(r, signal) else { return Ok(()) };
        self.call(r, Call::Congestion(event))?;
        self.call(r, Call::Spurious)?;
        let after = self.group.path(r);
        // A loss raises a window of one segment to two, and that is not a reduction to undo.
        hold(Rule::Undo, before == *after || before.cwnd < MIN_SSTHRESH, || {
            format!("{before:?} became {after:?}")
        })?;
        if before.in_slow_start() || before.cwnd < MIN_SSTHRESH {
            return Ok(()); // what follows the window in slow start has no memory
        }
        self.group.observe(r, &mut self.observed[0]);
        let after = &self.observed[0];
        hold(Rule::Undo, equal(&inner, after), || format!("observables {inner:?} became {after:?}"))
    }

    /// Makes a call for a path in use, and compares.
    fn call(&mut self, r: usize, call: Call) -> Verdict {
        self.call_all(r, call)?;
        if r == 0
            && let Some(alone) = &mut self.alone
        {
            call.make(alone, 0);
        }
        self.compare()
    }

    /// Makes a call to all groups that hear everything, and checks what it did.
    fn call_all(&mut self, r: usize, call: Call) -> Result<usize, Violation> {
        self.before.clear();
        self.before.extend_from_slice(self.group.paths());
        if let Call::Ack(Ack { now, .. })
        | Call::Congestion(Congestion { now, .. })
        | Call::Lost(LostSegment { now, .. }) = call
        {
            self.last = now;
        }
        let r = call.make(&mut self.group, r);
        for group in std::iter::once(&mut self.traced).chain(&mut self.fresh) {
            call.make(group, r);
        }

        rules::other_rows(r, &self.before, self.group.paths())?;
        for (i, path) in self.group.paths().iter().enumerate() {
            if path.active {
                rules::bounds(self.plan.entry, i, path)?;
            }
            rules::observables(self.plan.entry, &self.group, i, &mut self.observed[0])?;
        }
        let after = self.group.path(r).cwnd;
        match call {
            Call::Ack(ack) if self.group.is_model_based() => {
                rules::growth_by_model(&ack, &self.before[r], after)?
            }
            Call::Ack(ack) => {
                self.waiting[r] += rules::growing(&ack);
                rules::growth(&ack, self.waiting[r], self.before[r].cwnd, after)?;
            }
            Call::Congestion(_) => rules::reduction(self.before[r].cwnd, after)?,
            _ => {}
        }
        let waits = match call {
            Call::Ack(_) => self.before[r].cwnd == after,
            Call::Spurious => true,
            _ => false,
        };
        if !(self.together && waits) {
            self.waiting[r] = 0.0;
        }
        Ok(r)
    }

    /// Compares the groups that must agree.
    fn compare(&mut self) -> Verdict {
        let out = &mut self.observed;
        for r in self.transport.rows() {
            same(Rule::Trace, &self.group, &self.traced, r, out)?;
            if let Some(fresh) = &self.fresh {
                same(Rule::Fresh, &self.group, fresh, r, out)?;
            }
        }
        self.alone.as_ref().map_or(Ok(()), |alone| same(Rule::Alone, &self.group, alone, 0, out))
    }
}

fn new_group(plan: &Plan) -> Group {
    plan.entry.group(&plan.given).unwrap_or_else(|e| panic!("{}: {e}", plan.entry.name))
}

fn takes_together(plan: &Plan) -> bool {
    let params = plan.entry.params(&plan.given).unwrap_or_else(|e| panic!("{}: {e}", plan.entry.name));
    params.find("together") == Some(Value::Flag(true))
}

/// Row `r` of two groups agrees, to the last bit; but a group knows only of its own events' times who counts.
fn same(rule: Rule, group: &Group, other: &Group, r: usize, out: &mut [Vec<f64>; 2]) -> Verdict {
    let (a, mut b) = (group.path(r), *other.path(r));
    b.counts = a.counts;
    hold(rule, *a == b, || format!("row {r} is {a:?} and should be {b:?}"))?;
    let [a, b] = out;
    group.observe(r, a);
    other.observe(r, b);
    hold(rule, equal(a, b), || format!("observables of row {r} are {a:?} and should be {b:?}"))
}

/// Equal numbers, or both missing.
fn equal(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(x, y)| x == y || x.is_nan() && y.is_nan())
}
