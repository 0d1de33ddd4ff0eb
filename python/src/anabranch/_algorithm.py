"""An algorithm written in Python."""

from __future__ import annotations

from collections.abc import Sequence

from ._anabranch import Ack, Congestion, Path


class Algorithm:
    """An algorithm over all paths of one connection: a subclass is one, and each connection has an object of it.

    `paths` is the table of the connection's paths, and `r` the row that an event concerns. An algorithm writes the window, the
    threshold and the pacing rate of row `r` alone; it may bar any row. Windows are in segments, times in seconds.

        class Reno(anabranch.Algorithm):
            def acked(self, paths, r, ack):
                left = paths[r].slow_start(ack.acked)
                paths[r].cwnd += left / paths[r].cwnd

            def congestion(self, paths, r, event):
                paths[r].reduce_to(paths[r].cwnd / 2)

        anabranch.run("scenario.toml", cc=Reno)

    It is for trying ideas: an acknowledgement costs about a microsecond more than in Rust, and a run several times as long.
    Mind that `path.cwnd += path.slow_start(n)` reads the window before the call and so loses what that does.
    """

    observables: Sequence[str] = ()
    """Names of inner values that `observe` gives; they are columns of the samples."""

    def path_added(self, paths: list[Path], r: int) -> None:
        """Row `r` is new, or is in use again after it was removed."""

    def path_removed(self, paths: list[Path], r: int) -> None:
        """Row `r` will carry nothing more: forget its state."""

    def acked(self, paths: list[Path], r: int, ack: Ack) -> None:
        """Segments were acknowledged on `r`: grow its window by `ack.acked`, which is 0 where it may not grow."""
        raise NotImplementedError

    def congestion(self, paths: list[Path], r: int, event: Congestion) -> None:
        """Congestion on `r`: set its threshold and its window. After a timeout the window is one segment anyway."""
        raise NotImplementedError

    def spurious(self, paths: list[Path], r: int) -> None:
        """The last congestion on `r` was none: window and threshold are restored; restore what else it changed."""

    def app_limited(self, paths: list[Path], r: int, now: float) -> None:
        """Data was acknowledged on `r` while the window did not limit the sender."""

    def observe(self, paths: list[Path], r: int) -> Sequence[float]:
        """The values of `observables` for row `r`, in that order; NaN where one has none now."""
        return ()
