//! Linear objectives over cones, as Clarabel solves them.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};

/// Minimise c·x so that b − A x is in the cones, one after the other.
pub(crate) struct Program {
    /// c.
    pub objective: Vec<f64>,
    /// b.
    pub bounds: Vec<f64>,
    /// The cones that the rows are in, in order.
    pub cones: Vec<SupportedConeT<f64>>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

pub(crate) struct Solution {
    /// x.
    pub x: Vec<f64>,
    /// Of the rows.
    pub multipliers: Vec<f64>,
}

impl Program {
    /// With these c, b and cones, and A = 0.
    pub fn new(objective: Vec<f64>, bounds: Vec<f64>, cones: Vec<SupportedConeT<f64>>) -> Self {
        Program { objective, bounds, cones, rows: vec![], columns: vec![], values: vec![] }
    }

    /// Adds an entry of A.
    pub fn put(&mut self, row: usize, column: usize, value: f64) {
        self.rows.push(row);
        self.columns.push(column);
        self.values.push(value);
    }

    /// Solves it; `None` if the solver finds no optimum.
    pub fn solve(self) -> Option<Solution> {
        let (rows, columns) = (self.bounds.len(), self.objective.len());
        let square = CscMatrix::zeros((columns, columns));
        let matrix = CscMatrix::new_from_triplets(rows, columns, self.rows, self.columns, self.values);
        // A gap of ε in the objective may leave √ε in x; where rounding ends progress, the larger gap is accepted.
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: 1e-10,
            tol_gap_rel: 1e-10,
            reduced_tol_gap_abs: 1e-8,
            reduced_tol_gap_rel: 1e-8,
            reduced_tol_feas: 1e-7,
            ..DefaultSettings::default()
        };
        // Rounding may end progress before that. On another way to the optimum, without scaling of the rows or with shorter steps,
        // it seldom does as well.
        let unscaled = DefaultSettings { equilibrate_enable: false, ..settings.clone() };
        let shorter = DefaultSettings { max_step_fraction: 0.9, ..settings.clone() };
        [settings, unscaled, shorter].into_iter().find_map(|settings| {
            let solver =
                DefaultSolver::new(&square, &self.objective, &matrix, &self.bounds, &self.cones, settings);
            let mut solver = solver.ok()?;
            solver.solve();
            let solution = &solver.solution;
            matches!(solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved)
                .then(|| Solution { x: solution.x.clone(), multipliers: solution.z.clone() })
        })
    }
}
