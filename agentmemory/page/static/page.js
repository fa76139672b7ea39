// The page around the graph: search, a belief's life, proposals, sessions, the log, and what a person may do.
"use strict";

const $ = (selector) => document.querySelector(selector);
const panel = $("#panel");
let graph, range = [0, 0], opened = null, tab = "belief", asked = 0, wait;

// Everything stored is shown as text: elements are made here and never parsed from strings. What a click starts and
// what fails of it is said.
function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), async (e) => { try { await value(e); } catch (error) { fail(error); } });
    else if (key === "style") node.style.cssText = value;
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((c) => c !== null && c !== undefined));
  return node;
}

async function ask(path, order) {
  const answer = await fetch(`/api/${path}`, order).catch(() => { throw new Error("No answer: does `agentmemory ui` still run?"); });
  const body = await answer.json().catch(() => ({ error: `the server answers ${answer.status} ${answer.statusText}` }));
  if (!answer.ok) throw new Error(body.error?.message || body.error);
  return body;
}

const tell = (path, said) => ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(said) });

// What a person wants now: a search that waits is given up. The answer tells whether it is still the last thing wanted.
function want() {
  clearTimeout(wait);
  const mine = ++asked;
  return () => mine === asked;
}

// The panel shows what was wanted last: an answer that comes after a later wish is not drawn.
async function draw(path, nodes) {
  const last = want(), found = path && await ask(path);
  if (last()) panel.replaceChildren(...nodes(found).filter(Boolean));
}

function say(text) {
  $("#said").textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { $("#said").textContent = ""; }, Math.max(5000, 60 * text.length));
}

const two = (n) => String(n).padStart(2, "0");
const counted = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
const dayOf = (seconds) => { const at = new Date(seconds * 1000); return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`; };
const day = (iso) => iso ? dayOf(Date.parse(iso) / 1000) : "";
const minute = (iso) => { const at = new Date(iso); return `${day(iso)} ${two(at.getHours())}:${two(at.getMinutes())}`; };

async function reload() {
  const found = await ask("graph");
  graph.load(found);
  const times = found.dots.map((d) => d[4]);
  range = [Math.min(found.now, ...times.slice(0, 1)), found.now];
  $("#empty").hidden = found.dots.length > 0;
  slide();
  document.body.dataset.dots = found.dots.length;
  const waiting = found.dots.filter((d) => d[2] === "proposed").length;
  $("#waiting").textContent = waiting || "";
}

function slide() {
  const share = Number($("#when").value) / 1000;
  const at = range[0] + (range[1] - range[0]) * share;
  $("#date").textContent = share === 1 ? "now" : dayOf(at);
  graph.show({ at: share === 1 ? Infinity : at });
}

function legend() {
  const item = (kind, color, edge) => el("li", {}, el("button", {
    "aria-pressed": "true",
    onclick: (e) => { graph.toggle(kind); const b = e.currentTarget; b.setAttribute("aria-pressed", String(b.getAttribute("aria-pressed") !== "true")); },
  }, el("i", { style: `background:${color}`, class: edge ? "edge" : null }), kind));
  $("#legend").append(...Object.entries(KINDS).map(([k, c]) => item(k, c)), ...Object.entries(LINES).slice(0, 4).map(([k, c]) => item(k, c, true)));
}

const open = (id) => draw(`belief/${id}`, (b) => {
  opened = b;
  choose("belief", false);
  graph.choose(id);
  return life(b);
});

/** From when until when a belief holds or held; no end where the clock went back, so that it came first. */
function since(b) {
  const end = b.valid_to ? ` to ${day(b.valid_to)}` : " until now";
  return day(b.valid_from) + (b.valid_to && b.valid_to < b.valid_from ? "" : end);
}

function life(b) {
  const act = (label, run, danger) => el("button", { onclick: run, class: danger ? "danger" : null }, label);
  return [
    el("h2", { id: "life", class: ["superseded", "retracted"].includes(b.state) ? "gone" : null }, b.text),
    el("p", { class: "meta" }, `${b.kind}${b.locked ? ", locked" : ""}, ${b.state}, said by ${b.provenance}, belief ${b.id}; ` +
      `confidence ${b.confidence} (${b.alpha} for, ${b.beta} against); ${since(b)}`),
    b.context ? el("p", { class: "meta" }, `context: ${b.context}`) : null,
    el("div", { class: "acts" },
      act(b.locked ? "Unlock (l)" : "Lock (l)", lock), act("Correct (c)", correct), act("Forget", forget, true),
      ...(b.state === "proposed" ? [act("Accept", () => settle(b.id, "accept")), act("Reject", () => settle(b.id, "reject"))] : [])),
    ...list("Evidence", b.evidence, (e) => [
      el("span", { class: "meta" }, `${day(e.at)} ${e.kind}${e.weight ? ` (${e.weight > 0 ? "+" : ""}${e.weight})` : ""}${e.session ? `, session ${e.session}, turn ${e.turn}` : ""}`),
      e.text ? el("blockquote", {}, e.text) : null]),
    ...list("Around it", b.neighbours, (n) => [link(n.id, `${n.type}${n.way === "in" ? " (by)" : ""}: ${n.text}`, n.state)]),
    ...list("Put before the agent", b.injections, (i) => [`${day(i.at)} ${i.prompt || i.session} `, el("span", { class: "meta" }, `${counted(i.tokens, "token")}${i.outcome ? ", " + i.outcome : ""}`)]),
  ];
}

function list(title, rows, item) {
  return rows.length ? [el("h3", {}, title), each(rows, "", item)] : [];
}

// The rows of a view, or what is said where there are none.
function each(rows, none, item) {
  return rows.length ? el("ol", {}, ...rows.map((r) => el("li", {}, ...item(r)))) : el("p", { class: "meta" }, none);
}

function link(id, text, state) {
  return el("button", { class: `row ${["superseded", "retracted"].includes(state) ? "gone" : ""}`, onclick: () => open(id) }, text);
}

function fail(error) { say(error.message); }

async function changed(what) { say(what); await reload(); if (opened) await open(opened.id).catch(() => panel.replaceChildren()); }

async function lock() { if (opened) { await tell("lock", { id: opened.id, on: !opened.locked }); await changed(opened.locked ? "Unlocked." : "Locked: it stands always."); } }

async function correct() {
  if (!opened) return;
  const text = await dialog("What is true now?", opened.text);
  if (text === null || text === opened.text) return;
  const done = await tell("correct", { id: opened.id, text });
  await reload();
  await open(done.id || opened.id);
  say(done.id ? "Corrected." : done.note);
}

async function forget() {
  if (!opened || (await dialog("Remove this belief and the words that said it, for good? This cannot be taken back.")) === null) return;
  const { note } = await tell("forget", { id: opened.id });
  opened = null;
  graph.choose(null);
  await draw(null, () => []);
  await reload();
  say(note);
}

async function undo() {
  const { undone } = await tell("undo", {});
  await changed(undone.length ? `Taken back: ${undone.map((u) => u[0]).join(", ")}.` : "There is nothing to take back.");
}

const SETTLED = { accept: "Accepted.", reject: "Rejected.", keep: "Kept.", drop: "Dropped." };
async function settle(id, how) { await tell(how, { id }); say(SETTLED[how]); await reload(); await show(tab); }

function dialog(question, text) {
  const box = $("#ask"), area = box.querySelector("textarea");
  box.querySelector("p").textContent = question;
  area.hidden = text === undefined;
  area.value = text || "";
  box.returnValue = "";  // Esc leaves what the last dialog was closed with
  box.showModal();
  return new Promise((done) => box.addEventListener("close", () => done(box.returnValue === "yes" ? area.value : null), { once: true }));
}

const decides = (id, ...ways) => el("div", { class: "acts" }, ...ways.map((way) => el("button", { onclick: () => settle(id, way.toLowerCase()) }, way)));

const VIEWS = {
  belief: () => opened ? open(opened.id) : draw(null, () => [el("p", { class: "meta" }, "Click a dot, or search. Keys: / search, l lock, c correct, u undo, a arrange, Esc back; in the graph arrows, + and -, 0 shows all.")]),
  proposals: () => draw("proposals", (rows) => {
    const many = Math.max(rows.length, Number($("#waiting").textContent));
    return [el("h2", {}, many ? `${many === 1 ? "1 proposal waits" : many + " proposals wait"} for your consent` : "Proposals"),
      many > rows.length ? el("p", { class: "meta" }, `These are the newest ${rows.length}.`) : null, each(rows, "Nothing waits for your consent.", (p) => [link(p.id, p.text),
      el("span", { class: "meta" }, `${p.kind}, from ${p.provenance}`), decides(p.id, "Accept", "Reject")])];
  }),
  review: () => draw("review", (rows) => [el("h2", {}, "Learned of your talk"), each(rows, "You have seen all that was learned.", (r) => [
    link(r.id, r.text), el("span", { class: "meta" }, `${r.kind}${r.state === "heard" ? ", heard once" : ""}`), decides(r.id, "Keep", "Drop")])]),
  sessions: () => draw("sessions", (rows) => [el("h2", {}, "Sessions"), each(rows, "No session has been learned here yet.", (s) => [
    el("button", { class: "row", onclick: () => session(s.session) }, s.session),
    el("span", { class: "meta" }, `${dayOf(s.started)}, ${counted(s.turns, "turn")}, ${counted(s.injections, "belief")} injected`)])]),
  log: () => draw("log", (rows) => [el("h2", {}, "Changes"), each(rows, "Nothing has changed yet.", (c) => [
    c.text ? link(c.belief, `${c.what}: ${short(c.text, 200)}`, c.undone ? "retracted" : "") : el("span", { class: c.undone ? "gone" : null }, c.belief ? `${c.what}: belief ${c.belief}` : c.what),
    el("span", { class: "meta" }, `${day(c.at)} by ${c.actor}, batch ${c.batch}`)])]),
};

const session = (key) => draw(`injections?session=${encodeURIComponent(key)}`, (rows) => [
  el("h2", {}, `Put before the agent in ${key}`), each(rows, "Nothing that is still known.", (i) => [
    el("span", { class: "meta" }, `${minute(i.at)} ${i.prompt}`), link(i.id, i.text), el("span", { class: "meta" }, `${counted(i.tokens, "token")} ${i.outcome || ""}`)])]);

function choose(name, shown = true) {
  tab = name;
  for (const b of document.querySelectorAll("#tabs button")) b.setAttribute("aria-selected", String(b.dataset.tab === name));
  return shown ? show(name) : undefined;
}

function show(name) { return VIEWS[name](); }

async function search(words) {
  if (!words.trim()) { graph.show({ found: null }); return $("#results") ? show(tab) : undefined; }
  await draw(`search?q=${encodeURIComponent(words)}`, (rows) => {
    graph.show({ found: new Set(rows.filter((r) => r.what === "belief").map((r) => r.id)) });
    return [el("h2", {}, rows.length ? `${rows.length} found` : "Nothing found"), el("ol", { id: "results" }, ...rows.map((r) => el("li", {},
      r.what === "belief" ? link(r.id, r.text, r.state) : el("blockquote", {}, short(r.text, 600)),
      ...r.was.map((w) => el("p", { class: "meta" }, w.in_part ? `changes "${short(w.text, 200)}" of ${w.from}` : `was "${short(w.text, 200)}"${w.until ? ` until ${w.until}` : ""}`)),
      el("span", { class: "meta" }, `${r.what === "turn" ? "said" : r.kind} by ${r.provenance} ${r.source ? "in " + r.source.session : ""}`))))];
  });
}

function keys(e) {
  if (e.target.matches("textarea") || $("#ask").open) return;
  if (e.key === "Escape") { $("#search").value = ""; search("").catch(fail); document.activeElement.blur(); return; }
  const results = [...document.querySelectorAll("#results button.row")];
  if (["ArrowDown", "ArrowUp"].includes(e.key) && results.length) {
    want();
    const now = results.indexOf(document.activeElement);
    results[(now + (e.key === "ArrowDown" ? 1 : -1) + results.length) % results.length].focus();
    e.preventDefault();
    return;
  }
  if (e.target.matches("input[type=search]") || e.ctrlKey || e.metaKey || e.altKey) return;
  const run = { "/": () => $("#search").focus(), l: () => $("#life") && lock(), c: () => $("#life") && correct(), u: undo, a: () => graph.arrange() }[e.key];
  if (run) e.preventDefault();
  if (run && !e.repeat) Promise.resolve(run()).catch(fail);
}

async function main() {
  graph = new MemoryGraph($("#graph"), (id) => open(id).catch(fail));
  legend();
  $("#search").addEventListener("input", (e) => { want(); wait = setTimeout(() => search(e.target.value).catch(fail), 120); });
  $("#when").addEventListener("input", slide);
  $("#arrange").addEventListener("click", () => graph.arrange().catch(fail));
  $("#undo").addEventListener("click", () => undo().catch(fail));
  $("#tabs").addEventListener("click", (e) => { const name = e.target.closest("button")?.dataset.tab; if (name) choose(name).catch(fail); });
  document.addEventListener("keydown", keys);
  await reload();
  await show("belief");
  if (graph.count <= 2000 && graph.lines.length > 0) await graph.arrange();
  document.body.dataset.ready = "yes";
}

main().catch(fail);
