"use strict";
// Lays out the notes and their links, and draws them as SVG. The layout is by forces:
// notes push each other away, links draw together, a weak pull keeps in sight what no
// link joins. It begins on a spiral, so that the same notes give the same picture.
const REST = 34, ROUNDS = 160, PULL = 0.04, COOLING = 0.968; // REST: the distance of two linked notes

// Moves a note away from a place where count notes are.
function push(n, x, y, count) {
  const dx = n.x - x, dy = n.y - y, square = Math.max(dx * dx + dy * dy, REST * REST / 64);
  const force = 4 * REST ** 3 * count / (square * Math.sqrt(square));
  n.dx += dx * force; n.dy += dy * force;
}

// One round: near notes push one by one, those of a far square of a grid as one.
function moveOnce(nodes, links, heat) {
  const far = nodes.reduce((most, n) => Math.max(most, Math.abs(n.x), Math.abs(n.y)), 1) * 1.001;
  const side = Math.ceil(Math.sqrt(8 * Math.sqrt(nodes.length))), squares = new Map();
  for (const n of nodes) {
    const column = Math.floor((n.x / far + 1) / 2 * side), row = Math.floor((n.y / far + 1) / 2 * side), key = row * side + column;
    n.column = column; n.row = row; n.dx = -n.x * PULL; n.dy = -n.y * PULL;
    if (!squares.has(key)) squares.set(key, { column, row, x: 0, y: 0, notes: [] });
    const square = squares.get(key);
    square.x += n.x; square.y += n.y; square.notes.push(n);
  }
  const grid = [...squares.values()];
  for (const n of nodes) for (const square of grid) {
    const count = square.notes.length;
    if (Math.abs(square.column - n.column) > 1 || Math.abs(square.row - n.row) > 1) push(n, square.x / count, square.y / count, count);
    else for (const other of square.notes) push(n, other.x, other.y, 1);
  }
  for (const [a, b] of links) { // less to a note that has many
    const dx = b.x - a.x, dy = b.y - a.y, ofA = 1 / Math.sqrt(a.links), ofB = 1 / Math.sqrt(b.links);
    a.dx += dx * ofA; a.dy += dy * ofA; b.dx -= dx * ofB; b.dy -= dy * ofB;
  }
  for (const n of nodes) {
    const step = Math.min(1, heat / Math.max(Math.hypot(n.dx, n.dy), 1e-9));
    n.x += n.dx * step; n.y += n.dy * step;
  }
}

// Gives each note a place; the browser can answer in between.
async function layOut(nodes, links) {
  nodes.forEach((n, i) => Object.assign(n, { x: REST * Math.sqrt(i + 1) * Math.cos(2.4 * i), y: REST * Math.sqrt(i + 1) * Math.sin(2.4 * i) }));
  for (let i = 0, until = 0; i < ROUNDS; i++) {
    if (performance.now() > until) await new Promise((next) => setTimeout(next)).then(() => { until = performance.now() + 30; });
    moveOnce(nodes, links, REST * Math.sqrt(nodes.length) / 4 * COOLING ** i);
  }
}
const element = (name, attributes = {}, text = "") => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
};
const KINDS = { links: "link", supersedes: "supersedes", files: "same file" }; // of edges
const graph = { svg: $("#Graph"), nodes: [], links: [], edges: {}, zoom: 1, x: 0, y: 0, over: null, held: null, found: null }; // x and y: of the middle
$("#Drawing").hidden = false;
const paths = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, element("path", { class: kind })]));
const strong = element("path", { class: "strong" }), dots = element("g"), titles = element("g");

// Notes that are there already keep their places.
graph.load = async () => {
  const { nodes, ...ends } = await (await fetch(base + "/graph.json")).json(), known = new Map(graph.nodes.map((n) => [n.path, n]));
  const edges = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, ends[kind].map(([a, b]) => [nodes[a], nodes[b]])]));
  const links = Object.values(edges).flat();
  if (!nodes.every((n) => known.has(n.path))) await layOut(nodes, links);
  for (const n of nodes) {
    const { x, y } = known.get(n.path) ?? n, most = innerWidth < 640 ? 24 : 42, label = n.title.length > most ? n.title.slice(0, most - 2) + "…" : n.title;
    Object.assign(n, { x, y, label, near: new Set(), size: 2.5 + Math.sqrt(n.links) * 1.1, dot: element("circle", { class: "type", "data-type": n.type, "data-hue": n.hue }) });
  }
  for (const [a, b] of links) { a.near.add(b); b.near.add(a); }
  Object.assign(graph, { nodes, links, edges });
  dots.replaceChildren(...nodes.map((n) => n.dot));
  const entry = (className, textContent, data) => { const item = Object.assign(document.createElement("li"), { className, textContent }); Object.assign(item.dataset, data); return item; };
  const types = new Map(nodes.map((n) => [n.type, n.hue]));
  $("#Legend").replaceChildren(...[...types].slice(0, 12).map(([type, hue]) => entry("type", type, { type, hue })), ...Object.keys(KINDS).filter((kind) => graph.edges[kind].length).map((kind) => entry("edge " + kind, KINDS[kind], {})));
  if (known.size) graph.draw(); else graph.fit();
  $("#Drawing").dataset.drawn = "1";
};
graph.draw = () => { graph.due ??= requestAnimationFrame(() => { graph.due = undefined; graph.render(); }); };
graph.render = () => {
  const { clientWidth: width, clientHeight: height } = graph.svg, lit = graph.held ?? graph.over, scale = Math.min(Math.max(graph.zoom, 0.4), 2);
  for (const n of graph.nodes) {
    Object.assign(n, { px: (n.x - graph.x) * graph.zoom + width / 2, py: (n.y - graph.y) * graph.zoom + height / 2, r: n.size * scale });
    n.bright = graph.found ? graph.found.has(n) : !lit || n === lit || lit.near.has(n);
    const drawn = { cx: n.px, cy: n.py, r: n.r, opacity: n.bright ? (n.superseded ? 0.5 : 1) : 0.18 };
    for (const name in drawn) n.dot.setAttribute(name, drawn[name]);
  }
  const lines = (links) => links.map(([a, b]) => `M${a.px.toFixed(1)} ${a.py.toFixed(1)}L${b.px.toFixed(1)} ${b.py.toFixed(1)}`).join("");
  for (const kind in KINDS) { paths[kind].setAttribute("d", lines(graph.edges[kind] ?? [])); paths[kind].setAttribute("opacity", lit || graph.found ? 0.25 : 0.7); }
  strong.setAttribute("d", lit ? lines(graph.links.filter((ends) => ends.includes(lit))) : "");
  // Titles stand where there is room: those of the notes with the most links first.
  const placed = [], chosen = lit ? [lit, ...lit.near] : [...graph.found ?? graph.nodes], most = chosen.length < graph.nodes.length ? 60 : width / 45 * Math.max(graph.zoom, 0.8) ** 2;
  const squares = new Map(), square = (x, y) => Math.floor(x / 32) + " " + Math.floor(y / 32); // the notes by place, so that a title covers none
  for (const n of graph.nodes) squares.set(square(n.px, n.py), [...squares.get(square(n.px, n.py)) ?? [], n]);
  const free = (own, x, y, wide) => {
    for (let left = x - 32; left < x + wide + 64; left += 32) for (let top = y - 44; top < y + 52; top += 32) {
      for (const n of squares.get(square(left, top)) ?? []) if (n !== own && n.px + n.r > x - 2 && n.px - n.r < x + wide + 2 && n.py + n.r > y - 12 && n.py - n.r < y + 4) return false;
    }
    return !placed.some((p) => x < p.x + p.wide + 6 && p.x < x + wide + 6 && Math.abs(p.y - y) < 15);
  };
  for (const n of chosen) {
    const wide = n.label.length * 6.4, mid = n.px - wide / 2;
    if (placed.length > most || n.px < 0 || n.py < 0 || n.px > width || n.py > height || !n.bright) continue;
    const places = [[n.px + n.r + 4, n.py + 4], [n.px - n.r - 4 - wide, n.py + 4], [mid, n.py + n.r + 14], [mid, n.py - n.r - 5]].filter(([x, y]) => x > 2 && x + wide < width - 2 && y > 12 && y < height - 4);
    const [x, y] = places.find(([x, y]) => free(n, x, y, wide)) ?? (n === lit ? places[0] : undefined) ?? [];
    if (x !== undefined) placed.push({ x, y, wide, label: n.label });
  }
  titles.replaceChildren(...placed.map(({ x, y, label }) => element("text", { x, y }, label)));
};
graph.fit = () => {
  const xs = graph.nodes.map((n) => n.x), ys = graph.nodes.map((n) => n.y), left = Math.min(...xs), right = Math.max(...xs), top = Math.min(...ys), bottom = Math.max(...ys);
  const { clientWidth: width, clientHeight: height } = graph.svg, room = Math.min(width * 0.2, 150); // for titles
  graph.zoom = Math.min((width - room - 40) / Math.max(right - left, 1), (height - 120) / Math.max(bottom - top, 1), 2.5);
  graph.look((left + right + room / graph.zoom) / 2, (top + bottom) / 2);
};
graph.look = (x, y) => { Object.assign(graph, { x, y }); graph.draw(); };
// Zooms so that a place of the picture stays where it is; by 0 fits all of it.
graph.scale = (by, x = graph.svg.clientWidth / 2, y = graph.svg.clientHeight / 2) => {
  if (!by) return graph.fit();
  const was = graph.zoom, move = 1 / was - 1 / (graph.zoom = Math.min(Math.max(was * by, 0.05), 8));
  graph.look(graph.x + (x - graph.svg.clientWidth / 2) * move, graph.y + (y - graph.svg.clientHeight / 2) * move);
};

const on = (types, act, target = graph.svg) => { for (const type of types.split(" ")) target.addEventListener(type, act, { passive: false }); };
const nearest = (x, y) => graph.nodes.reduce((best, n) => Math.hypot(n.px - x, n.py - y) < (best ? Math.hypot(best.px - x, best.py - y) : 14) ? n : best, null);
on("pointerdown", ({ pointerId, offsetX: x, offsetY: y }) => {
  graph.svg.setPointerCapture(pointerId);
  Object.assign(graph, { pressed: { x, y }, moved: false, held: nearest(x, y) });
});
on("pointermove", ({ offsetX: x, offsetY: y }) => {
  const { pressed, held } = graph, moved = held ?? graph, way = held ? 1 : -1;
  if (!pressed) {
    graph.over = nearest(x, y);
    graph.svg.classList.toggle("over", graph.over !== null);
  } else if (graph.moved ||= Math.hypot(x - pressed.x, y - pressed.y) > 3) { // less is a click of a hand that is not still
    Object.assign(moved, { x: moved.x + way * (x - pressed.x) / graph.zoom, y: moved.y + way * (y - pressed.y) / graph.zoom });
    graph.pressed = { x, y };
  }
  graph.draw();
});
on("pointerup pointercancel pointerleave", ({ type }) => {
  if (type === "pointerup" && graph.held && !graph.moved) visit(graph.held.path);
  Object.assign(graph, { pressed: null, held: null, over: null });
  graph.draw();
});
on("wheel", (event) => { event.preventDefault(); graph.scale(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY); });
on("keydown", (event) => {
  const way = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] }[event.key], by = { "+": 1.3, "=": 1.3, "-": 0.77, 0: 0 }[event.key];
  if (way) graph.look(graph.x + way[0] / graph.zoom, graph.y + way[1] / graph.zoom); else if (by !== undefined) graph.scale(by); else return;
  event.preventDefault(); event.stopPropagation();
});
for (const button of document.querySelectorAll("[data-zoom]")) on("click", () => graph.scale(Number(button.dataset.zoom)), button);
on("input keydown", ({ type, key, target }) => {
  const words = target.value.toLowerCase().split(/\s+/).filter(Boolean);
  graph.found = words.length ? new Set(graph.nodes.filter((n) => words.every((word) => (n.title + " " + n.id).toLowerCase().includes(word)))) : null;
  const [first] = type === "keydown" && key === "Enter" && graph.found || [];
  if (first) Object.assign(graph, { x: first.x, y: first.y, zoom: Math.max(graph.zoom, 1.2) });
  graph.draw();
}, $("#Spot"));
on("notes-changed", () => graph.load().catch(lost), document);
new ResizeObserver(graph.draw).observe(graph.svg);
graph.svg.append(...Object.values(paths), strong, dots, titles);
graph.load().catch(lost);
