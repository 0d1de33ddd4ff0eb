//! Sizes from files: what they mean, what is wrong in one, and the sample.

use crate::common::{SMALL, read, refused, shows, valid};
use anabranch_net::Random;
use anabranch_scenario::{Application, CdfPoint, Draw};

fn with(application: &str, file: &str) -> String {
    format!("{SMALL}application = {application}\n[files.\"x.csv\"]\ntext = '''\n{file}'''\n")
}

const SIZES: &str =
    "{ kind = \"request-response\", size = { distribution = \"empirical\", file = \"x.csv\" } }";
const ARRIVALS: &str =
    "{ kind = \"arrivals\", size = { distribution = \"empirical\", file = \"x.csv\" }, load = 0.5 }";
const PAUSES: &str =
    "{ kind = \"on-off\", on = \"1 s\", off = { distribution = \"empirical\", file = \"x.csv\" } }";

fn points(draw: &Draw) -> Vec<(f64, f64)> {
    let Draw::Empirical(points) = draw else { panic!("{draw:?}") };
    points.iter().map(|&CdfPoint { value, cdf }| (value, cdf)).collect()
}

/// The distribution of [`SIZES`] or [`PAUSES`].
fn draw(application: &str, file: &str) -> Draw {
    match &valid(&with(application, file)).flows[0].application {
        Application::RequestResponse { size: draw, .. } | Application::OnOff { off: draw, .. } => {
            draw.clone()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn points_have_units_of_their_own_or_the_header_s() {
    let want = [(1000.0, 0.5), (5000.0, 1.0)];
    for file in [
        "1000,0.5\n5000,1\n",
        "# ours\n\n1 kB , 0.5\n5000 B,1.0\n",
        "size,CDF\n1000,.5\n5e3,1\n",
        "Size (kB),cdf\r\n1,0.5\r\n5,0.99999999999\r\n",
    ] {
        assert_eq!(points(&draw(SIZES, file)), want, "{file}");
    }
    assert_eq!(points(&draw(PAUSES, "time (ms),CDF\n0,0\n20,1\n")), [(0.0, 0.0), (0.02, 1.0)]);
    assert_eq!(points(&draw(PAUSES, "0 s,0.5\n2 s,1\n")), [(0.0, 0.5), (2.0, 1.0)]);
}

/// All points count, and nothing of how they are written.
#[test]
fn the_points_are_a_part_of_the_hash() {
    let hash = |file: &str| valid(&with(SIZES, file)).hash;
    assert_eq!(hash("1000,0.5\n5000,1\n"), hash("size (kB),CDF\n1,0.5\n5,1\n"));
    assert_ne!(hash("1000,0.5\n5000,1\n"), hash("1000,0.5\n5001,1\n"));
}

/// Each with its line of the file, and what is marked there.
#[test]
fn mistakes_in_a_file_of_sizes() {
    for (file, word) in [
        ("«\n# nothing\n»", "the distribution is empty"),
        ("«size,CDF»\n", "the distribution has no points"),
        ("«1000,1»\n", "write the size itself"),
        ("5000,0.5\n«1000»,1\n", "is less than the size before"),
        ("1000,0.5\n5000,«0.4»\n9000,1\n", "the CDF falls from 0.5 to 0.4"),
        ("1000,0.5\n«5000,0.9»\n", "the CDF ends at 0.9"),
        ("1000,«50»\n5000,100\n", "divide percentages by 100"),
        ("1000,«-0.5»\n5000,1\n", "must be from 0 to 1"),
        ("1000,«NaN»\n5000,1\n", "must be from 0 to 1"),
        ("1000,«x»\n5000,1\n", "not a number"),
        ("«-1»,0.5\n5000,1\n", "must not be negative"),
        ("1,0.5\n«NaN»,1\n", "must begin with a number"),
        ("1,0.5\n«inf»,1\n", "must begin with a number"),
        ("1,0.5\n«1e300»,1\n", "too large"),
        ("1,0.5\n«2 s»,1\n", "not a unit of size"),
        ("1,0.5\n«2»\n", "not a point of the CDF"),
        ("«1 1 0.5»\n", "not a point of the CDF"),
        ("0,0.5\n«0,1»\n", "every size is 0"),
        ("«NaN»,0\n5,1\n", "`NaN` is not `size`"),
        ("«size (kb)»,CDF\n1,1\n", "`kb` is not a unit"),
        ("size,«share»\n1,1\n", "must be `CDF`"),
        ("«size»\n1,1\n", "must have two columns"),
    ] {
        for application in [SIZES, ARRIVALS] {
            shows(file, "x.csv", |file| read(&with(application, file)), &[word]);
        }
    }
    refused(&with(PAUSES, "0,0.5\n2,1\n"), "a time needs a unit");
    refused(&format!("{SMALL}application = {SIZES}\n"), "no file `x.csv`");
}

fn sample() -> Draw {
    draw(SIZES, include_str!("../../../../scenarios/sizes/web.csv"))
}

/// The sample file is the book's model: 95 % log-normal, 5 % Pareto, all below 30 MB.
#[test]
fn the_sample_is_the_model() {
    let model = |size: f64| {
        let body = (1.0 + libm::erf((size / 10e3).ln() / 1.3 / 2f64.sqrt())) / 2.0;
        let tail = (1.0 - (100e3 / size).powf(1.1)).max(0.0);
        0.95 * body + 0.05 * tail
    };
    let points = points(&sample());
    assert_eq!((points.len(), points[points.len() - 1]), (55, (30e6, 1.0)));
    for (size, cdf) in points {
        assert!((cdf - model(size) / model(30e6)).abs() < 1e-6, "{size}: {cdf}");
    }
}

/// Kolmogorov and Smirnov: of n draws no share is further from the file's than 1.95/√n, but once in 1000 times.
#[test]
fn draws_follow_the_file() {
    let draw = sample();
    let points = points(&draw);
    let cdf = |x: f64| {
        let above = points.partition_point(|point| point.0 <= x);
        match (points.get(above.wrapping_sub(1)), points.get(above)) {
            (Some(a), Some(b)) => a.1 + (x - a.0) / (b.0 - a.0) * (b.1 - a.1),
            (Some(last), None) => last.1,
            (None, _) => 0.0,
        }
    };
    let (n, mut random) = (20_000, Random::new(1, 0));
    let mut drawn: Vec<f64> = (0..n).map(|_| draw.sample(&mut random)).collect();
    drawn.sort_by(f64::total_cmp);
    // The least size has a share of its own: there the two differ from below by it.
    let off = drawn.iter().enumerate().filter(|(_, x)| **x > points[0].0).map(|(i, x)| {
        let (below, up_to) = (i as f64 / f64::from(n), (i + 1) as f64 / f64::from(n));
        (cdf(*x) - below).abs().max((cdf(*x) - up_to).abs())
    });
    let most = off.fold(0.0, f64::max);
    assert!(most < 1.95 / f64::from(n).sqrt(), "{most}");
}
