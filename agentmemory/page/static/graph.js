// The graph: dots are beliefs, lines their edges; what is shown depends on the time slider and the legend.
"use strict";

const KINDS = {
  rule: "#d1495b", correction: "#e07a1f", decision: "#2f6fde", preference: "#8a5bd6", fact: "#2a9d5c",
  procedure: "#0e9aa7", summary: "#8d99ae", trait: "#b5838d",
};
const LINES = {
  supersedes: "#e07a1f", contradicts: "#d1495b", supports: "#2a9d5c", relates: "#a3abb5", next: "#0e9aa7",
  summarizes: "#8d99ae", speculates: "#c9b458",
};
const ARRANGE_MS = 4000;

const ink = (dark) => (dark.matches ? "#e6e8eb" : "#1d2126");

// The label of the chosen dot, on a ground of the page's colour.
function drawChosen(canvas, data, settings, dark) {
  canvas.beginPath();
  canvas.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
  canvas.strokeStyle = ink(dark);
  canvas.stroke();
  if (!data.label) return;
  canvas.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
  canvas.fillStyle = dark.matches ? "#1b1f24" : "#ffffff";
  canvas.fillRect(data.x + data.size + 6, data.y - settings.labelSize, canvas.measureText(data.label).width + 8, settings.labelSize * 1.8);
  canvas.fillStyle = ink(dark);
  canvas.fillText(data.label, data.x + data.size + 10, data.y + settings.labelSize / 3);
}

class MemoryGraph {
  constructor(box, onOpen) {
    this.box = box;
    this.hidden = new Set();
    this.at = Infinity;
    this.chosen = null;
    this.found = null;
    this.graph = new graphology.MultiDirectedGraph();
    const dark = matchMedia("(prefers-color-scheme: dark)");
    this.sigma = new Sigma(this.graph, box, {
      labelColor: { color: ink(dark) }, defaultDrawNodeHover: (c, data, settings) => drawChosen(c, data, settings, dark),
      labelRenderedSizeThreshold: 9, hideEdgesOnMove: true, hideLabelsOnMove: true, labelDensity: 0.4, zIndex: true, minCameraRatio: 0.02, allowInvalidContainer: true,
      nodeReducer: (id, data) => this.drawDot(data),
      edgeReducer: (id, data) => this.drawLine(id, data),
    });
    dark.addEventListener("change", (e) => this.sigma.setSetting("labelColor", { color: ink(e) }));
    this.sigma.on("clickNode", ({ node }) => onOpen(Number(node)));
  }

  load({ dots, lines, places }) {
    this.stop();
    this.graph.clear();
    dots.forEach(([id, kind, state, locked, from, to, label, uses], i) => {
      const size = 3 + Math.min(9, 1.5 * Math.log2(1 + uses)) + (locked ? 2 : 0);
      this.graph.addNode(String(id), {
        x: places[i][0], y: places[i][1], size, label, kind, state, locked: Boolean(locked), from, to,
        color: KINDS[kind] || "#888",
      });
    });
    for (const [src, dst, type, weight] of lines) {
      if (this.graph.hasNode(String(src)) && this.graph.hasNode(String(dst))) {
        this.graph.addEdge(String(src), String(dst), { kind: type, size: type === "relates" ? 0.5 : 1.2, weight, color: LINES[type] || "#aaa" });
      }
    }
    this.sigma.refresh();
  }

  drawDot(data) {
    const gone = data.to !== null && data.to <= this.at;
    const shown = data.from <= this.at && !this.hidden.has(data.kind) && !["retracted", "archived"].includes(data.state);
    const out = { ...data, hidden: !shown };
    if (gone || data.state === "proposed") { out.color += "55"; out.size = data.size * 0.7; out.zIndex = -1; }
    if (this.found && !this.found.has(data.id)) { out.color = data.color.slice(0, 7) + "33"; out.label = ""; }
    if (this.chosen !== null && data.id === this.chosen) { out.highlighted = true; out.zIndex = 2; }
    return out;
  }

  drawLine(id, data) {
    return this.hidden.has(data.kind) ? { ...data, hidden: true } : data;
  }

  show({ at, found }) {
    if (at !== undefined) this.at = at;
    if (found !== undefined) this.found = found;
    this.sigma.refresh({ skipIndexation: true });
  }

  toggle(kind) {
    if (!this.hidden.delete(kind)) this.hidden.add(kind);
    this.sigma.refresh({ skipIndexation: true });
  }

  choose(id) {
    this.chosen = id === null ? null : id;
    this.sigma.refresh({ skipIndexation: true });
    const place = id === null ? null : this.sigma.getNodeDisplayData(String(id));
    if (place) this.sigma.getCamera().animate({ x: place.x, y: place.y, ratio: this.graph.order > 200 ? Math.min(0.4, this.sigma.getCamera().ratio) : this.sigma.getCamera().ratio }, { duration: 250 });
  }

  arrange() {
    this.stop();
    const { FA2Layout } = graphologyLibrary;
    const settings = { barnesHutOptimize: this.graph.order > 500, strongGravityMode: true, gravity: 0.02, scalingRatio: 6, slowDown: 4 };
    this.layout = new FA2Layout(this.graph, { settings });
    this.layout.start();
    this.timer = setTimeout(() => this.stop(), ARRANGE_MS);
  }

  stop() {
    clearTimeout(this.timer);
    if (this.layout) this.layout.kill();
    this.layout = null;
  }
}
