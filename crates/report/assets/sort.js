// Sorts a table by a column when its heading is clicked: ascending, then descending. Rows without a value stay last.
"use strict";

for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const buttons = [...table.querySelectorAll("thead button[data-column]")];
  const value = (row, column) => {
    const text = row.cells[column].dataset.value;
    return text === undefined ? undefined : isNaN(text) ? text : Number(text);
  };
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const column = Number(button.dataset.column);
      const heading = button.closest("th");
      const descending = heading.getAttribute("aria-sort") === "ascending";
      for (const other of buttons) other.closest("th").removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const rows = [...body.rows].sort((a, b) => {
        const [x, y] = [value(a, column), value(b, column)];
        if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
        return (x < y ? -1 : x > y ? 1 : 0) * (descending ? -1 : 1);
      });
      body.append(...rows);
    });
  }
}
