"""An algorithm written in Python."""

from __future__ import annotations

from collections.abc import Sequence

from ._anabranch import Ack, Congestion, Path


class Algorithm:
    """The base class of algorithms. Each connection has its own instance, which controls all paths of the connection.

    `paths` is the table of the connection's paths, and `r` the row of an event. An algorithm writes the window, the
    threshold and the pacing rate of row `r` only; it may bar any row. Windows are in segments, times in seconds.

        class Reno(anabranch.Algorithm):
            def acked(self, paths, r, ack):
                left = paths[r].slow_start(ack.acked)
                paths[r].cwnd += left / paths[r].cwnd

            def congestion(self, paths, r, event):
                paths[r].reduce_to(paths[r].cwnd / 2)

        anabranch.run("scenario.toml", cc=Reno)

    Use it to try ideas: an ACK costs about a microsecond more than in Rust, and a run takes several times as long.
    Note that `path.cwnd += path.slow_start(n)` reads the window before the call and so loses the growth in slow start.
    """

    observables: Sequence[str] = ()
    """Names of the values that `observe` returns; they are columns of the samples."""

    def path_added(self, paths: list[Path], r: int) -> None:
        """Row `r` is new, or reused after removal."""

    def path_removed(self, paths: list[Path], r: int) -> None:
        """Row `r` is removed: discard its state."""

    def acked(self, paths: list[Path], r: int, ack: Ack) -> None:
        """Segments were acknowledged on `r`: grow its window by `ack.acked`, which is 0 if it must not grow."""
        raise NotImplementedError

    def congestion(self, paths: list[Path], r: int, event: Congestion) -> None:
        """Congestion on `r`: set its threshold and window. After a timeout the window is set to one segment."""
        raise NotImplementedError

    def spurious(self, paths: list[Path], r: int) -> None:
        """The last congestion event on `r` was spurious: window and threshold are restored; restore your other state."""

    def app_limited(self, paths: list[Path], r: int, now: float) -> None:
        """Data was acknowledged on `r` while the window did not limit the sender."""

    def observe(self, paths: list[Path], r: int) -> Sequence[float]:
        """The values of `observables` for row `r`, in order; NaN for undefined values."""
        return ()
