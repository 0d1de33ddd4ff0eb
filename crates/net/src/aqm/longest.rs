//! Finds the longest of many queues in logarithmic time.

/// A tournament tree: the leaves are the queues' bytes, each inner node is the larger of its two children.
#[derive(Clone, Debug)]
pub(crate) struct Longest {
    /// The root is node 1, the children of node i are 2i and 2i + 1.
    nodes: Vec<u64>,
    leaves: usize,
    /// Nodes visited so far.
    #[cfg(test)]
    pub steps: u64,
}

impl Longest {
    /// For this many empty queues.
    pub fn new(queues: usize) -> Longest {
        let leaves = queues.next_power_of_two();
        Longest {
            nodes: vec![0; 2 * leaves],
            leaves,
            #[cfg(test)]
            steps: 0,
        }
    }

    #[inline]
    pub fn set(&mut self, queue: u32, bytes: u64) {
        let mut node = self.leaves + queue as usize;
        self.nodes[node] = bytes;
        while node > 1 {
            node /= 2;
            #[cfg(test)]
            (self.steps += 1);
            let larger = self.nodes[2 * node].max(self.nodes[2 * node + 1]);
            if self.nodes[node] == larger {
                break;
            }
            self.nodes[node] = larger;
        }
    }

    /// The longest queue, the first one among equals; `None` if all are empty.
    pub fn find(&self) -> Option<u32> {
        if self.nodes[1] == 0 {
            return None;
        }
        let mut node = 1;
        while node < self.leaves {
            node *= 2;
            node += usize::from(self.nodes[node] < self.nodes[node + 1]);
        }
        Some((node - self.leaves) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn it_is_the_maximum() {
        for n in [1, 2, 3, 7, 64, 100] {
            let (mut longest, mut plain) = (Longest::new(n), vec![0u64; n]);
            assert_eq!(longest.find(), None);
            let mut random = Random::new(n as u64, 0);
            for _ in 0..2000 {
                let (queue, bytes) = (random.below(n as u64) as usize, random.below(20));
                plain[queue] = bytes;
                longest.set(queue as u32, bytes);
                let most = *plain.iter().max().unwrap();
                let first = plain.iter().position(|bytes| *bytes == most).filter(|_| most > 0);
                assert_eq!(longest.find(), first.map(|queue| queue as u32));
            }
        }
    }
}
