//! Links, and the BDP of each.

use crate::diagnostic::{At, Problems};
use crate::format::{self, Jitter, ModelChoice, TextFile};
use crate::leaf::{Length, PositiveSpan};
use crate::model::{Flow, NamedLink};
use crate::read::Named;
use crate::resolve::common::{LinkNames, check_instant, check_name};
use crate::resolve::queue::{discipline, queue};
use crate::resolve::trace::{ResolvedTrace, resolve_trace};
use anabranch_net::{self as net, LinkSpec, Loss, Time};

/// Every link, with counts expanded.
pub(super) fn links(
    links: &Named<At<format::Link>>,
    names: &LinkNames,
    files: Option<&Named<TextFile>>,
    flows: &[Flow],
    horizon: Time,
    problems: &mut Problems,
) -> Vec<NamedLink> {
    let traces: Vec<Option<ResolvedTrace>> =
        links.0.iter().map(|(_, link)| resolve_trace(&link.value, files, problems)).collect();
    let delay = |((_, link), traced): (&(At<String>, At<format::Link>), &Option<ResolvedTrace>)| {
        let own = link.value.delay.map(|delay| delay.0);
        own.or(traced.as_ref().and_then(|traced| traced.delay)).unwrap_or(Time::ZERO)
    };
    let delays: Vec<Time> = links.0.iter().zip(&traces).map(delay).collect();
    let delays: Vec<Time> = names.origin.iter().map(|origin| delays[*origin]).collect();
    let longest = longest_base_rtts(flows, &delays);
    let link = |(index, (called, origin)): (usize, (&String, &usize))| {
        let (name, link) = &links.0[*origin];
        check_name(name, problems);
        let At { value: link, place } = link;
        for (key, given) in [("rate", link.rate.is_some()), ("delay", link.delay.is_some())] {
            if !given && link.trace.is_none() {
                problems.missing::<()>(place, key, "");
            }
        }
        let (trace, trace_loss) =
            traces[*origin].clone().map_or((None, None), |traced| (Some(traced.trace), traced.loss));
        let mean = trace.as_ref().map(|trace| trace.mean_rate_bps());
        let rate_bps = link.rate.map(|rate| rate.0).or(mean).unwrap_or(1.0);
        let bdp_bytes = rate_bps * longest[index].as_secs_f64() / 8.0;
        let spec = LinkSpec {
            rate_bps,
            delay: delays[index],
            tick: link.tick.map_or(Time::ZERO, |tick| tick.0),
            queue: queue(link.queue.unwrap_or(Length::Bdp(1.0)), bdp_bytes),
            discipline: discipline(link, bdp_bytes, problems),
            loss: link.loss.as_ref().map(loss).or(trace_loss).unwrap_or(Loss::None),
            loss_at: link.loss_at.map_or(net::LossAt::Entry, |at| at.0),
            jitter: link.jitter.as_ref().map_or(net::Jitter::default(), |given| jitter(given, problems)),
            changes: changes(link.changes.as_deref().unwrap_or_default(), horizon, problems),
            trace,
        };
        NamedLink { name: called.clone(), key: name.value.clone(), spec }
    };
    names.list.iter().zip(&names.origin).enumerate().map(link).collect()
}

/// For each link the longest base RTT of the paths that cross it, in either direction; for an unused link, twice its delay.
pub(crate) fn longest_base_rtts(flows: &[Flow], delays: &[Time]) -> Vec<Time> {
    let mut longest: Vec<Option<Time>> = vec![None; delays.len()];
    for path in flows.iter().flat_map(|flow| &flow.paths) {
        let rtt = path.base_rtt(|link| delays[link]);
        for link in path.links.iter().chain(&path.return_links) {
            longest[*link] = longest[*link].max(Some(rtt));
        }
    }
    longest.iter().zip(delays).map(|(longest, own)| longest.unwrap_or(own.times(2))).collect()
}

fn loss(given: &ModelChoice<true>) -> Loss {
    // Loss models have no lengths.
    let values = given.values(|_| net::Value::Flag(false));
    Loss::new(given.model.name, &values).unwrap_or(Loss::None)
}

fn jitter(jitter: &Jitter, problems: &mut Problems) -> net::Jitter {
    let reorder_delay = jitter.reorder_delay.as_ref().map_or(Time::ZERO, |delay| delay.value.0);
    if let Some(rate) = &jitter.reorder_rate
        && rate.value.0 > 0.0
        && reorder_delay == Time::ZERO
    {
        let help = "give `reorder_delay`, for example \"5 ms\"";
        let message = "`reorder_rate` needs a positive `reorder_delay`";
        problems.add(&rate.place, message, "needs `reorder_delay`", help);
    }
    if let Some(delay) = &jitter.reorder_delay
        && jitter.reorder_rate.is_none()
    {
        let help = "give `reorder_rate`, for example 0.01";
        problems.add(
            &delay.place,
            "`reorder_delay` has no effect without `reorder_rate`",
            "needs `reorder_rate`",
            help,
        );
    }
    let up_to = jitter.up_to.map_or(Time::ZERO, |up_to| up_to.0);
    if let Some(At { value: PositiveSpan(correlation), place }) = &jitter.correlation {
        let shortest = Time::from_secs_f64(up_to.as_secs_f64() * 2.0 / std::f64::consts::PI);
        if up_to == Time::ZERO {
            let help = "give `up_to`, for example \"5 ms\"";
            problems.add(place, "`correlation` needs jitter: `up_to` is zero", "needs `up_to`", help);
        } else if *correlation < shortest {
            let message = format!("packets would overtake: {correlation} is too short for up to {up_to}");
            problems.add(place, message, format!("must be at least {shortest}"), "2/π of `up_to`");
        }
    }
    net::Jitter {
        up_to,
        correlation: match &jitter.correlation {
            Some(correlation) => correlation.value.0,
            None => net::Jitter::bounded(up_to).correlation,
        },
        reorder_rate: jitter.reorder_rate.as_ref().map_or(0.0, |rate| rate.value.0),
        reorder_delay,
    }
}

fn changes(given: &[At<format::Change>], horizon: Time, problems: &mut Problems) -> Vec<net::Change> {
    let mut change = |At { value, place }: &At<format::Change>| {
        check_instant(&value.at, horizon, problems);
        let change = net::Change {
            at: value.at.value.0,
            rate_bps: value.rate.map(|rate| rate.0),
            delay: value.delay.map(|delay| delay.0),
            loss: value.loss.as_ref().map(loss),
            up: value.up,
        };
        if change == (net::Change { at: change.at, ..net::Change::default() }) {
            let help = "give at least one of: rate, delay, loss, up";
            problems.add(place, "the change changes nothing", "only a time", help);
        }
        change
    };
    let mut changes: Vec<_> = given.iter().map(&mut change).collect();
    changes.sort_by_key(|change| change.at);
    changes
}
