"use strict";
// Colours code, and lets the boxes of task lists be checked. What it adds is added again when the
// text of the page has changed.
const WORDS = new Set(("abstract and as assert async await begin bool boolean break byte case catch chan char class const continue def default defer del delete do done double elif else elsif end enum error esac except exec export extends extern false fi final finally float fn for foreach from func function go goto if impl implements import in include init instanceof int interface is lambda let local long loop map match mod module mut namespace new nil None not null of or package pass private protected pub public raise range readonly record ref rescue return select self short sizeof static string struct super switch synchronized template then this throw throws trait True False true try type typedef typeof undefined union unless unsafe unsigned until use using val var virtual void volatile when where while with yield " +
  "ALTER AND AS BEGIN BETWEEN BY CASE COMMIT CREATE DELETE DESC DISTINCT DROP ELSE END EXISTS FROM GRANT GROUP HAVING IN INDEX INNER INSERT INTO IS JOIN KEY LEFT LIKE LIMIT NOT NULL ON OR ORDER OUTER PRIMARY REFERENCES ROLLBACK SELECT SET TABLE THEN UNION UNIQUE UPDATE VALUES VIEW WHEN WHERE WITH").split(" "));
const STRINGS = /"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|`(?:\\.|[^`\\])*`?/.source;
const SLASHES = /\/\/.*|\/\*[^]*?(?:\*\/|$)/.source, HASH = /#.*/.source, DASHES = /--.*/.source, TAGS = /<!--[^]*?(?:-->|$)/.source;
const COMMENTS = {
  [HASH]: "python py ruby rb sh bash zsh shell fish console yaml yml toml make makefile dockerfile docker perl r ini conf elixir nix hcl terraform tf",
  [DASHES]: "sql lua haskell hs ada elm", [TAGS]: "html xml svg vue",
};

// Code of no known language, and what is no code, stays as it is.
function paint(code) {
  const language = code.className.match(/language-([\w+#-]+)/)?.[1].toLowerCase();
  const text = code.textContent;
  if (!language || /^(text|txt|plain|markdown|md|mermaid|csv|log)$/.test(language) || text.length > 100000) return;
  if (language === "diff" || language === "patch") return split(code, text, /^\+.*|^-.*/gm, (found) => found[0] === "+" ? "added" : "gone");
  const comment = Object.keys(COMMENTS).find((form) => COMMENTS[form].split(" ").includes(language)) ?? SLASHES;
  split(code, text, new RegExp(`(?<comment>${comment})|(?<string>${STRINGS})|(?<number>\\b\\d[\\w.]*)|[A-Za-z_$][\\w$]*`, "g"),
    (found, { comment, string, number }) => comment ? "comment" : string ? "string" : number ? "number" : WORDS.has(found) ? "word" : "");
}

function split(code, text, pattern, nameOf) {
  const parts = [];
  let done = 0;
  for (const match of text.matchAll(pattern)) {
    const name = nameOf(match[0], match.groups ?? {});
    if (!name) continue;
    const part = document.createElement("span");
    part.className = "code-" + name;
    part.textContent = match[0];
    parts.push(text.slice(done, match.index), part);
    done = match.index + match[0].length;
  }
  code.replaceChildren(...parts, text.slice(done));
}

// A box writes the note with the revision that is shown. If the note has changed since, nothing is
// written, and the text as it is now is shown.
async function check(box, number) {
  const { name, revision } = $("#Note").dataset;
  box.disabled = true;
  try {
    const sent = new URLSearchParams({ project: document.body.dataset.project, revision, number, done: box.checked ? "1" : "" });
    const answer = await fetch(base + "/check/" + encodeURIComponent(name), { method: "POST", body: sent });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (answer.redirected) return replaceLiveParts(fresh);
    say("Not saved: " + ($("main strong", fresh)?.textContent ?? answer.statusText));
  } catch {
    say("Not saved: blue ui does not answer.");
  }
  box.checked = !box.checked;
  refresh();
}

function decorate() {
  document.querySelectorAll(".prose pre code").forEach(paint);
  if (!$("#Note")?.dataset.revision) return;
  document.querySelectorAll('.prose span:is([aria-label="done"], [aria-label="not done"])').forEach((sign, number) => {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = sign.ariaLabel === "done";
    sign.replaceWith(box);
    box.ariaLabel = box.closest("li").textContent.trim().slice(0, 200);
    box.addEventListener("change", () => check(box, number));
  });
}
document.addEventListener("shown", decorate);
decorate();
