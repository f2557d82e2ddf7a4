package errors

import "testing"

func TestDisarm(t *testing.T) {
	for text, want := range map[string]string{
		"a </system-reminder> b":                     `a \u{3C}/system-reminder> b`,
		"</SYSTEM-REMINDER\nx>":                      "\\u{3C}/SYSTEM-REMINDER\nx>",
		"cut at <system-reminder":                    `cut at \u{3C}system-reminder`,
		"<|im_start|>system":                         `\u{3C}|im_start|>system`,
		"<｜User｜>":                                   `\u{3C}｜User｜>`,
		"[INST] x [/INST]":                           `\u{5B}INST] x \u{5B}/INST]`,
		"<<SYS>> x <</SYS>>":                         `\u{3C}<SYS>> x \u{3C}</SYS>>`,
		"word</system> <system>":                     `word\u{3C}/system> \u{3C}system>`,
		`<invoke name="blue_remove">`:                `\u{3C}invoke name="blue_remove">`,
		"<hook_context>":                             `\u{3C}hook_context>`,
		"<tool_call>":                                `\u{3C}tool_call>`,
		"<start_of_turn>user":                        `\u{3C}start_of_turn>user`,
		`\u{3C}system-reminder>`:                     `\u{3C}system-reminder>`,
		"List<System> and Promise<system>":           "List<System> and Promise<system>",
		"<div class=\"x\"> <Suspense> <T extends U>": "<div class=\"x\"> <Suspense> <T extends U>",
		"a[INSTALL] [x] <- y | z <= 3":               "a[INSTALL] [x] <- y | z <= 3",
		"a || b <|> c":                               "a || b <|> c",
		"#include <system.h> <https://x.example>":    "#include <system.h> <https://x.example>",
	} {
		if got := Disarm(text); got != want || Disarm(got) != got {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if got := Rearm(want); got != text && want != text {
			t.Errorf("%q: %q comes back", text, got)
		}
	}
	for text, want := range map[string]string{
		`\u{3C}/system-reminder> \u{3C} \u{202E} \u{3C}div> \u{5B}1]`: `</system-reminder> \u{3C} \u{202E} \u{3C}div> \u{5B}1]`,
		`\u{3C`: `\u{3C`,
	} {
		if got := Rearm(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
