// Draws each chart of the page from the Vega-Lite specification inside it.
"use strict";

// Text and lines take the page's colour, so that they follow the light and the dark scheme.
const config = {
  background: "transparent",
  font: "system-ui, sans-serif",
  view: { stroke: null },
  axis: {
    domainColor: "currentColor", domainOpacity: 0.5,
    tickColor: "currentColor", tickOpacity: 0.5,
    gridColor: "currentColor", gridOpacity: 0.1,
    labelColor: "currentColor", labelFontSize: 11, labelFlush: false,
    titleColor: "currentColor", titleFontSize: 12, titleFontWeight: "normal", titlePadding: 8,
    tickCount: 6,
  },
  legend: { labelColor: "currentColor", labelFontSize: 12, symbolStrokeWidth: 1.8, symbolSize: 70, offset: 14 },
};

// Legends and labels are arranged by the width that a first layout finds: a second one makes room for them.
const settle = (view) => view.resize().runAsync();

async function draw(chart) {
  const spec = JSON.parse(chart.querySelector("script").textContent);
  const place = document.createElement("div");
  chart.append(place);
  try {
    const { view } = await vegaEmbed(place, spec, {
      mode: "vega-lite",
      renderer: "svg",
      config,
      downloadFileName: chart.dataset.name,
      actions: { export: true, source: true, compiled: false, editor: false },
      logLevel: vega.Error,
    });
    await settle(view);
    addEventListener("resize", () => settle(view));
    chart.dataset.state = "drawn";
  } catch (error) {
    chart.dataset.state = "failed";
    place.className = "hint";
    place.textContent = `This chart could not be drawn (${error.message}). Its values are in the CSV file below.`;
  }
}

// What is folded away has no width to be drawn in: it is drawn when it is opened.
(async () => {
  for (const chart of document.querySelectorAll(".chart")) {
    const fold = chart.closest("details:not([open])");
    if (fold) fold.addEventListener("toggle", () => draw(chart), { once: true });
    else await draw(chart);
  }
})();
