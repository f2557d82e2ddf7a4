package page

import (
	"fmt"
	"html"
	"net/url"
	"strings"
)

// safe is text in HTML, made by [markup] or by the core.
//
// The views are made with it and not with html/template, which calls methods by
// name: the linker would have to keep every method of the program, 3 MB.
type safe string

// markup puts values into HTML, each escaped unless it is HTML itself. Formats have
// attributes in double quotes, and nothing dynamic in a script or a style.
func markup(format string, values ...any) safe {
	for i, value := range values {
		switch value := value.(type) {
		case safe, int, int64:
		case string:
			values[i] = html.EscapeString(value)
		default:
			panic(fmt.Sprintf("%T in a view", value)) // it would get there unescaped
		}
	}
	return safe(fmt.Sprintf(format, values...))
}

// when is markup if the condition holds.
func when(holds bool, format string, values ...any) safe {
	if !holds {
		return ""
	}
	return markup(format, values...)
}

// joined is each word in a format, with commas between them.
func joined(words []string, format string) (text safe) {
	for i, word := range words {
		text += when(i > 0, ", ") + markup(format, word)
	}
	return text
}

// soft is a word of less weight.
func soft(text string) safe { return markup(`<span class="soft">%s</span>`, text) }

// badge is a mark on a note; kind is "", "warn" or "good".
func badge(kind, text, why string) safe {
	return markup(`<span class="%s"%s>%s</span>`, strings.TrimSpace("badge "+kind), when(why != "", ` title="%s"`, why), text)
}

// kindOf is the type of a note, with its colour.
func kindOf(kind string) safe {
	return markup(`<span class="type" data-type="%s">%s</span>`, kind, kind)
}

// tagged are the tags of a note.
func tagged(tags []string) (text safe) {
	for _, tag := range tags {
		text += markup(`<a class="tag" href="/?%s">#%s</a>`, url.Values{"tag": {tag}}.Encode(), tag)
	}
	return text
}

// badges are what else is to be known of a note at once.
func badges(private, superseded, stale bool, origin string) (text safe) {
	if private {
		text += badge("", "private", "on this machine only, not in git")
	}
	if superseded {
		text += badge("", "superseded", "")
	}
	if stale {
		text += badge("warn", "stale", "a file that it cites has changed since")
	}
	switch origin {
	case "repository":
		text += badge("warn", "not reviewed", "it came with the repository; nobody has approved it here")
	case "changed":
		text += badge("warn", "changed outside", "it was reviewed here, and something else changed it since")
	}
	return text
}

// empty is a view that has nothing to show.
func empty(title string, text safe) safe {
	return markup(`<div class="empty"><h2>%s</h2>%s</div>`, title, text)
}

// warning is a line above what it is about.
func warning(holds bool, format string, values ...any) safe {
	return when(holds, `<p class="say warn">%s</p>`+"\n", markup(format, values...))
}

// post is a button that changes something, with the fields that go along: names
// and values. There is none on a page that only shows.
func (s *server) post(action string, button safe, fields ...string) safe {
	var hidden safe
	for i := 0; i < len(fields); i += 2 {
		hidden += markup(`<input type="hidden" name="%s" value="%s">`, fields[i], fields[i+1])
	}
	return when(!s.o.ReadOnly, `<form method="post" action="%s">%s<button>%s</button></form>`, action, hidden, button)
}

// hiddenCharacters says how many of them are spelled out.
func hiddenCharacters(n int) safe {
	if n == 1 {
		return `1 hidden character is shown as <code>\u{…}</code>.`
	}
	return markup(`%d hidden characters are shown as <code>\u{…}</code>.`, n)
}

// counted is a number and its word.
func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// minute is a time to the minute, of one in RFC 3339.
func minute(rfc3339 string) safe {
	return markup(`<time datetime="%s">%s</time>`, rfc3339, strings.Replace(rfc3339[:min(len(rfc3339), 16)], "T", " ", 1))
}
