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
const REST_MS = 140;      // after the last movement the picture is drawn whole
const LINES_MS = 6;       // lines that took longer than this are left out while moving
const LABELS_IN_VIEW = 400;
const FEW = 60;           // beliefs that keep their labels while moving
const CROWD = 2000;       // lines from which on those that go far are drawn fainter
const ROOMY = 21;         // pixels between neighbours at which dots have their full size

class MemoryGraph {
  constructor(box, onOpen) {
    this.box = box;
    this.hidden = new Set();
    this.at = Infinity;
    this.chosen = this.found = null;
    this.camera = { x: 0, y: 0, k: 1 };
    this.count = this.lineCost = 0;
    this.canvas = box.appendChild(el("canvas", { role: "img", "aria-label": "Graph of beliefs" }));
    this.tip = box.appendChild(el("div", { id: "tip", hidden: true }));
    this.pixels = new Pixels(this.canvas);
    new Hand(box, this, onOpen);
    new ResizeObserver(() => { if (!this.touched) this.fit(); this.draw(); }).observe(box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  // dots: [[id, kind, state, locked, from, to, label, uses]]; lines: [[src, dst, type, weight]]; places: [[x, y]].
  load({ dots, lines, places }) {
    this.stop();
    const known = this.arranged ? new Map(this.dots.map((d, i) => [d[0], i])) : new Map(), old = [this.x, this.y];
    this.dots = dots;
    this.count = dots.length;
    this.index = new Map(dots.map((d, i) => [d[0], i]));
    const numbers = (make) => Float64Array.from(dots, make);
    this.x = numbers((d, i) => (known.has(d[0]) ? old[0][known.get(d[0])] : places[i][0]));
    this.y = numbers((d, i) => (known.has(d[0]) ? old[1][known.get(d[0])] : places[i][1]));
    this.size = numbers(([, , , locked, , , , uses]) => 3 + Math.min(9, 1.5 * Math.log2(1 + uses)) + (locked ? 2 : 0));
    this.color = Uint32Array.from(dots, (d) => packed(KINDS[d[1]] || "#888888"));
    this.lines = lines.filter(([a, b]) => this.index.has(a) && this.index.has(b));
    this.ends = Int32Array.from(this.lines.flatMap(([a, b]) => [this.index.get(a), this.index.get(b)]));
    this.ink = Uint32Array.from(this.lines, (l) => packed(LINES[l[2]] || "#aaaaaa"));
    this.share = new Int16Array(this.count);
    this.drawn = new Float32Array(this.count);
    this.screen = new Float32Array(2 * this.count);
    if (!this.touched) this.fit();
    this.select();
  }

  // How much of its colour each dot shows, of 256: none, faint (gone, proposed, not found) or all.
  select() {
    this.dots.forEach(([id, kind, state, , from, to], i) => {
      const gone = state === "refused" || state === "archived" || (state === "retracted" && !(this.at < to));
      const shown = from <= this.at && !this.hidden.has(kind) && !gone;
      const faint = (to !== null && to <= this.at) || state === "proposed" || state === "heard";
      const missed = this.found && !this.found.has(id);
      this.share[i] = !shown ? 0 : missed ? 40 : faint ? 90 : 256;
    });
    this.draw();
  }

  show({ at, found }) {
    if (at !== undefined) { if (at !== this.at) this.move(); this.at = at; }
    if (found !== undefined) this.found = found;
    this.select();
  }

  toggle(kind) {
    if (!this.hidden.delete(kind)) this.hidden.add(kind);
    this.select();
  }

  choose(id) {
    this.chosen = id;
    const i = this.index.get(id);
    if (i === undefined) return this.draw();
    const from = { ...this.camera }, began = performance.now();
    const to = { x: this.x[i], y: this.y[i], k: this.count > 200 ? Math.max(from.k, ROOMY / this.unit) : from.k };
    if (this.count <= 200) return this.draw();
    const step = (now) => {
      const share = Math.min(1, (now - began) / 250), eased = share * (2 - share);
      this.look({ x: from.x + (to.x - from.x) * eased, y: from.y + (to.y - from.y) * eased, k: from.k * (to.k / from.k) ** eased });
      if (share < 1) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  // The camera: what of the plane is in the middle (x, y), and pixels per unit (k).
  look(camera) {
    if (!this.count) return;
    this.touched = true;
    this.camera = camera;
    this.move();
    this.draw();
  }

  fit() {
    if (!this.count) return;
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < this.count; i++) {
      left = Math.min(left, this.x[i]); right = Math.max(right, this.x[i]);
      top = Math.min(top, this.y[i]); bottom = Math.max(bottom, this.y[i]);
    }
    const wide = Math.max(right - left, 1), high = Math.max(bottom - top, 1);
    this.unit = Math.sqrt((wide * high) / this.count);
    this.camera = {
      x: (left + right) / 2, y: (top + bottom) / 2,
      k: Math.max(0.001, Math.min((this.box.clientWidth - 80) / wide, (this.box.clientHeight - 120) / high, 90 / this.unit)),
    };
  }

  // Something moves: lines and labels may wait until it rests.
  move() {
    this.moving = true;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => { this.moving = false; this.draw(); }, REST_MS);
  }

  draw() {
    if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = null; this.paint(); });
  }

  paint() {
    const wide = this.box.clientWidth, high = this.box.clientHeight;
    if (!this.count || !wide || !high) { this.canvas.width = this.canvas.height = 1; this.pixels.width = 0; return; }
    const fine = this.moving ? 1 : Math.min(2, devicePixelRatio);
    const { pixels, screen, camera, share, drawn } = this, k = camera.k * fine;
    const style = getComputedStyle(this.box);
    pixels.begin(Math.round(wide * fine), Math.round(high * fine), packed(hex(style.backgroundColor)));
    const left = (wide / 2) * fine - camera.x * k, top = (high / 2) * fine - camera.y * k;
    for (let i = 0; i < this.count; i++) { screen[2 * i] = this.x[i] * k + left; screen[2 * i + 1] = this.y[i] * k + top; }
    if (!this.moving || this.lineCost < LINES_MS) this.paintLines(fine);
    const room = Math.max(0.35, Math.min(1.6, Math.sqrt((camera.k * this.unit) / ROOMY)));
    for (const faint of [true, false]) {
      for (let i = 0; i < this.count; i++) {
        if (share[i] === 0 || (share[i] < 256) !== faint) continue;
        drawn[i] = this.size[i] * room * (faint ? 0.7 : 1);
        pixels.dot(screen[2 * i], screen[2 * i + 1], drawn[i] * fine, this.color[i], share[i]);
      }
    }
    pixels.end();
    this.scale = fine;
    this.paintLabels(style, fine);
  }

  paintLines(fine) {
    const began = performance.now(), { ends, screen, share, pixels } = this;
    const crowd = this.lines.length > CROWD ? Math.max(12, 3 * this.camera.k * this.unit) : Infinity;
    for (let l = 0; l < this.lines.length; l++) {
      const a = ends[2 * l], b = ends[2 * l + 1], type = this.lines[l][2];
      if (share[a] === 0 || share[b] === 0 || this.hidden.has(type)) continue;
      const faint = share[a] < 256 && share[b] < 256 && type !== "supersedes", full = faint ? 50 : type === "relates" ? 110 : 190;
      const x = screen[2 * a], y = screen[2 * a + 1], u = screen[2 * b], v = screen[2 * b + 1];
      const near = crowd * fine / Math.hypot(u - x, v - y);  // far lines of a crowd are a haze over what is near
      if (near > 0.04) pixels.line(x, y, u, v, this.ink[l], near < 1 ? (full * near) | 0 : full);
    }
    this.lineCost = (performance.now() - began) / fine;
  }

  // At rest: the largest dots say their words where there is room, and the chosen one always does.
  paintLabels(style, fine) {
    const { to } = this.pixels, { screen, drawn } = this;
    to.font = `${13 * fine}px ${style.fontFamily}`;
    to.fillStyle = to.strokeStyle = style.color;
    const chosen = this.index.get(this.chosen);
    if (!this.moving || this.count <= FEW) {
      const inView = [...this.share.keys()].filter((i) => this.share[i] === 256 && i !== chosen &&
        screen[2 * i] > 0 && screen[2 * i + 1] > 0 && screen[2 * i] < this.pixels.width && screen[2 * i + 1] < this.pixels.height);
      const taken = [];
      for (const i of inView.length > LABELS_IN_VIEW ? [] : inView.sort((a, b) => drawn[b] - drawn[a])) {
        const text = short(this.dots[i][6], 34), x = screen[2 * i] + (drawn[i] + 4) * fine, y = screen[2 * i + 1] + 4 * fine;
        const end = x + to.measureText(text).width + 12 * fine;
        if (taken.some(([u, v, w]) => Math.abs(y - v) < 17 * fine && x < w && end > u)) continue;
        taken.push([x, y, end]);
        to.fillText(text, x, y);
      }
    }
    if (chosen === undefined || this.share[chosen] === 0) return;
    const x = screen[2 * chosen], y = screen[2 * chosen + 1], r = (drawn[chosen] + 3) * fine;
    to.lineWidth = 2 * fine;
    to.beginPath();
    to.arc(x, y, r, 0, 2 * Math.PI);
    to.stroke();
    const text = this.dots[chosen][6], wide = to.measureText(text).width;
    to.fillStyle = style.backgroundColor;
    to.fillRect(x + r + 3 * fine, y - 12 * fine, wide + 8 * fine, 22 * fine);
    to.fillStyle = style.color;
    to.fillText(text, x + r + 7 * fine, y + 4 * fine);
  }

  // The dot under a point of the box, -1 when there is none.
  under(x, y) {
    let best = -1, nearest = Infinity;
    for (let i = 0; i < this.count; i++) {
      if (this.share[i] === 0) continue;
      const far = Math.hypot(this.screen[2 * i] / this.scale - x, this.screen[2 * i + 1] / this.scale - y);
      if (far < nearest && far <= this.drawn[i] + 3) { best = i; nearest = far; }
    }
    return best;
  }

  hover(i, x, y) {
    this.tip.hidden = i < 0;
    this.box.style.cursor = i < 0 ? "grab" : "pointer";
    if (i < 0) return;
    this.tip.textContent = this.dots[i][6];
    const below = y + 14 + this.tip.offsetHeight < this.box.clientHeight;
    this.tip.style.transform = `translate(${Math.max(0, Math.min(x + 14, this.box.clientWidth - 320))}px, ${below ? y + 14 : y - 8 - this.tip.offsetHeight}px)`;
  }

  async arrange() {
    this.stop();
    await libraries();
    const { FA2Layout } = graphologyLibrary, graph = new graphology.MultiDirectedGraph();
    this.dots.forEach((d, i) => graph.addNode(d[0], { x: this.x[i], y: this.y[i] }));
    for (const [a, b, , weight] of this.lines) graph.addEdge(a, b, { weight });
    const settings = { barnesHutOptimize: this.count > 500, strongGravityMode: true, gravity: 0.02, scalingRatio: 6, slowDown: 4 };
    this.layout = new FA2Layout(graph, { settings });
    graph.on("eachNodeAttributesUpdated", () => {
      graph.forEachNode((id, { x, y }) => { const i = this.index.get(Number(id)); this.x[i] = x; this.y[i] = y; });
      this.arranged = true;
      this.fit();
      this.move();
      this.draw();
    });
    this.layout.start();
    this.timer = setTimeout(() => this.stop(), ARRANGE_MS);
  }

  stop() {
    clearTimeout(this.timer);
    if (this.layout) this.layout.kill();
    this.layout = null;
  }
}

// What a hand does to the graph: drag, wheel, pinch, click, and the keys while the graph has the focus.
class Hand {
  constructor(box, graph, onOpen) {
    Object.assign(this, { box, graph, onOpen, at: new Map() });
    const on = (name, run, options) => box.addEventListener(name, (e) => run.call(this, e), options);
    on("pointerdown", this.down);
    on("pointermove", this.move);
    on("pointerup", this.up);
    on("pointercancel", this.up);
    on("pointerleave", () => graph.hover(-1));
    on("wheel", this.wheel, { passive: false });
    on("keydown", this.key);
  }

  place(e) {
    const frame = this.box.getBoundingClientRect();
    return { x: e.clientX - frame.left, y: e.clientY - frame.top };
  }

  down(e) {
    this.at.set(e.pointerId, this.place(e));
    this.still = this.at.size === 1;
    this.box.setPointerCapture(e.pointerId);
    this.graph.stop();
  }

  move(e) {
    const here = this.place(e), before = this.at.get(e.pointerId);
    if (!before) return this.graph.hover(this.graph.under(here.x, here.y), here.x, here.y);
    if (this.still && Math.hypot(here.x - before.x, here.y - before.y) < 4) return undefined;
    this.still = false;
    this.graph.hover(-1);
    const other = [...this.at].find(([id]) => id !== e.pointerId)?.[1];
    this.at.set(e.pointerId, here);
    if (other) return this.zoom(Math.hypot(here.x - other.x, here.y - other.y) / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y)), other);
    return this.pan(here.x - before.x, here.y - before.y);
  }

  up(e) {
    const here = this.place(e);
    if (this.at.delete(e.pointerId) && this.still && e.type === "pointerup") {
      const i = this.graph.under(here.x, here.y);
      if (i >= 0) this.onOpen(this.graph.dots[i][0]);
    }
  }

  wheel(e) {
    e.preventDefault();
    this.zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0015)), this.place(e));
  }

  key(e) {
    const pan = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[e.key];
    const middle = { x: this.box.clientWidth / 2, y: this.box.clientHeight / 2 };
    if (pan) this.pan(...pan);
    else if (e.key === "+" || e.key === "-") this.zoom(e.key === "+" ? 1.3 : 1 / 1.3, middle);
    else if (e.key === "0") { this.graph.fit(); this.graph.draw(); }
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  pan(dx, dy) {
    const { x, y, k } = this.graph.camera;
    this.graph.look({ x: x - dx / k, y: y - dy / k, k });
  }

  // By a factor, about a point of the box that stays where it is.
  zoom(factor, { x, y }) {
    const { camera, box, unit } = this.graph, k = Math.max(0.1 / unit, Math.min(400 / unit, camera.k * factor));
    const move = 1 / camera.k - 1 / k;
    this.graph.look({ x: camera.x + (x - box.clientWidth / 2) * move, y: camera.y + (y - box.clientHeight / 2) * move, k });
  }
}

// The graph library is fetched when it is first needed: the page paints without it.
function libraries() {
  libraries.here ||= ["graphology.umd.min.js", "graphology-library.min.js"].reduce((before, name) => before.then(() => new Promise((done, fail) => {
    const script = document.createElement("script");
    Object.assign(script, { src: `/static/vendor/${name}`, onload: done, onerror: () => fail(new Error(`${name} did not load`)) });
    document.head.append(script);
  })), Promise.resolve());
  return libraries.here;
}

// Cut where a text grows too long, and never in the middle of a character.
const short = (text, most) => (text.length > most ? text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "") + "…" : text);
const hex = (rgb) => "#" + rgb.match(/\d+/g).slice(0, 3).map((n) => Number(n).toString(16).padStart(2, "0")).join("");
