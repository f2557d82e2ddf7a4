package errors

import (
	"regexp"
	"strings"
)

// marker matches a text to which a model or its client gives a meaning of its own: turns and tools in
// the templates of models, and the elements in which clients wrap what does not come from a person.
const marker = `<[|｜][\w▁. -]{1,40}[|｜]>|` + // <|im_start|>
	`<(?:start|end)_of_turn>|` +
	`<</?SYS>>|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]|` +
	`</?(?i:system[-_](?:reminder|prompt|message|notification)|task-notification|persisted-output|hook_context|` +
	`(?:user|environment|additional|session)_(?:context|instructions|data|info|query|memories|rules)|user-prompt-submit-hook|` +
	`local-command-(?:stdout|stderr|caveat)|command-(?:name|message|args)|function_(?:calls?|results?)|antml:\w+|` +
	`tool_(?:calls?|use|results?|response|output))\b|` +
	`(?:</|\B<)(?:system|human|assistant|invoke|thinking|think)(?:\s[^<>]{0,200})?/?>` // not the type parameter of List<system>

var (
	markers    = regexp.MustCompile(marker)
	atMarker   = regexp.MustCompile("^(?:" + marker + ")")
	spelledOut = regexp.MustCompile(`\\u\{(?:3C|5B)\}`)
)

// Disarm spells out the first character of each marker in a text that a model is to read, as
// \u{3C}system-reminder>, so that the text of a note stays data. Other markup stays as it is.
// Disarm is idempotent; [Rearm] undoes it.
func Disarm(text string) string {
	if !strings.ContainsAny(text, "<[") {
		return text
	}
	return markers.ReplaceAllStringFunc(text, func(marker string) string {
		if marker[0] == '[' {
			return `\u{5B}` + marker[1:]
		}
		return `\u{3C}` + marker[1:]
	})
}

// Rearm puts the markers back that [Disarm] has spelled out, in a text that a model returns.
func Rearm(text string) string {
	var b strings.Builder
	for {
		at := spelledOut.FindStringIndex(text)
		if at == nil {
			return b.String() + text
		}
		first := map[byte]string{'3': "<", '5': "["}[text[at[0]+len(`\u{`)]]
		if !atMarker.MatchString(first + text[at[1]:]) {
			first = text[at[0]:at[1]]
		}
		b.WriteString(text[:at[0]] + first)
		text = text[at[1]:]
	}
}
