package page

// surrounding is what surrounds a view: the theme, the title, the name, the stamp,
// the bar, the warnings and the view itself go in.
const surrounding = `<!doctype html>
<html lang="en"%s>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/page.css">
<script src="/page.js" defer></script>
</head>
<body data-view="%s" data-stamp="%s">
<a class="skip" href="#Main">Skip to the content</a>
<header class="bar">
%s</div>
</header>
%s<main id="Main" tabindex="-1">
%s
</main>
<div id="Notice" role="status" aria-live="polite"></div>
<dialog id="Keys" aria-labelledby="KeysTitle">
<h2 id="KeysTitle">Keys</h2>
<dl>
<div><dt><kbd>/</kbd></dt><dd>search</dd></div>
<div><dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next and previous note</dd></div>
<div><dt><kbd>Enter</kbd></dt><dd>open it</dd></div>
<div><dt><kbd>Esc</kbd></dt><dd>back</dd></div>
<div><dt><kbd>e</kbd> <kbd>h</kbd></dt><dd>edit, history of this note</dd></div>
<div><dt><kbd>n</kbd></dt><dd>new note</dd></div>
<div><dt><kbd>Ctrl</kbd> <kbd>Enter</kbd></dt><dd>save</dd></div>
<div><dt><kbd>l</kbd> <kbd>g</kbd> <kbd>t</kbd> <kbd>w</kbd></dt><dd>list, graph, trash, why this project</dd></div>
<div><dt><kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd></dt><dd>zoom of the graph; arrows move it</dd></div>
<div><dt><kbd>?</kbd></dt><dd>these keys</dd></div>
</dl>
<form method="dialog"><button>Close</button></form>
</dialog>
</body>
</html>
`

const logo = `<a class="project" href="/" title="%s"><svg viewBox="0 0 16 16" aria-hidden="true"><rect x="1.5" y="1.5" width="13" height="13" rx="3.5"/><path d="M5 5.5h6M5 8h6M5 10.5h3.5"/></svg><span>%s</span></a>
`

const tools = `<div class="tools">
<button type="button" class="plain" id="Theme" hidden>Theme</button>
<button type="button" class="plain" id="Help" hidden>Keys</button>
`
