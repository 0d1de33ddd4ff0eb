//! Max–min and proportional fairness against independent solvers.

use anabranch_ideal::max_min;
use anabranch_ideal::utility::{Connection, UtilityError, maximise};
use proptest::prelude::*;
use std::ops::Range;

fn weighted(weight: f64, routes: &[&[usize]]) -> Connection {
    Connection { weight, routes: routes.iter().map(|links| links.to_vec()).collect() }
}

fn connection(routes: &[&[usize]]) -> Connection {
    weighted(1.0, routes)
}

fn totals(rates: &[Vec<f64>]) -> Vec<f64> {
    rates.iter().map(|routes| routes.iter().sum()).collect()
}

fn near(ours: &[f64], expected: &[f64], within: f64) -> bool {
    let largest = expected.iter().copied().fold(0.0, f64::max);
    ours.len() == expected.len() && ours.iter().zip(expected).all(|(a, b)| (a - b).abs() <= within * largest)
}

fn loads(links: usize, connections: &[Connection], rates: &[Vec<f64>]) -> Vec<f64> {
    let mut loads = vec![0.0; links];
    for (connection, rates) in connections.iter().zip(rates) {
        for (route, rate) in connection.routes.iter().zip(rates) {
            route.iter().for_each(|link| loads[*link] += rate);
        }
    }
    loads
}

/// Max–min with one route each: all grow alike, those on a link that is full stop (Bertsekas and Gallager, §6.5.2).
fn progressive_filling(capacities: &[f64], connections: &[Connection]) -> Vec<f64> {
    let crosses = |s: usize, link: usize| connections[s].routes[0].contains(&link);
    let mut rates: Vec<Option<f64>> = vec![None; connections.len()];
    while rates.iter().any(Option::is_none) {
        let growing = |link| (0..rates.len()).filter(|s| rates[*s].is_none() && crosses(*s, link)).count();
        let room = |link: usize| {
            let taken: f64 = (0..rates.len()).filter(|s| crosses(*s, link)).filter_map(|s| rates[s]).sum();
            (capacities[link] - taken) / growing(link) as f64
        };
        let links = (0..capacities.len()).filter(|link| growing(*link) > 0);
        let (link, level) = links.map(|link| (link, room(link))).min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        (0..rates.len()).for_each(|s| {
            if crosses(s, link) && rates[s].is_none() {
                rates[s] = Some(level);
            }
        });
    }
    rates.into_iter().flatten().collect()
}

/// Max–min where every route is one link. Connections together can have no more than the links that any of them uses,
/// for each set of them, and that suffices (Hall's theorem with capacities). The set with the least per head is
/// satisfied first, then the rest with the links that are left.
fn by_subsets(capacities: &[f64], connections: &[Connection]) -> Vec<f64> {
    let n = connections.len();
    let reach: Vec<Vec<usize>> =
        connections.iter().map(|c| c.routes.iter().map(|r| r[0]).collect()).collect();
    let mut totals = vec![0.0; n];
    let (mut left, mut gone) = ((1_u32 << n) - 1, vec![false; capacities.len()]);
    while left != 0 {
        let members = |set: u32| (0..n).filter(move |s| set & (1 << s) != 0);
        let capacity = |set: u32| -> f64 {
            let used = |link: usize| !gone[link] && members(set).any(|s| reach[s].contains(&link));
            (0..capacities.len()).filter(|link| used(*link)).map(|link| capacities[link]).sum()
        };
        let per_head = |set: u32| capacity(set) / f64::from(set.count_ones());
        let sets = (1..=left).filter(|set| set & !left == 0);
        let least = sets.min_by(|a, b| per_head(*a).total_cmp(&per_head(*b))).unwrap();
        let level = per_head(least);
        for s in members(least) {
            totals[s] = level;
            reach[s].iter().for_each(|link| gone[*link] = true);
        }
        left &= !least;
    }
    totals
}

/// Proportional fairness by Kelly's primal algorithm: rates move towards routes whose price, a steep function of the
/// load, is below the connection's marginal utility.
fn kelly(capacities: &[f64], connections: &[Connection]) -> Vec<f64> {
    const STEEP: f64 = 100.0;
    let mut rates: Vec<Vec<f64>> = connections.iter().map(|c| vec![1.0; c.routes.len()]).collect();
    for _ in 0..20_000 {
        let loads = loads(capacities.len(), connections, &rates);
        let prices: Vec<f64> = loads.iter().zip(capacities).map(|(l, c)| (l / c).powf(STEEP) / c).collect();
        for (connection, rates) in connections.iter().zip(&mut rates) {
            let total: f64 = rates.iter().sum();
            for (route, rate) in connection.routes.iter().zip(rates) {
                let price: f64 = route.iter().map(|link| prices[*link]).sum();
                *rate *= (0.2 / STEEP * (1.0 - total * price).max(-50.0)).exp();
            }
        }
    }
    // The excess of the solution over the capacities.
    let loads = loads(capacities.len(), connections, &rates);
    let most = loads.iter().zip(capacities).map(|(l, c)| l / c).fold(0.0, f64::max);
    totals(&rates).iter().map(|total| total / most).collect()
}

#[test]
fn optima_by_hand() {
    let long = vec![vec![0, 1, 2, 3]];
    let line = (0..4).map(|link| connection(&[&[link]])).chain([Connection { weight: 1.0, routes: long }]);
    let both = [connection(&[&[0]]), connection(&[&[0], &[1]])];
    for (capacities, connections, expected, prices) in [
        // One link: shares are as the weights, and its price is Σ weights ÷ capacity.
        (
            &[80.0][..],
            [1.0, 2.0, 5.0].map(|w| weighted(w, &[&[0]])).to_vec(),
            &[10.0, 20.0, 50.0][..],
            &[0.1][..],
        ),
        // A flow on each of two links has its link.
        (
            &[3.0, 7.0],
            vec![weighted(2.0, &[&[0]]), weighted(9.0, &[&[1]])],
            &[3.0, 7.0],
            &[2.0 / 3.0, 9.0 / 7.0],
        ),
        // Kelly's line of n links: the flow over all of them gets 1/(n + 1) of each, those over one the rest.
        (&[10.0; 4], line.collect(), &[8.0, 8.0, 8.0, 8.0, 2.0], &[0.125; 4]),
        // A connection over both links leaves the one that another has to itself, or balances: one pool of 160.
        (&[100.0, 100.0], both.to_vec(), &[100.0, 100.0], &[0.01, 0.01]),
        (&[100.0, 60.0], both.to_vec(), &[80.0, 80.0], &[1.0 / 80.0; 2]),
        // Two routes over one link: only the total is determined.
        (&[40.0], vec![connection(&[&[0], &[0]]), weighted(3.0, &[&[0]])], &[10.0, 30.0], &[0.1]),
    ] {
        let optimum = maximise(capacities, &connections).unwrap();
        assert!(near(&optimum.totals, expected, 1e-5), "{optimum:?}, expected {expected:?}");
        assert!(near(&optimum.prices, prices, 1e-5), "{optimum:?}, expected {prices:?}");
    }
}

/// Capacities that differ by a factor of a million, in either place.
#[test]
fn wide_and_narrow_links() {
    for wide in [5e5, 1e6] {
        // A detour over the wide link, which nothing fills: a pool of 2.
        let detour = [connection(&[&[0], &[1, 2]]), connection(&[&[0]])];
        let optimum = maximise(&[1.0, 1.0, wide], &detour).unwrap();
        assert!(near(&optimum.totals, &[1.0, 1.0], 1e-5), "{optimum:?}");
        assert!(near(&optimum.prices, &[1.0, 1.0, 0.0], 1e-5), "{optimum:?}");
        // The wide link is a connection's own: it leaves the narrow one.
        let own = [connection(&[&[0], &[1]]), connection(&[&[0]])];
        let optimum = maximise(&[1.0, wide], &own).unwrap();
        assert!((optimum.totals[0] / wide - 1.0).abs() < 1e-5 && (optimum.totals[1] - 1.0).abs() < 1e-5);
        // Kelly's line over both: of its weight w the narrow link costs the long flow 1/(1 - y), the wide one 1/(wide - y)
        // next to nothing: 1/y = 1/(1 - y).
        let line = [connection(&[&[0, 1]]), connection(&[&[0]]), connection(&[&[1]])];
        let optimum = maximise(&[1.0, wide], &line).unwrap();
        assert!(near(&optimum.totals[..2], &[0.5, 0.5], 1e-5), "{optimum:?}");
        assert!((optimum.totals[2] / wide - 1.0).abs() < 1e-5);
    }
}

#[test]
fn max_min_by_hand() {
    // Two on a link of 10, one of them also on one of 4 alone: (4, 6).
    let flows = [connection(&[&[0, 1]]), connection(&[&[0]])];
    assert!(near(&totals(&max_min(&[10.0, 4.0], &flows).unwrap()), &[4.0, 6.0], 1e-6));
    // A connection over both links leaves the first to the other, as far as that is fair.
    let flows = [connection(&[&[0]]), connection(&[&[0], &[1]])];
    assert!(near(&totals(&max_min(&[100.0, 60.0], &flows).unwrap()), &[80.0, 80.0], 1e-6));
    assert!(near(&totals(&max_min(&[50.0, 90.0], &flows).unwrap()), &[50.0, 90.0], 1e-6));
    // Two subflows on one link count once.
    let flows = [connection(&[&[0], &[0]]), connection(&[&[0]])];
    assert!(near(&totals(&max_min(&[40.0], &flows).unwrap()), &[20.0, 20.0], 1e-6));
}

/// A million to one: each total is right for its own size.
#[test]
fn max_min_of_wide_and_narrow_links() {
    let flows =
        [connection(&[&[0]]), connection(&[&[0], &[1]]), connection(&[&[1]]), connection(&[&[0, 1], &[2]])];
    let ours = totals(&max_min(&[1.0, 1e6, 3.0], &flows).unwrap());
    // The first has the narrow link, the fourth the third link, and the wide one is halved.
    for (ours, expected) in ours.iter().zip([1.0, 5e5, 5e5, 3.0]) {
        assert!((ours / expected - 1.0).abs() < 1e-5, "{ours}, expected {expected}");
    }
}

#[test]
fn what_is_no_network_is_an_error() {
    let one = connection(&[&[0]]);
    for (capacity, connections) in [
        (1.0, vec![]),
        (0.0, vec![one.clone()]),
        (f64::NAN, vec![one.clone()]),
        (f64::INFINITY, vec![one]),
        (1.0, vec![weighted(-1.0, &[&[0]])]),
        (1.0, vec![connection(&[])]),
        (1.0, vec![connection(&[&[]])]),
        (1.0, vec![connection(&[&[1]])]),
        (1.0, vec![connection(&[&[0, 0]])]),
    ] {
        let answers = [maximise(&[capacity], &connections).err(), max_min(&[capacity], &connections).err()];
        assert!(answers.iter().all(|why| matches!(why, Some(UtilityError::Network(_)))), "{answers:?}");
    }
}

/// Some links, and connections with routes of any links.
fn networks(
    capacity: Range<f64>,
    weight: impl Strategy<Value = f64> + Clone,
    routes: Range<usize>,
    longest: usize,
) -> impl Strategy<Value = (Vec<f64>, Vec<Connection>)> {
    (1..5_usize).prop_flat_map(move |links| {
        let route = prop::sample::subsequence((0..links).collect::<Vec<_>>(), 1..=longest.min(links));
        let connection = (weight.clone(), prop::collection::vec(route, routes.clone()))
            .prop_map(|(weight, routes)| Connection { weight, routes });
        (prop::collection::vec(capacity.clone(), links), prop::collection::vec(connection, 1..6))
    })
}

fn unweighted(routes: Range<usize>, longest: usize) -> impl Strategy<Value = (Vec<f64>, Vec<Connection>)> {
    networks(10.0..100.0, Just(1.0), routes, longest)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Karush, Kuhn and Tucker: feasible, prices not negative and zero on links with room, no route cheaper than
    /// the connection's marginal utility w/y, and those in use exactly as dear. For a concave problem these
    /// suffice for the optimum.
    #[test]
    fn conditions_of_the_optimum((capacities, connections) in networks(1e2..1e4, 0.1..50.0, 1..4, 4)) {
        let optimum = maximise(&capacities, &connections).unwrap();
        for (s, connection) in connections.iter().enumerate() {
            let marginal = connection.weight / optimum.totals[s];
            for (links, rate) in connection.routes.iter().zip(&optimum.rates[s]) {
                let price: f64 = links.iter().map(|link| optimum.prices[*link]).sum();
                prop_assert!(*rate >= 0.0 && price >= marginal * (1.0 - 5e-3), "{price} {marginal}");
                // The product with the share of the total: a route hardly in use may be a little dearer.
                prop_assert!((price / marginal - 1.0) * rate / optimum.totals[s] <= 5e-3);
            }
        }
        let loads = loads(capacities.len(), &connections, &optimum.rates);
        let weights: f64 = connections.iter().map(|c| c.weight).sum();
        for ((load, capacity), price) in loads.iter().zip(&capacities).zip(&optimum.prices) {
            prop_assert!(*load <= capacity * (1.0 + 1e-6) && *price >= 0.0);
            prop_assert!(price * (capacity - load) <= 1e-3 * weights);
        }
    }

    #[test]
    fn single_routes_fill_progressively((capacities, connections) in unweighted(1..2, 4)) {
        let ours = totals(&max_min(&capacities, &connections).unwrap());
        let expected = progressive_filling(&capacities, &connections);
        prop_assert!(near(&ours, &expected, 1e-5), "{ours:?} {expected:?}");
    }

    #[test]
    fn short_routes_fill_subset_by_subset((capacities, connections) in unweighted(1..4, 1)) {
        let ours = totals(&max_min(&capacities, &connections).unwrap());
        let expected = by_subsets(&capacities, &connections);
        prop_assert!(near(&ours, &expected, 1e-5), "{ours:?} {expected:?}");
    }

    /// Nothing is over its capacity, every route of every connection crosses a full link, and no other allocation, ours
    /// moved a little and cut to size, has a larger smallest total, or the same and a larger second smallest, and so on.
    #[test]
    fn nothing_is_fairer(
        (capacities, connections) in unweighted(1..4, 3),
        moves in prop::collection::vec(prop::collection::vec(-0.3..0.3_f64, 20), 50),
    ) {
        let rates = max_min(&capacities, &connections).unwrap();
        let full: Vec<bool> = loads(capacities.len(), &connections, &rates)
            .iter()
            .zip(&capacities)
            .map(|(load, capacity)| {
                assert!(*load <= capacity * (1.0 + 1e-6));
                *load >= capacity * (1.0 - 1e-4)
            })
            .collect();
        prop_assert!(connections.iter().flat_map(|c| &c.routes).all(|r| r.iter().any(|link| full[*link])));

        let sorted = |rates: &[Vec<f64>]| {
            let mut totals = totals(rates);
            totals.sort_by(f64::total_cmp);
            totals
        };
        let ours = sorted(&rates);
        for by in &moves {
            let mut by = by.iter();
            let other: Vec<Vec<f64>> = rates
                .iter()
                .map(|routes| routes.iter().map(|rate| (rate + 10.0 * by.next().unwrap()).max(0.0)).collect())
                .collect();
            let loads = loads(capacities.len(), &connections, &other);
            let most = loads.iter().zip(&capacities).map(|(l, c)| l / c).fold(1.0, f64::max);
            let other: Vec<f64> = sorted(&other).iter().map(|total| total / most).collect();
            let differs = ours.iter().zip(&other).find(|(a, b)| (*a - *b).abs() > 1e-3);
            prop_assert!(differs.is_none_or(|(a, b)| a > b), "{ours:?} {other:?}");
        }
    }

    /// An independent solver for proportional fairness; the steepness of its prices leaves a few percent.
    #[test]
    fn pooling_agrees_with_kellys_algorithm((capacities, connections) in unweighted(1..4, 3)) {
        let ours = maximise(&capacities, &connections).unwrap().totals;
        let theirs = kelly(&capacities, &connections);
        let utility = |totals: &[f64]| totals.iter().map(|total| total.ln()).sum::<f64>();
        prop_assert!(utility(&ours) >= utility(&theirs) - 1e-6, "{ours:?} {theirs:?}");
        prop_assert!(near(&ours, &theirs, 0.1), "{ours:?} {theirs:?}");
    }
}
