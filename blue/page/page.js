"use strict";
// Adds to the pages what they do not have by themselves: search as you type, keys,
// news as it happens, saving without losing what was written, the picture of the graph.
const $ = (selector, within = document) => within.querySelector(selector);
const view = document.body.dataset.view;
const say = (text) => { $("#Notice").textContent = text; };
const onScreen = (element) => element && element.offsetParent !== null;
document.documentElement.classList.add("scripted");

// ---- What is shown follows what is there.

let stamp = document.body.dataset.stamp;
let asked = null; // the request under way
let pages = 1;    // of the list that are shown

async function load(path, signal) {
  const answer = await fetch(path, { signal, headers: { Accept: "text/html" } });
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

// Takes over what differs in the parts of a view that follow the notes.
function take(fresh) {
  if (leaving) return;
  stamp = fresh.body.dataset.stamp || stamp;
  if (fresh.body.dataset.view !== view) return location.reload(); // the note, or the project, is gone or back
  for (const part of document.querySelectorAll("[data-live]")) {
    const now = fresh.getElementById(part.id);
    if (!now || now.innerHTML === part.innerHTML) continue;
    const held = part.contains(document.activeElement) && document.activeElement.closest("[data-id]")?.dataset.id;
    const read = scrollY && [...part.querySelectorAll("[data-id]")].find((at) => at.getBoundingClientRect().top > 0);
    const top = read && read.getBoundingClientRect().top;
    part.replaceChildren(...now.childNodes);
    if (held) row(held)?.focus({ preventScroll: true });
    if (read && row(read.dataset.id)) scrollBy(0, row(read.dataset.id).parentElement.getBoundingClientRect().top - top); // what is being read stays where it is
  }
  document.title = fresh.title;
  watchMore();
}

async function refresh(path = location.href) {
  asked?.abort();
  const mine = asked = new AbortController();
  try {
    const fresh = await load(path, mine.signal);
    for (let n = 1, more; n < pages && (more = $("#More", fresh)); n++) append(fresh, await load(more.getAttribute("href"), mine.signal));
    if (mine === asked) take(fresh);
  } catch (fault) {
    if (fault.name !== "AbortError") lost();
  }
}

function append(to, from) {
  $("#Rows", to).append(...$("#Rows", from)?.children ?? []);
  const next = $("#More", from)?.closest("p");
  const last = $("#More", to).closest("p");
  if (next) last.replaceWith(next); else last.remove();
}

let stream = null;
function listen() {
  stream?.close();
  if (!stamp || document.hidden) return; // a browser has few streams to give to one server
  stream = new EventSource("/events?stamp=" + encodeURIComponent(stamp));
  stream.onopen = () => { if ($("#Notice").dataset.lost) { delete $("#Notice").dataset.lost; say(""); } };
  stream.onmessage = (event) => { if (event.data !== stamp) { stamp = event.data; news(); } };
  stream.onerror = lost;
}

function lost() {
  if (document.hidden || leaving) return;
  $("#Notice").dataset.lost = "1";
  say("blue ui does not answer. If it has ended, start it again for a new link.");
}

async function news() {
  if (view === "graph") picture?.load();
  if (view !== "form") return refresh();
  const form = $("form.edit");
  if (!form.dataset.name) return;
  const fresh = await load(location.pathname.startsWith("/edit/") ? location.href : "/edit/" + encodeURIComponent(form.dataset.name));
  const now = $("form.edit [name=revision]", fresh)?.value;
  if (now !== form.elements.revision.value) say(now ? "This note has just been changed elsewhere. Saving shows you both texts." : "This note has just been removed elsewhere. Saving keeps your text as a new note.");
}

let leaving = false;
const leave = () => { leaving = true; stream?.close(); };
addEventListener("pagehide", leave);
document.addEventListener("submit", (event) => { if (event.target.method === "post" && !event.target.matches(".edit")) leave(); }); // news of it must not come between
addEventListener("pageshow", (event) => { leaving = false; if (event.persisted) { listen(); refresh(); } });
document.addEventListener("visibilitychange", listen);

// ---- The list.

const row = (name) => $(`#Rows [data-id="${CSS.escape(name)}"] > a`);
const rows = () => [...document.querySelectorAll("#Rows > li > a, #Bin .grow > a, .revisions a")].filter(onScreen);

function watchMore() {
  const more = $("#More");
  if (more) new IntersectionObserver(async ([seen], watcher) => {
    if (!seen.isIntersecting) return;
    watcher.disconnect();
    const from = await load(more.getAttribute("href"));
    if (!more.isConnected) return;
    append(document, from);
    pages++;
    watchMore();
  }, { rootMargin: "800px" }).observe(more);
}

const search = $("#Search");
function searched() {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(search.form)) if (value) query.set(name, value);
  const path = "/" + (query.size ? "?" + query : "");
  history.replaceState(null, "", path);
  pages = 1;
  refresh(path);
}
if (search) {
  search.addEventListener("input", searched);
  for (const select of search.form.querySelectorAll("select")) select.addEventListener("change", searched);
  search.form.addEventListener("submit", async (event) => {
    event.preventDefault();
    await refresh(); // what is on the screen may belong to fewer letters
    rows()[0]?.focus();
  });
}

function step(by) {
  const all = rows();
  const at = all.indexOf(document.activeElement);
  const to = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)];
  to?.focus();
  to?.scrollIntoView({ block: "nearest" });
}

// The way back from a note is the list as it was, at the same place.
if (view === "list") addEventListener("pagehide", () => {
  sessionStorage.list = location.pathname + location.search;
  sessionStorage.row = document.activeElement.closest("[data-id]")?.dataset.id ?? "";
});
if (view === "list" && sessionStorage.back) {
  delete sessionStorage.back;
  row(sessionStorage.row)?.focus();
}
function back() {
  const up = $("#Cancel") ?? $(".back a");
  if (up) return up.click();
  if (view === "list") return document.activeElement.blur();
  sessionStorage.back = "1";
  location.href = sessionStorage.list ?? "/";
}

// ---- Writing.

const form = $("form.edit");
const written = (form) => [...new FormData(form)].join("\n");
let kept = form && written(form);
let saving = false;

async function save(event) {
  event.preventDefault();
  if (saving) return;
  const form = event.target;
  saving = true;
  say("Saving …");
  try {
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    if (answer.redirected) {
      kept = null;
      location.href = answer.url;
      return;
    }
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!$("form.edit", fresh)) throw new Error($("main", fresh)?.innerText ?? answer.statusText);
    $("main").replaceChildren(...$("main", fresh).childNodes);
    $("form.edit").addEventListener("submit", save);
    kept = ""; // it is not saved
    say("");
    scrollTo(0, 0);
    $("main").focus();
  } catch (fault) {
    say("Not saved: " + (fault instanceof TypeError ? "blue ui does not answer. Your text is still here." : fault.message.trim()));
  } finally {
    saving = false;
  }
}
form?.addEventListener("submit", save);
addEventListener("beforeunload", (event) => {
  const form = $("form.edit");
  if (form && kept !== null && written(form) !== kept) event.preventDefault();
});

// ---- Colours.

const theme = $("#Theme");
const root = document.documentElement;
function colours() {
  theme.textContent = "Theme: " + (root.dataset.theme ?? "auto");
  picture?.colour();
}
theme.addEventListener("click", () => {
  const next = { undefined: "dark", dark: "light" }[root.dataset.theme] ?? "";
  if (next) root.dataset.theme = next; else delete root.dataset.theme;
  document.cookie = `blue-theme=${next}; path=/; SameSite=Strict; max-age=${next ? 31536000 : 0}`; // a port of its own has no storage that lasts
  colours();
});

// ---- Keys.

const help = $("#Keys");
$("#Help").addEventListener("click", () => help.showModal());
theme.hidden = $("#Help").hidden = false;
const press = (id) => { const at = $("#" + id); if (onScreen(at)) at.click(); };
const keys = {
  "/": () => { if (onScreen(search)) { search.focus(); search.select(); } else if ($("#Spot")) $("#Spot").focus(); else location.href = "/#Search"; },
  "?": () => help.showModal(),
  j: () => step(1), k: () => step(-1),
  e: () => press("Edit"), h: () => press("History"),
  n: () => press("New"),
  l: () => { location.href = "/"; }, g: () => { location.href = "/graph"; }, t: () => { location.href = "/trash"; }, w: () => { location.href = "/why"; },
  Escape: back,
};
document.addEventListener("keydown", (event) => {
  if (event.isComposing || help.open) return;
  if ((event.ctrlKey || event.metaKey) && (event.key === "Enter" || event.key === "s") && $("form.edit")) {
    event.preventDefault();
    $("form.edit").requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input:not([type=checkbox]), textarea, select")) {
    if (event.key === "Escape") {
      event.preventDefault();
      if (event.target === search && search.value) { search.value = ""; searched(); } else event.target.blur();
    } else if (event.target === search && event.key === "ArrowDown") {
      event.preventDefault();
      step(1);
    }
    return;
  }
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
if (location.hash === "#Search") search?.focus();

// ---- The graph.

class Picture {
  constructor(canvas) {
    this.canvas = canvas;
    this.paper = canvas.getContext("2d");
    this.nodes = [];
    this.links = [];
    this.byId = new Map();
    this.zoom = 1; this.x = 0; this.y = 0; // of the middle of the canvas
    this.fingers = new Map();
    this.over = null; this.held = null; this.found = null;
    $("#Drawing").hidden = false;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => { this.moved = true; this.up(event); });
    canvas.addEventListener("pointerleave", () => { this.over = null; this.draw(); });
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.scale(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY); }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    for (const button of document.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => this.zoomBy(Number(button.dataset.zoom)));
    $("#Spot").addEventListener("input", () => this.spot());
    $("#Spot").addEventListener("keydown", (event) => { if (event.key === "Enter" && this.found?.size) this.centre([...this.found][0]); });
    new ResizeObserver(() => this.size()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.colour());
  }

  // Notes that are there already keep their places, as far as the picture has one for them.
  async load() {
    const fresh = await (await fetch("/graph.json")).json();
    const known = this.byId;
    this.byId = new Map();
    for (const n of fresh.nodes) {
      const was = known.get(n.path);
      if (was) { n.x = was.x; n.y = was.y; }
      n.near = new Set();
      n.size = 2.5 + Math.sqrt(n.links) * 1.1;
      n.label = n.title.length > 42 ? n.title.slice(0, 40) + "…" : n.title;
      this.byId.set(n.path, n);
    }
    this.nodes = fresh.nodes;
    this.links = fresh.links.map(([a, b]) => [fresh.nodes[a], fresh.nodes[b]]);
    for (const [a, b] of this.links) { a.near.add(b); b.near.add(a); }
    $("#Drawing").dataset.drawn = "1";
    $("#Legend").replaceChildren(...[...new Set(this.nodes.map((n) => n.type))].slice(0, 8).map((type) => {
      const item = document.createElement("li");
      item.className = "type";
      item.dataset.type = item.textContent = type;
      return item;
    }));
    this.colour();
    if (!known.size) { this.size(); this.fit(); }
  }

  colour() {
    const style = getComputedStyle(document.body);
    this.ink = style.color;
    this.paint = {};
    for (const item of $("#Legend").children) this.paint[item.textContent] = getComputedStyle(item, "::before").backgroundColor;
    const colours = getComputedStyle($("#Drawing"));
    this.back = colours.backgroundColor;
    this.line = colours.outlineColor;
    this.draw();
  }

  size() {
    const box = this.canvas.getBoundingClientRect(), dots = devicePixelRatio;
    this.width = box.width; this.height = box.height;
    this.canvas.width = Math.round(box.width * dots); this.canvas.height = Math.round(box.height * dots);
    this.draw();
  }

  fit() {
    const far = (pick) => this.nodes.map(pick).sort((a, b) => a - b);
    const xs = far((n) => n.x), ys = far((n) => n.y), last = this.nodes.length - 1, titles = Math.min(this.width * 0.2, 150);
    this.zoom = Math.min((this.width - titles - 40) / Math.max(xs[last] - xs[0], 1), (this.height - 120) / Math.max(ys[last] - ys[0], 1), 2.5);
    this.x = (xs[0] + xs[last] + titles / this.zoom) / 2; this.y = (ys[0] + ys[last]) / 2;
    this.draw();
  }

  px(n) { return (n.x - this.x) * this.zoom + this.width / 2; }
  py(n) { return (n.y - this.y) * this.zoom + this.height / 2; }
  radius(n) { return n.size * Math.min(Math.max(this.zoom, 0.4), 2); }

  draw() {
    if (!this.due) this.due = requestAnimationFrame(() => { this.due = 0; this.render(); });
  }

  render() {
    const p = this.paper, lit = this.held ?? this.over;
    p.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    p.clearRect(0, 0, this.width, this.height);
    const bright = (n) => this.found ? this.found.has(n) : !lit || n === lit || lit.near.has(n);
    p.globalAlpha = lit || this.found ? 0.25 : 0.55;
    this.strokes(this.links, this.line, 1);
    p.globalAlpha = 1;
    if (lit) this.strokes(this.links.filter(([a, b]) => a === lit || b === lit), this.ink, 1.2);
    for (const n of this.nodes) {
      const x = this.px(n), y = this.py(n), r = this.radius(n);
      if (x < -r || y < -r || x > this.width + r || y > this.height + r) continue;
      p.globalAlpha = bright(n) ? (n.superseded ? 0.5 : 1) : 0.18;
      p.fillStyle = this.paint[n.type] ?? this.ink;
      p.beginPath();
      p.arc(x, y, r, 0, 2 * Math.PI);
      p.fill();
    }
    p.globalAlpha = 1;
    this.labels(lit, bright);
  }

  strokes(links, colour, width) {
    const p = this.paper;
    p.strokeStyle = colour; p.lineWidth = width;
    p.beginPath();
    for (const [a, b] of links) { p.moveTo(this.px(a), this.py(a)); p.lineTo(this.px(b), this.py(b)); }
    p.stroke();
  }

  // Titles stand where there is room: those of the notes with the most links first.
  labels(lit, bright) {
    const p = this.paper, taken = [], most = this.width / 45 * Math.max(this.zoom, 0.8) ** 2;
    p.font = "12px system-ui, sans-serif"; p.textBaseline = "middle"; p.lineJoin = "round"; p.lineWidth = 3.5;
    p.strokeStyle = this.back; p.fillStyle = this.ink;
    const first = lit ? [lit, ...lit.near] : [...this.found ?? []];
    const all = lit || this.found ? first : this.nodes;
    for (const n of all) {
      if (taken.length > Math.max(most, first.length ? 60 : 0)) break;
      n.wide ??= p.measureText(n.label).width;
      const right = this.px(n) + this.radius(n) + 4, y = this.py(n);
      const x = right + n.wide < this.width ? right : right - n.wide - 2 * this.radius(n) - 8;
      if (x < 0 || y < 0 || x > this.width || y > this.height || !bright(n)) continue;
      if (n !== lit && taken.some(([l, t, w]) => x < l + w + 6 && l < x + n.wide + 6 && Math.abs(t - y) < 15)) continue;
      taken.push([x, y, n.wide]);
      p.strokeText(n.label, x, y);
      p.fillText(n.label, x, y);
    }
  }

  at(x, y) {
    let best = null, near = 14 ** 2;
    for (const n of this.nodes) {
      const far = (this.px(n) - x) ** 2 + (this.py(n) - y) ** 2;
      if (far < near) { near = far; best = n; }
    }
    return best;
  }

  down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
    if (this.fingers.size > 1) { this.held = null; this.moved = true; return; }
    this.moved = false;
    this.start = [event.offsetX, event.offsetY];
    this.held = this.at(event.offsetX, event.offsetY);
    this.draw();
  }

  move(event) {
    const was = this.fingers.get(event.pointerId), now = [event.offsetX, event.offsetY];
    if (!was) {
      this.over = this.at(...now);
      this.canvas.classList.toggle("over", !!this.over);
      return this.draw();
    }
    if (!this.moved && Math.hypot(now[0] - this.start[0], now[1] - this.start[1]) < 4) return;
    this.moved = true;
    this.fingers.set(event.pointerId, now);
    const dx = (now[0] - was[0]) / this.zoom, dy = (now[1] - was[1]) / this.zoom;
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const far = (a) => Math.max(Math.hypot(a[0] - other[0], a[1] - other[1]), 1);
      this.scale(far(now) / far(was), other[0], other[1]);
    } else if (this.held) { this.held.x += dx; this.held.y += dy; } else { this.x -= dx; this.y -= dy; }
    this.draw();
  }

  up(event) {
    this.fingers.delete(event.pointerId);
    if (this.held && !this.moved) location.href = this.held.path;
    this.held = null;
    this.draw();
  }

  // Zooms so that a place on the canvas stays where it is.
  scale(by, x, y) {
    const to = Math.min(Math.max(this.zoom * by, 0.05), 8), dx = x - this.width / 2, dy = y - this.height / 2;
    this.x += dx / this.zoom - dx / to;
    this.y += dy / this.zoom - dy / to;
    this.zoom = to;
    this.draw();
  }

  zoomBy(by) { if (by) this.scale(by, this.width / 2, this.height / 2); else this.fit(); }

  key(event) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const by = { "+": 1.3, "=": 1.3, "-": 0.77, 0: 0 }[event.key];
    if (way) { this.x += way[0] * 60 / this.zoom; this.y += way[1] * 60 / this.zoom; this.draw(); } else if (by !== undefined) this.zoomBy(by); else return;
    event.preventDefault();
    event.stopPropagation();
  }

  spot() {
    const words = $("#Spot").value.toLowerCase().split(/\s+/).filter(Boolean);
    this.found = words.length ? new Set(this.nodes.filter((n) => words.every((w) => (n.title + " " + n.id).toLowerCase().includes(w)))) : null;
    this.draw();
  }

  centre(n) { this.x = n.x; this.y = n.y; this.zoom = Math.max(this.zoom, 1.2); this.draw(); }
}

const canvas = $("#Graph");
const picture = canvas && new Picture(canvas);
picture?.load().catch(lost);
colours();
watchMore();
listen();
