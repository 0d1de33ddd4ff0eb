"""Tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from . import _anabranch

if TYPE_CHECKING:
    import pandas
    import polars

SHOWN = 10
"""The most rows shown in a notebook."""


class Table:
    """Columns of equal length; their names include the units.

    `table["goodput_bps"]` is a list of a column's values, `list(table)` has the columns' names, and `dict(table)` all columns.

    It has the Arrow PyCapsule interface: `polars.DataFrame(table)`, `pyarrow.table(table)` and DuckDB's queries read it without
    a copy. Whole numbers are signed, except `seed`, and never missing; an undefined number is null.
    """

    def __init__(self, table: _anabranch.Table) -> None:
        self._table = table

    @classmethod
    def _of(cls, columns: Sequence[tuple[str, str, Sequence[Any]]]) -> Table:
        return cls(_anabranch.Table(columns))

    @property
    def column_names(self) -> list[str]:
        """The columns' names, in order."""
        return self._table.column_names

    def keys(self) -> list[str]:
        """The same, so that `dict(table)` has a list of values for each column."""
        return self.column_names

    def __len__(self) -> int:
        return len(self._table)

    def __iter__(self) -> Iterator[str]:
        return iter(self.column_names)

    def __contains__(self, column: object) -> bool:
        return column in self.column_names

    def __getitem__(self, column: str) -> list[Any]:
        """A column's values."""
        return self._table.column(column)

    def to_pydict(self) -> dict[str, list[Any]]:
        """Each column as a list."""
        return self._table.to_pydict()

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each row as a dictionary."""
        columns = self.to_pydict()
        for values in zip(*columns.values()):
            yield dict(zip(columns, values))

    def to_polars(self) -> polars.DataFrame:
        """As a data frame of Polars."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """As a pandas data frame."""
        try:
            import pyarrow
        except ImportError:
            import pandas

            return pandas.DataFrame(self.to_pydict())
        frame: pandas.DataFrame = pyarrow.table(self).to_pandas()
        return frame

    def __arrow_c_schema__(self) -> object:
        return self._table.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (type(self), self._table.packed())

    def __repr__(self) -> str:
        return f"<anabranch.Table: {len(self)} rows of {', '.join(self.column_names)}>"

    def _repr_html_(self) -> str:
        columns = self._table.to_pydict(SHOWN)
        head = "".join(f"<th>{html(name)}</th>" for name in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>" for row in zip(*columns.values())
        )
        more = len(self) - SHOWN
        rest = f"<p>and {more} more rows</p>" if more > 0 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _unpickled(cls: type[Table], columns: list[Any]) -> Table:
    return cls(_anabranch.Table.unpacked(columns))


def html(text: str) -> str:
    """Text for HTML: escaped, without hidden characters."""
    return escape(_anabranch.printable(text))


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.6g}" if isinstance(value, float) else html(str(value))
