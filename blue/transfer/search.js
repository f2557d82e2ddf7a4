"use strict";
// Finds notes whose title, tags, type or text hold each word of a query; the last word may be
// the beginning of one. What a title holds counts most. Written without the signs that XML
// gives a meaning to.
const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const notes = JSON.parse(document.getElementById("Notes").textContent).map((note) => ({
  ...note, fields: [[fold(note.title), 8], [fold([note.type, note.id, ...note.tags].join(" ")), 4], [fold(note.text), 1]],
}));
const escape = (word) => word.replace(/[\\^$.*+?()[\]{}|]/g, (sign) => "\\" + sign);
const field = document.getElementById("Search"), list = document.getElementById("Found"), count = document.getElementById("Count");

// How well a note answers a word, 0 when it does not: as a whole word twice as well as inside one.
function weigh(note, word) {
  const whole = new RegExp("(?:^|[^\\p{L}\\p{N}])" + escape(word) + "(?![\\p{L}\\p{N}])", "u");
  return note.fields.reduce((sum, [text, weight]) => text.includes(word) ? sum + weight * (whole.test(text) ? 2 : 1) : sum, 0);
}

// A piece of the text around the first word that it holds, with the words marked.
function passage(note, words) {
  const shown = document.createElement("p");
  const any = new RegExp("(" + words.map(escape).join("|") + ")", "iu");
  const at = note.text.search(any);
  if (at === -1) return shown;
  const from = Math.max(0, at - 60), to = from + 240;
  shown.append(from ? "… " : "", ...note.text.slice(from, to).split(any).map((part, i) => {
    if (i % 2 === 0) return part;
    const mark = document.createElement("mark");
    mark.textContent = part;
    return mark;
  }), note.text.length > to ? " …" : "");
  return shown;
}

function search() {
  const words = fold(field.value).split(/\s+/).filter(Boolean);
  const found = words.length === 0 ? [] : notes.map((note) => ({ note, weights: words.map((word) => weigh(note, word)) }))
    .filter(({ weights }) => weights.every(Boolean)).map(({ note, weights }) => ({ note, sum: weights.reduce((a, b) => a + b) }))
    .sort((a, b) => b.sum - a.sum || a.note.title.length - b.note.title.length);
  count.textContent = words.length === 0 ? notes.length + " notes" : found.length === 0 ? "No note holds all of these words." : found.length + " found";
  list.replaceChildren(...found.slice(0, 50).map(({ note }) => {
    const item = document.createElement("li"), link = document.createElement("a"), day = document.createElement("span");
    link.href = note.path;
    link.textContent = note.title;
    day.className = "soft";
    day.textContent = [note.type, note.day].filter(Boolean).join(", ");
    item.append(link, " ", day, passage(note, words));
    return item;
  }));
}

field.addEventListener("input", search);
addEventListener("pageshow", search); // a browser that goes back has kept the words
field.focus();
