"""Plots with matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from io import BytesIO
from itertools import groupby
from math import nan
from textwrap import fill
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from ._arguments import refused, wrong

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._run import Run

SIZES: dict[str, tuple[float, float, dict[str, Any]]] = {
    "screen": (9.0, 2.4, {}),
    "single": (3.4, 2.0, {"font.size": 8, "figure.titlesize": "medium"}),
    "double": (7.0, 2.2, {"font.size": 8}),
}
"""The width of a figure and the height of a panel, in inches, and settings of matplotlib."""
OF_RUN = {"single": 1.3}
"""The height of a run's four panels where it is another: all of them fit on a page."""
NARROW = 44
"""Characters of a title in a column of a paper."""
INTERVAL_S = 0.5
"""Goodput is plotted as the mean over this many seconds."""


class Picture(Figure):
    """A figure that notebooks show although it was made without pyplot."""

    def _repr_png_(self) -> bytes:
        png = BytesIO()
        self.savefig(png, format="png", bbox_inches="tight")
        return png.getvalue()


def _sized(draw: Callable[[Any, str, Any], Any]) -> Callable[[Any, str, Any], Any]:
    """Draws with the settings of a size."""

    @wraps(draw)
    def with_settings(of: Any, size: str, ax: Any) -> Any:
        if size not in SIZES:
            raise wrong("size", size, "'screen', 'single' or 'double'")
        with rc_context(SIZES[size][2]):
            return draw(of, size, ax)

    return with_settings


def _panels(count: int, size: str, ax: Any, height: float | None = None) -> tuple[Any, list[Axes]]:
    """A figure with these panels, one below another, or the caller's axes and their figure."""
    if ax is not None:
        given = [ax] if hasattr(ax, "plot") else list(getattr(ax, "flat", ax))
        if len(given) != count:
            raise refused(f"`ax` has {len(given)} axes: this figure has {count} panels")
        return given[0].figure, given
    width, usual, _ = SIZES[size]
    picture = Picture(figsize=(width, (height or usual) * count), layout="constrained")
    return picture, [picture.add_subplot(count, 1, i + 1) for i in range(count)]


@_sized
def over_time(run: Run, size: str, ax: Any) -> Any:
    """Goodput, window and RTT of each subflow, and each link's queue."""
    picture, (goodput, window, rtt, queue) = _panels(4, size, ax, OF_RUN.get(size))
    for name, series in _each(run.samples.to_pydict(), ("flow", "path")):
        time = series["time_s"]
        goodput.plot(*_rate(time, series["delivered_bytes"]), label=name)
        window.plot(time, series["cwnd_segments"], label=name)
        rtt.plot(time, [nan if s is None else s * 1e3 for s in series["srtt_s"]], label=name)
    for name, series in _each(run.link_samples.to_pydict(), ("link",)):
        queue.plot(series["time_s"], series["queue_packets"], label=name)
    titles = ["goodput (Mbit/s)", "window (segments)", "RTT (ms)", "queue (packets)"]
    for axes, title in zip((goodput, window, rtt, queue), titles):
        axes.set_ylabel(title)
        axes.set_ylim(bottom=0)
        axes.set_xlim(0, run.summary["duration_s"])
        if ax is not None or size != "single":
            _legend(axes)
    queue.set_xlabel("time (s)")
    goodput.set_title(f"{run.summary['scenario']}, seed {run.seed}")
    if ax is None and size == "single":
        # The subflows of three panels; links have the colours of their own panel.
        if len(queue.lines) > 1:
            queue.legend(fontsize="small", frameon=False, loc="upper right")
        _legend_below(picture, [goodput, window, rtt])
    return picture


def _each(columns: dict[str, list[Any]], keys: tuple[str, ...]) -> Iterator[tuple[str, dict[str, list[Any]]]]:
    """The rows of each subject, which are consecutive, with its name."""
    names = list(zip(*(columns[key] for key in keys)))
    start = 0
    for name, rows in groupby(names):
        end = start + len(list(rows))
        yield ", ".join(name), {key: values[start:end] for key, values in columns.items()}
        start = end


def _rate(time: list[float], delivered: list[int]) -> tuple[list[float], list[float]]:
    """Means over intervals, in Mbit/s, each at its end."""
    times, rates = [], []
    last, before = 0.0, 0
    for now, bytes in zip(time, delivered):
        if now - last >= INTERVAL_S - 1e-9:
            times.append(now)
            rates.append((bytes - before) * 8 / 1e6 / (now - last))
            last, before = now, bytes
    return times, rates


def _legend(axes: Axes) -> None:
    if 1 < len(axes.get_legend_handles_labels()[1]) <= 12:
        axes.legend(fontsize="small", frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))


@_sized
def of_study(figure: dict[str, Any], size: str, ax: Any) -> Any:
    """A study's figure, one panel below another."""
    picture, all = _panels(len(figure["panels"]), size, ax)
    for axes, panel in zip(all, figure["panels"]):
        MARKS[panel["mark"]](axes, panel)
        axes.set_title(panel["title"], fontsize="medium")
        axes.set_ylabel(panel["y"]["title"])
        if panel["x"]["title"]:
            axes.set_xlabel(panel["x"]["title"])
        if panel["mark"] != "tile":
            _scale(axes, panel)
            if ax is not None or size != "single":
                _legend(axes)
    if ax is None:
        title = picture.suptitle(f"{figure['id']}: {figure['title']}")
        if size == "single":
            title.set_text(fill(title.get_text(), NARROW))
            _legend_below(picture, all)
    return picture


def _legend_below(picture: Figure, all: list[Axes]) -> None:
    """One legend of all panels, since there is little room beside them, and the height for it."""
    handles = {label: handle for axes in all for handle, label in zip(*axes.get_legend_handles_labels())}
    if 1 < len(handles) <= 12:
        picture.legend(handles.values(), handles, fontsize="small", frameon=False, loc="outside lower center", ncols=2)
        picture.set_figheight(picture.get_figheight() + 0.1 * len(handles))


def _scale(axes: Axes, panel: dict[str, Any]) -> None:
    if panel["y"]["log"]:
        axes.set_yscale("log")
    if panel["y"]["domain"]:
        axes.set_ylim(panel["y"]["domain"])
    if panel["mark"] in ("line", "point"):
        if panel["x"]["log"]:
            axes.set_xscale("log")
        if panel["x"]["domain"]:
            axes.set_xlim(panel["x"]["domain"])


def _number(value: float | None) -> float:
    """A point without a value leaves a gap."""
    return nan if value is None else value


def _line(axes: Axes, panel: dict[str, Any]) -> None:
    _points(axes, panel, joined=True)


def _point(axes: Axes, panel: dict[str, Any]) -> None:
    _points(axes, panel, joined=False)


def _points(axes: Axes, panel: dict[str, Any], joined: bool) -> None:
    for series in panel["series"]:
        points = series["points"]
        half = [point["half_width"] or 0.0 for point in points]
        axes.errorbar(
            [point["x"] for point in points],
            [_number(point["y"]) for point in points],
            yerr=half if any(half) else None,
            linestyle=("--" if series["published"] else "-") if joined else "none",
            marker="s" if series["published"] else ("o" if not joined or len(points) < 40 else None),
            markersize=3,
            linewidth=1,
            label=_name(series),
        )


def _name(series: dict[str, Any]) -> str:
    """In the legend: a paper's series and ours may have one name."""
    return f"{series['name']} (published)" if series["published"] else str(series["name"])


def _labels(panel: dict[str, Any]) -> list[str]:
    labels = [point["label"] or "" for series in panel["series"] for point in series["points"]]
    return list(dict.fromkeys(labels))


def _name_groups(axes: Axes, labels: list[str]) -> None:
    """Names at the axis, inclined if neighbours would overlap: a character is about two thirds as wide as the text is high."""
    figure: Any = axes.figure
    room = 1.5 * figure.get_figwidth() * 72 / axes.xaxis.label.get_fontsize() / max(len(labels), 1)
    crowded = any(len(a) + len(b) > 2 * room for a, b in zip(labels, labels[1:]))
    axes.set_xticks(range(len(labels)), labels, rotation=30 if crowded else 0, ha="right" if crowded else "center")


def _bar(axes: Axes, panel: dict[str, Any]) -> None:
    labels, count = _labels(panel), len(panel["series"])
    width = 0.8 / max(count, 1)
    for i, series in enumerate(panel["series"]):
        points = series["points"]
        axes.bar(
            [labels.index(point["label"] or "") + (i - (count - 1) / 2) * width for point in points],
            [_number(point["y"]) for point in points],
            width,
            yerr=[point["half_width"] or 0.0 for point in points],
            hatch="//" if series["published"] else None,
            label=_name(series),
        )
    _name_groups(axes, labels)


def _box(axes: Axes, panel: dict[str, Any]) -> None:
    labels, count = _labels(panel), len(panel["series"])
    width = 0.8 / max(count, 1)
    for i, series in enumerate(panel["series"]):
        values = [[_number(point["y"]) for point in series["points"] if (point["label"] or "") == label] for label in labels]
        at = [k + (i - (count - 1) / 2) * width for k in range(len(labels))]
        boxes = axes.boxplot(values, positions=at, widths=width * 0.9, patch_artist=True, manage_ticks=False)
        for box in boxes["boxes"]:
            box.set_facecolor(f"C{i}")
        axes.plot([], [], color=f"C{i}", label=_name(series))
    _name_groups(axes, labels)


def _tile(axes: Axes, panel: dict[str, Any]) -> None:
    labels = _labels(panel)
    rows = [{point["label"] or "": _number(point["y"]) for point in series["points"]} for series in panel["series"]]
    values = [[row.get(label, nan) for label in labels] for row in rows]
    worst, best = panel["y"]["domain"] or (None, None)
    reverse = worst is not None and worst > best
    low, high = (best, worst) if reverse else (worst, best)
    image = axes.imshow(values, aspect="auto", cmap="RdBu_r" if reverse else "RdBu", vmin=low, vmax=high)
    axes.figure.colorbar(image, ax=axes)
    axes.set_xticks(range(len(labels)), labels, rotation=30, ha="right")
    axes.set_yticks(range(len(rows)), [_name(series) for series in panel["series"]])


MARKS: dict[str, Callable[[Any, dict[str, Any]], None]] = {
    "line": _line,
    "point": _point,
    "bar": _bar,
    "box": _box,
    "tile": _tile,
}
