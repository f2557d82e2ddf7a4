"use strict";
// Adds to the pages what they do not have by themselves: search as you type, keys,
// news as it happens, saving without losing what was written. graph.js draws the graph.
const $ = (selector, within = document) => within.querySelector(selector);
const { view, base, served } = document.body.dataset; // base: where the paths of its views begin; served: by a server, to many
const say = (text) => { $("#Notice").textContent = text; };
const onScreen = (element) => element && element.offsetParent !== null;
document.documentElement.classList.add("scripted");

// ---- What is shown follows what is there.

const sources = new WeakMap(); // what the server has sent of a part, without what scripts have changed in it
for (const part of document.querySelectorAll("[data-live]")) sources.set(part, part.innerHTML);

let stamp = document.body.dataset.stamp;
let asked = null; // the request under way
let pages = 1;    // of the list that are shown

async function load(path, signal) {
  const answer = await fetch(path, { signal, headers: { Accept: "text/html" } });
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

// Takes over what differs in the parts of a view that follow the notes.
function replaceLiveParts(fresh) {
  if (leaving) return;
  stamp = fresh.body.dataset.stamp || stamp;
  if (fresh.body.dataset.view !== view || fresh.body.dataset.project !== document.body.dataset.project) return location.reload(); // the note, or the project, is another or gone
  for (const part of document.querySelectorAll("[data-live]")) {
    const now = fresh.getElementById(part.id);
    const source = now?.innerHTML;
    if (!now || source === sources.get(part)) continue;
    sources.set(part, source);
    const folds = [...part.querySelectorAll("details[id]")].map((menu) => [menu.id, menu.open]);
    const held = part.contains(document.activeElement) && document.activeElement.closest("[data-id]")?.dataset.id;
    const read = scrollY && [...part.querySelectorAll("[data-id]")].find((at) => at.getBoundingClientRect().top > 0);
    const top = read && read.getBoundingClientRect().top;
    part.replaceChildren(...now.childNodes);
    for (const [id, open] of folds) { const menu = document.getElementById(id); if (menu) menu.open = open; }
    if (held) row(held)?.focus({ preventScroll: true });
    if (read && row(read.dataset.id)) scrollBy(0, row(read.dataset.id).closest("[data-id]").getBoundingClientRect().top - top); // what is being read stays where it is
  }
  document.title = fresh.title;
  document.querySelectorAll("[data-narrows]").forEach(narrow);
  document.dispatchEvent(new Event("shown"));
  watchMore();
  askAgain();
}

// What is still being read is asked for again.
let again = 0;
function askAgain() {
  clearTimeout(again);
  if ($("[data-reading]")) again = setTimeout(refresh, 1500);
}

async function refresh(path = location.href) {
  asked?.abort();
  const mine = asked = new AbortController();
  try {
    const fresh = await load(path, mine.signal);
    for (let n = 1, more; n < pages && (more = $("#More", fresh)); n++) append(fresh, await load(more.getAttribute("href"), mine.signal));
    if (mine === asked) replaceLiveParts(fresh);
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
  stream = new EventSource(base + "/events?stamp=" + encodeURIComponent(stamp));
  stream.onopen = () => { if ($("#Notice").dataset.lost) { delete $("#Notice").dataset.lost; say(""); } };
  stream.onmessage = (event) => { if (event.data !== stamp) { stamp = event.data; news(); } };
  stream.onerror = lost;
}

function lost() {
  if (document.hidden || leaving) return;
  $("#Notice").dataset.lost = "1";
  say(served ? "The server does not answer." : "blue ui does not answer. If it has ended, start it again for a new link.");
}

async function news() {
  document.dispatchEvent(new Event("notes-changed"));
  if (view !== "form") return refresh();
  const form = $("form.edit");
  if (!form.dataset.name) return;
  const fresh = await load(location.pathname.startsWith(base + "/edit/") ? location.href : base + "/edit/" + encodeURIComponent(form.dataset.name));
  if (fresh.body.dataset.project !== document.body.dataset.project) return say("You have changed to another project. This note can be saved when you are back in its own.");
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

const row = (name) => $(`[data-id="${CSS.escape(name)}"] a`);
const rows = () => [...document.querySelectorAll("#Rows > li > a:first-child, #Rows th > a, #Above > li > a, #Also > li > a, .tree a, #Bin .grow > a, .revisions a, .acts > li > a")].filter(onScreen);

async function showMore(more) {
  const from = await load(more.getAttribute("href"));
  if (!more.isConnected) return;
  append(document, from);
  sources.set($("#Found"), $("#Found").innerHTML);
  pages++;
  watchMore();
}

// A status that is chosen in the table is saved at once, if the note is still as it is shown.
document.addEventListener("change", async (event) => {
  const form = event.target.closest(".compact form");
  if (!form) return;
  try {
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    const shown = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!answer.redirected) throw new Error($("main strong", shown)?.textContent ?? answer.statusText);
    history.replaceState(null, "", answer.url); // it keeps the note in the list, with a way back
    say("Saved.");
  } catch (fault) {
    form.reset();
    say("Not saved: " + (fault instanceof TypeError ? "blue ui does not answer." : fault.message));
  }
  refresh();
});

// More rows come when they are scrolled to, or asked for where something stands below them.
function watchMore() {
  const more = $("#More");
  if (!more) return;
  if ($("#Also")) more.addEventListener("click", (event) => { event.preventDefault(); showMore(more); });
  else new IntersectionObserver(([seen], watcher) => {
    if (!seen.isIntersecting) return;
    watcher.disconnect();
    showMore(more);
  }, { rootMargin: "800px" }).observe(more);
}

const search = $("#Search");
function searched() {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(search.form)) if (value) query.set(name, value);
  const path = base + "/" + (query.size ? "?" + query : "");
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

// ---- What is narrowed by words: the outline, and the projects.

function narrow(field) {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const within = document.getElementById(field.dataset.narrows);
  for (const item of within.querySelectorAll("li")) {
    const text = item.textContent.toLowerCase();
    item.hidden = !words.every((word) => text.includes(word));
  }
  if (words.length) for (const fold of within.querySelectorAll("details")) fold.open = true;
}
for (const field of document.querySelectorAll("[data-narrows]")) {
  field.hidden = false;
  field.addEventListener("input", () => narrow(field));
  field.addEventListener("keydown", (event) => { // Enter takes the first that is left
    if (event.key !== "Enter") return;
    event.preventDefault();
    $("li:not([hidden]) :is(a, button)", document.getElementById(field.dataset.narrows))?.click();
  });
}
const outline = $("#Outline");
if (outline) {
  const button = $("#ShowOutline");
  button.hidden = false;
  button.addEventListener("click", () => button.ariaExpanded = outline.classList.toggle("open"));
}

// Choices last as cookies, because a port of its own has no storage that lasts.
const remember = (name, value) => { document.cookie = `${name}=${value}; path=/; SameSite=Strict; max-age=${value ? 31536000 : 0}`; };
document.addEventListener("click", (event) => {
  const look = event.target.closest("[data-rows]")?.dataset.rows;
  if (look) remember("blue-rows", look);
});

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
  location.href = sessionStorage.list?.startsWith(base + "/") ? sessionStorage.list : base + "/";
}

// ---- Choices below a field, which keeps the focus while arrows move the choice.

function showChoices(list, field, choices, prepare) {
  list.replaceChildren(...choices.map(({ title, soft }, i) => {
    const item = document.createElement("li");
    const small = document.createElement("span");
    item.id = list.id + i;
    item.role = "option";
    item.ariaSelected = i === 0;
    small.className = "soft";
    small.textContent = soft;
    item.append(title, " ", small);
    prepare(item, i);
    return item;
  }));
  if (choices.length) field.setAttribute("aria-activedescendant", list.id + "0"); else field.removeAttribute("aria-activedescendant");
}

function moveChoice(list, event) {
  const now = $("[aria-selected=true]", list);
  const next = { ArrowDown: now?.nextElementSibling ?? list.firstElementChild, ArrowUp: now?.previousElementSibling ?? list.lastElementChild }[event.key];
  if (!now || !next) return false;
  now.ariaSelected = "false";
  next.ariaSelected = "true";
  next.scrollIntoView({ block: "nearest" });
  event.target.setAttribute("aria-activedescendant", next.id);
  return true;
}

// ---- The palette: notes, documents, views and projects by their names.

const palette = $("#Palette");
let asking = Promise.resolve(); // ends when the choices are those of what has been typed

// What can be done without a note: the links and buttons of the bar.
const deeds = () => [
  ...[...document.querySelectorAll("#New, .bar nav a, #Project a")].map((link) => ({ title: link.textContent.trim(), soft: link.id ? "action" : "view", go: () => link.click() })),
  ...[...document.querySelectorAll("#Project form button")].map((button) => ({ title: button.firstChild.textContent.trim(), soft: "project " + button.value, go: () => button.click() })),
];

async function ask() {
  const field = $("#Ask");
  const text = field.value.trim();
  const found = await fetch(base + "/titles?documents=1&q=" + encodeURIComponent(text)).then((answer) => answer.ok ? answer.json() : [], () => []);
  if (text !== field.value.trim()) return asking; // a later answer is on its way
  const words = text.toLowerCase().split(/\s+/);
  const fits = deeds().filter((deed) => words.every((word) => (deed.title + " " + deed.soft).toLowerCase().includes(word)));
  const named = fits.filter((deed) => deed.title.toLowerCase() === text.toLowerCase());
  const notes = found.map((note) => ({ title: note.title, soft: note.type, go: () => { location.href = base + note.path; } }));
  const choices = [...named, ...notes, ...fits.filter((deed) => !named.includes(deed))];
  if (text) choices.push({ title: "Search for “" + text + "”", soft: "all notes, documents and commits", go: () => visit("/?q=" + encodeURIComponent(text)) });
  if (text && $("#New")) choices.push({ title: "New note “" + text + "”", soft: "action", go: () => visit("/new?title=" + encodeURIComponent(text)) });
  showChoices($("#Asked"), field, choices, (item, i) => {
    item.go = choices[i].go;
    item.addEventListener("click", item.go);
  });
}

function openPalette() {
  if (!palette || palette.open) return palette?.close();
  palette.showModal();
  $("#Ask").select();
  asking = ask();
}
if (palette) {
  $("#Find").hidden = false;
  $("#Find").addEventListener("click", openPalette);
  palette.addEventListener("click", (event) => { if (event.target === palette) palette.close(); });
  $("#Ask").addEventListener("input", () => { asking = ask(); });
  $("#Ask").addEventListener("keydown", async (event) => {
    if (event.isComposing) return;
    if (moveChoice($("#Asked"), event)) event.preventDefault();
    else if (event.key === "Enter") {
      event.preventDefault();
      await asking;
      $("#Asked [aria-selected=true]")?.go();
    }
  });
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
    startWriting();
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

// ---- The preview, and notes to link to.

let shows = (sessionStorage.preview ?? (innerWidth > 1100 ? "1" : "")) === "1";
let drawing = 0;

function startWriting() {
  const text = $("form.edit [name=body]");
  text.addEventListener("input", () => { offerNotes(text); drawPreview(300); });
  text.addEventListener("blur", () => setTimeout(hideOffer, 150)); // a click on an offer comes first
  text.addEventListener("keydown", chooseOffer);
  $("form.edit [name=title]").addEventListener("input", () => drawPreview(300));
  const button = $("#ShowPreview");
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => { shows = !shows; sessionStorage.preview = shows ? "1" : ""; drawPreview(0); });
  drawPreview(0);
}

function drawPreview(pause) {
  const frame = $("#Preview");
  clearTimeout(drawing);
  if (!frame) return;
  frame.hidden = !shows;
  $("#Texts").classList.toggle("two", shows);
  document.body.classList.toggle("broad", shows);
  $("#ShowPreview").setAttribute("aria-pressed", shows);
  if (shows) drawing = setTimeout(async () => {
    const { project, title, body } = $("form.edit").elements;
    const answer = await fetch(base + "/preview", { method: "POST", body: new URLSearchParams({ project: project.value, title: title.value, body: body.value }) }).catch(() => null);
    if (!answer?.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const link of fresh.querySelectorAll("a:not([rel]):not([href^='#'])")) { link.href = new URL(link.getAttribute("href"), location.origin + base + "/notes/").href; link.target = "_blank"; }
    const prose = $(".prose", frame);
    prose.replaceChildren(...fresh.body.childNodes);
    if (!prose.childNodes.length) prose.textContent = "Nothing to show yet.";
  }, pause);
}

let offers = 0; // counts requests, so that a late answer is dropped

// What stands between [[ and the cursor, when a link is being written.
const linkBegun = (text) => text.value.slice(0, text.selectionStart).match(/\[\[([^\[\]|#\n]{0,60})$/);
const hideOffer = () => { offers++; $("#Offered").hidden = true; };

async function offerNotes(text) {
  const begun = linkBegun(text);
  if (!begun) return hideOffer();
  const mine = ++offers;
  const found = await fetch(base + "/titles?q=" + encodeURIComponent(begun[1])).then((answer) => answer.ok ? answer.json() : [], () => []);
  if (mine !== offers) return;
  const list = $("#Offered");
  list.hidden = !found.length;
  showChoices(list, text, found.map((note) => ({ title: note.title, soft: note.id })), (item, i) => {
    item.dataset.link = found[i].id;
    item.addEventListener("mousedown", (event) => { event.preventDefault(); takeOffer(text, item); });
  });
  placeOffer(text, list);
  text.setAttribute("aria-controls", "Offered");
}

// Puts the offers below the cursor, which is measured in a copy of the text, or above it where
// there is no room below.
function placeOffer(text, list) {
  const copy = document.createElement("div");
  const mark = document.createElement("span");
  copy.className = "caret";
  for (const name of ["font", "lineHeight", "padding", "border", "letterSpacing", "tabSize"]) copy.style[name] = getComputedStyle(text)[name];
  copy.style.width = text.clientWidth + "px";
  copy.append(text.value.slice(0, text.selectionStart), mark);
  text.parentElement.append(copy);
  const line = mark.offsetHeight + 6;
  const top = text.offsetTop + Math.min(mark.offsetTop - text.scrollTop, text.clientHeight - line);
  const left = Math.min(text.offsetLeft + mark.offsetLeft, text.offsetLeft + text.clientWidth - list.offsetWidth);
  copy.remove();
  const room = $(".edit .actions").getBoundingClientRect().top - list.offsetParent.getBoundingClientRect().top - top - line;
  list.style.setProperty("--top", (list.offsetHeight > room ? top - list.offsetHeight - 4 : top + line) + "px");
  list.style.setProperty("--left", Math.max(left, 0) + "px");
}

function takeOffer(text, item) {
  const begun = linkBegun(text);
  const rest = text.value.slice(text.selectionStart);
  const from = text.selectionStart - begun[1].length;
  text.setRangeText(item.dataset.link + (rest.startsWith("]]") ? "" : "]]"), from, text.selectionStart, "end");
  if (rest.startsWith("]]")) text.selectionStart = text.selectionEnd += 2;
  hideOffer();
  drawPreview(0);
}

function chooseOffer(event) {
  const list = $("#Offered");
  if (list.hidden || event.isComposing) return;
  if (moveChoice(list, event));
  else if (event.key === "Escape") hideOffer();
  else if ((event.key === "Enter" && !event.ctrlKey && !event.metaKey) || event.key === "Tab") takeOffer(event.target, $("[aria-selected=true]", list));
  else return;
  event.preventDefault();
  event.stopPropagation();
}
if (form) startWriting();

// ---- Menus close when something else is wanted.

const closeMenus = (but) => { let any = false; for (const menu of document.querySelectorAll(".menu[open]")) if (menu !== but) { menu.open = false; any = true; } return any; };
document.addEventListener("click", (event) => closeMenus(event.target.closest(".menu")));

document.addEventListener("click", async (event) => {
  const command = event.target.closest("[data-copy]")?.dataset.copy;
  if (!command) return;
  await navigator.clipboard.writeText(command).then(() => say("Copied."), () => say("The browser copies nothing here: mark the command by hand."));
});

// ---- Colours.

const theme = $("#Theme");
const root = document.documentElement;
function colours() {
  if (!theme) return;
  theme.hidden = false;
  theme.textContent = "Theme: " + (root.dataset.theme ?? "auto");
}
theme?.addEventListener("click", () => {
  const next = { undefined: "dark", dark: "light" }[root.dataset.theme] ?? "";
  if (next) root.dataset.theme = next; else delete root.dataset.theme;
  remember("blue-theme", next);
  colours();
});

// ---- Keys.

const help = $("#Keys");
$("#Help").addEventListener("click", () => help.showModal());
$("#Help").hidden = false;
const press = (id) => { const at = $("#" + id); if (onScreen(at)) at.click(); };
const visit = (path) => { if (!served || $("nav")) location.href = base + path; };
const keys = {
  "/": () => { if (onScreen(search)) { search.focus(); search.select(); } else if ($("#Spot")) $("#Spot").focus(); else visit("/#Search"); },
  "?": () => help.showModal(),
  j: () => step(1), k: () => step(-1),
  e: () => press("Edit"), h: () => press("History"),
  n: () => press("New"),
  l: () => visit("/"), a: () => visit("/activity"), g: () => visit("/graph"), t: () => visit("/trash"), d: () => served || visit("/documents/"), w: () => served || visit("/why"), r: () => served || visit("/review"),
  Escape: back,
};
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k" && palette && !help.open) {
    event.preventDefault();
    openPalette();
    return;
  }
  if (event.isComposing || $("dialog[open]")) return;
  if ((event.ctrlKey || event.metaKey) && (event.key === "Enter" || event.key === "s") && $("form.edit")) {
    event.preventDefault();
    $("form.edit").requestSubmit();
    return;
  }
  if ((event.ctrlKey || event.metaKey) && event.key === "." && $("#ShowPreview")) {
    event.preventDefault();
    $("#ShowPreview").click();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && closeMenus()) return;
  if (event.target.matches("input, textarea, select, form[method=post] button")) { // what is typed there is no shortcut
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

colours();
watchMore();
askAgain();
listen();
