"use strict";
// Moves cards of the board to other columns, by dragging, by keys and by the choice on each card.
const columnOf = (card) => card.closest("[data-status]");

// Writes the status with the revision that is shown. If the note has changed since, nothing is
// written, and the board as it is now is shown.
async function moveCard(card, status) {
  if (!status || columnOf(card).dataset.status === status) return;
  const { id, revision } = card.dataset;
  say("Moving …");
  try {
    const sent = new URLSearchParams({ project: document.body.dataset.project, revision, status });
    const answer = await fetch(base + "/move/" + encodeURIComponent(id), { method: "POST", body: sent });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!answer.redirected) throw new Error($("main strong", fresh)?.textContent ?? answer.statusText);
    replaceLiveParts(fresh);
    say(row(id) ? "Moved to " + status + "." : "It is " + status + ": only checkpoints of that status are on the board.");
  } catch (fault) {
    say("Not moved: " + (fault instanceof TypeError ? "blue ui does not answer." : fault.message));
    refresh();
  }
}

const board = $("#Board");
let dragged = null;
const over = (column) => { for (const at of board.querySelectorAll(".column")) at.classList.toggle("over", at === column); };
board.addEventListener("dragstart", (event) => {
  dragged = event.target.closest(".card");
  event.dataTransfer.effectAllowed = "move";
});
board.addEventListener("dragover", (event) => {
  if (!dragged) return;
  event.preventDefault();
  over(columnOf(event.target));
});
board.addEventListener("dragend", () => { dragged = null; over(null); });
board.addEventListener("drop", (event) => {
  event.preventDefault();
  if (dragged) moveCard(dragged, columnOf(event.target)?.dataset.status);
  dragged = null;
  over(null);
});
board.addEventListener("change", (event) => moveCard(event.target.closest(".card"), event.target.value));

// Arrows with Shift move the card that has the focus; without, they choose another one.
board.addEventListener("keydown", (event) => {
  const card = event.target.matches(".card > a") && event.target.closest(".card");
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!card || !by || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const columns = [...board.querySelectorAll(".column")];
  let at = columns.indexOf(columnOf(card)) + by;
  if (event.shiftKey) return moveCard(card, columns[at]?.dataset.status);
  while (columns[at] && !$(".card > a", columns[at])) at += by;
  $(".card > a", columns[at] ?? card)?.focus();
});
