//! The matrix of networks, and the part of it that a size takes.

use crate::scenarios::{self, ScenarioFile};
use anabranch_study::{Setup, Size};

/// Where the subflows of a connection meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Network {
    /// On one link.
    Shared,
    /// Nowhere.
    Separate,
    /// One half of them on one link, each other one alone.
    HalfShared,
}

/// A network of the matrix. Links and subflows count from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    network: Network,
    /// RTTs of 20 and 200 ms in turn, instead of 60 ms.
    unequal: bool,
    mbps: u32,
    subflows: usize,
    buffer_bdp: f64,
    /// Bernoulli loss on every link.
    loss: f64,
}

const NETWORKS: [Network; 3] = [Network::Shared, Network::Separate, Network::HalfShared];
const SUBFLOWS: [usize; 3] = [2, 4, 8];
const BUFFERS_BDP: [f64; 3] = [0.5, 1.0, 4.0];
const LOSSES: [f64; 3] = [0.0, 1e-6, 1e-4];

/// L9(3⁴): each two columns have each pair of values once.
const L9: [[usize; 4]; 9] = [
    [0, 0, 0, 0],
    [0, 1, 1, 1],
    [0, 2, 2, 2],
    [1, 0, 1, 2],
    [1, 1, 2, 0],
    [1, 2, 0, 1],
    [2, 0, 2, 1],
    [2, 1, 0, 2],
    [2, 2, 1, 0],
];

/// The cells at a rate.
pub(super) fn cells(mbps: u32, size: Size) -> Vec<Cell> {
    if size == Size::Full { whole(mbps) } else { fraction(mbps) }
}

/// Whether they run only where they are asked for.
pub(super) fn on_request(mbps: u32, size: Size) -> bool {
    match size {
        Size::Quick => mbps > 10,
        Size::Default => mbps > 100,
        Size::Full => false,
    }
}

fn whole(mbps: u32) -> Vec<Cell> {
    let mut cells = Vec::new();
    for network in NETWORKS {
        for unequal in [false, true] {
            for subflows in SUBFLOWS {
                for buffer_bdp in BUFFERS_BDP {
                    for loss in LOSSES {
                        cells.push(Cell { network, unequal, mbps, subflows, buffer_bdp, loss });
                    }
                }
            }
        }
    }
    cells.retain(|cell| cell.distinct() == *cell);
    cells
}

fn fraction(mbps: u32) -> Vec<Cell> {
    let cell = |(i, [n, s, b, l]): (usize, [usize; 4])| {
        let unequal = (i % 2 == 1) == (mbps == 10);
        let (network, subflows) = (NETWORKS[n], SUBFLOWS[s]);
        Cell { network, unequal, mbps, subflows, buffer_bdp: BUFFERS_BDP[b], loss: LOSSES[l] }.distinct()
    };
    L9.into_iter().enumerate().map(cell).collect()
}

impl Cell {
    /// With RTTs of 60 ms.
    pub(super) fn equal(network: Network, mbps: u32, subflows: usize, buffer_bdp: f64, loss: f64) -> Self {
        Cell { network, unequal: false, mbps, subflows, buffer_bdp, loss }
    }

    /// Two subflows of which each is a half share nothing.
    fn distinct(self) -> Self {
        match (self.network, self.subflows) {
            (Network::HalfShared, 2) => Cell { network: Network::Separate, ..self },
            _ => self,
        }
    }

    /// "shared, 2 × 60 ms, 1 BDP, 1e-6".
    pub(super) fn label(&self) -> String {
        let network = match self.network {
            Network::Shared => "shared",
            Network::Separate => "separate",
            Network::HalfShared => "half-shared",
        };
        let rtts = if self.unequal { "20/200" } else { "60" };
        let loss = if self.loss == 0.0 { "no loss".into() } else { format!("{:e}", self.loss) };
        format!("{network}, {} × {rtts} ms, {} BDP, {loss}", self.subflows, self.buffer_bdp)
    }

    pub(super) fn links(&self) -> usize {
        match self.network {
            Network::Shared => 1,
            Network::Separate => self.subflows,
            Network::HalfShared => self.subflows / 2 + 1,
        }
    }

    /// The link of subflow `r`.
    pub(super) fn link_of(&self, r: usize) -> usize {
        match self.network {
            Network::Shared => 0,
            Network::Separate => r,
            Network::HalfShared => (r + 1).saturating_sub(self.subflows / 2),
        }
    }

    /// The connection with that algorithm: a name, or a table with parameters.
    pub(super) fn connection(&self, algorithm: &str, size: Size) -> Setup {
        self.setup(format!("{algorithm}: {}", self.label()), algorithm, 0..self.subflows, size)
    }

    /// CUBIC in its place, on each link by the path of the first subflow there.
    pub(super) fn single(&self, size: Size) -> Setup {
        let first = |r: &usize| (0..*r).all(|earlier| self.link_of(earlier) != self.link_of(*r));
        let subflows = (0..self.subflows).filter(first);
        self.setup(format!("single CUBIC flows: {}", self.label()), "cubic", subflows, size)
    }

    fn setup(
        &self,
        title: String,
        algorithm: &str,
        subflows: impl Iterator<Item = usize>,
        size: Size,
    ) -> Setup {
        let paths: Vec<String> = subflows.map(|r| self.path(r)).collect();
        // Means over six epochs of a CUBIC flow that fills its link, but not the buffer, at 200 ms: ∛(0.75 W) s (RFC 9438, Eq. 2).
        let (duration, warmup) = match self.mbps {
            10 => (200.0, 50.0),
            100 => (100.0, 30.0),
            _ => (200.0, 60.0),
        };
        let extent = |seconds: f64| if size == Size::Quick { size.own(seconds) } else { seconds };
        let setup = Setup::new(title, self.file())
            .set("flows.tested.cc", algorithm)
            .lasting(extent(duration), extent(warmup))
            .set("flows.tested.paths", format!("[{}]", paths.join(", ")))
            .set("variation.host_jitter", format!("{} us", 12_000 / self.mbps)); // one packet
        let setup = (0..self.links()).fold(setup, |setup, i| self.set_link(setup, i));
        // Long runs of few packets.
        if self.mbps == 10 { setup.repeats(2) } else { setup }
    }

    fn far(&self, r: usize) -> bool {
        self.unequal && r % 2 == 1
    }

    fn has_alone(&self, link: usize) -> bool {
        self.network == Network::Separate || link > 0
    }

    fn path(&self, r: usize) -> String {
        let link = self.link_of(r);
        let detour = if self.far(r) && !self.has_alone(link) { "\"detour\", " } else { "" };
        format!("[{detour}\"link{}\"]", link + 1)
    }

    fn set_link(&self, setup: Setup, link: usize) -> Setup {
        let alone = self.has_alone(link);
        let far = alone && (0..self.subflows).any(|r| self.link_of(r) == link && self.far(r));
        let delay_ms = match (self.unequal, far) {
            (false, _) => 30,
            (true, false) => 10,
            (true, true) => 100,
        };
        let loss = match self.loss {
            0.0 => String::new(),
            rate => format!(", loss = {{ model = \"bernoulli\", rate = {rate:e} }}"),
        };
        let Cell { mbps, buffer_bdp, .. } = self;
        // The connection's buffer for the single flow too, whose path has no detour and another BDP: Mbit/s × 200 ms.
        let queue = match self.unequal && !alone {
            true => format!("{} kB", buffer_bdp * f64::from(*mbps) * 25.0),
            false => format!("{buffer_bdp} BDP"),
        };
        setup.set(
            &format!("links.link{}", link + 1),
            format!("{{ rate = \"{mbps} Mbit/s\", delay = \"{delay_ms} ms\", queue = \"{queue}\"{loss} }}"),
        )
    }

    fn file(&self) -> &'static ScenarioFile {
        match (self.network, self.subflows) {
            (Network::Shared, _) => &scenarios::COUPLING_SHARED,
            (Network::Separate, 2) => &scenarios::COUPLING_SEPARATE_2,
            (Network::Separate, 4) => &scenarios::COUPLING_SEPARATE_4,
            (Network::Separate, _) => &scenarios::COUPLING_SEPARATE_8,
            (Network::HalfShared, 4) => &scenarios::COUPLING_HALF_SHARED_4,
            (Network::HalfShared, _) => &scenarios::COUPLING_HALF_SHARED_8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matrix_has_432_cells_and_its_part_is_of_it() {
        let all: Vec<Cell> = [10, 100, 1000].into_iter().flat_map(|rate| cells(rate, Size::Full)).collect();
        assert_eq!(all.len(), 432);
        for rate in [10, 100, 1000] {
            let part = cells(rate, Size::Default);
            assert_eq!(part.len(), 9);
            assert!(part.iter().all(|cell| all.contains(cell)));
        }
        let labels: std::collections::BTreeSet<String> =
            cells(100, Size::Full).iter().map(Cell::label).collect();
        assert_eq!(labels.len(), 144);
    }

    #[test]
    fn each_two_values_meet_once_in_the_array() {
        for (a, b) in (0..4).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let pairs: std::collections::BTreeSet<_> = L9.iter().map(|row| (row[a], row[b])).collect();
            assert_eq!(pairs.len(), 9, "columns {a} and {b}");
        }
    }

    /// The yardstick has the connection's links: rate, delay, and buffer in bytes.
    #[test]
    fn one_network_for_both() {
        for cell in [10, 100, 1000].into_iter().flat_map(|rate| cells(rate, Size::Full)) {
            let [ours, single] = [cell.connection("lia", Size::Full), cell.single(Size::Full)]
                .map(|setup| setup.scenario().unwrap().links);
            for (ours, single) in ours.iter().zip(&single).filter(|(link, _)| link.name != "detour") {
                assert_eq!(ours.spec, single.spec, "{} of {}", ours.name, cell.label());
            }
        }
    }

    #[test]
    fn half_of_eight_subflows_share_a_link() {
        let equal = Cell::equal(Network::HalfShared, 10, 8, 1.0, 0.0);
        let cell = Cell { unequal: true, ..equal };
        let links: Vec<usize> = (0..8).map(|r| cell.link_of(r)).collect();
        assert_eq!(links, [0, 0, 0, 0, 1, 2, 3, 4]);
        assert_eq!(cell.links(), 5);
        assert_eq!((cell.path(3), cell.path(5)), (r#"["detour", "link1"]"#.into(), r#"["link3"]"#.into()));
    }
}
