"""A sweep of many short runs into files (`anabranch.sweep_to`), through Dask with two workers: the client's memory, and the time to
resume. Needs the package, `distributed`, `polars` and `duckdb`:

    python bench/million.py [RUNS] [FOLDER]

Scheduler and workers are processes of their own, so that the client is measured alone.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anabranch
import duckdb
import polars
from distributed import Client

# A run of 50 ms simulated time.
SCENARIO = """
name = "short"
duration = "0.05 s"
links.a = { rate = "10 Mbit/s", delay = "2 ms" }
links.b = { rate = "5 Mbit/s", delay = "4 ms" }
flows = [
    { name = "tested", cc = "lia", paths = [["a"], ["b"]] },
    { name = "other", cc = "reno", paths = [["a"]] },
]
"""
SEEDS = 10
CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


def sweep(folder: str, runs: int, client: Client) -> anabranch.StoredSweep:
    # Points of two axes, as near to a square as can be.
    points = runs // SEEDS
    rows = max(n for n in range(1, 1001) if points % n == 0 and n * n <= points)
    vary = {"links.a.delay": [f"{2 + i / 100} ms" for i in range(rows)], "links.b.delay": [f"{4 + i / 100} ms" for i in range(points // rows)]}
    return anabranch.sweep_to(folder, SCENARIO, vary, seeds=SEEDS, executor=client.get_executor(), progress=False)


def mib() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(what: str, folder: str, runs: int) -> None:
    """In this process, which does nothing else."""
    cluster = subprocess.Popen([sys.executable, "-c", CLUSTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert cluster.stdin and cluster.stdout
    with Client(cluster.stdout.readline().strip()) as client:
        begin, clock, ours = mib(), time.perf_counter(), time.process_time()
        stored = sweep(folder, runs, client)
        clock, ours = time.perf_counter() - clock, time.process_time() - ours
        print(f"{what} {runs} runs: {clock:.1f} s, {ours:.1f} s of a core at the client; memory {begin:.0f} MiB before, {mib():.0f} MiB at most")
    cluster.stdin.close()
    cluster.wait()
    if what == "sweep":
        files = [file for file in Path(folder).rglob("*") if file.is_file()]
        size = sum(file.stat().st_size for file in files)
        print(f"{len(stored)} runs in {len(files)} files, {size / len(stored):.0f} bytes a run")
        start = time.perf_counter()
        lazy = stored.flows.to_polars().group_by("flow").agg(polars.col("goodput_bps").mean()).sort("flow").collect()
        middle = time.perf_counter()
        rows = stored.flows.to_duckdb(duckdb.connect()).aggregate("flow, avg(goodput_bps)").order("flow").fetchall()
        end = time.perf_counter()
        print(f"means by polars {middle - start:.2f} s, by DuckDB {end - middle:.2f} s: {rows[0][1] / 1e6:.3f} and {lazy[0, 1] / 1e6:.3f} Mbit/s")


def main(runs: int, folder: str) -> None:
    for what in ("sweep", "resume"):
        subprocess.run([sys.executable, __file__, what, folder, str(runs)], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in ("sweep", "resume"):
        measure(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, sys.argv[2] if len(sys.argv) > 2 else folder)
