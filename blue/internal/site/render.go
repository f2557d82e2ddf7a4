package site

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// RegisterFuncs is part of [renderer.NodeRenderer]: raw HTML is shown as text, and
// a box that nobody can tick is a sign.
func (p *prose) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHTMLBlock, block)
	r.Register(ast.KindRawHTML, raw)
	r.Register(east.KindTaskCheckBox, box)
}

func block(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	b := n.(*ast.HTMLBlock)
	var text strings.Builder
	for i := range b.Lines().Len() {
		line := b.Lines().At(i)
		text.Write(line.Value(source))
	}
	if b.HasClosure() {
		text.Write(b.ClosureLine.Value(source))
	}
	if shown := withoutComment(text.String()); shown != "" {
		_, _ = w.WriteString("<pre><code>" + string(util.EscapeHTML([]byte(shown))) + "</code></pre>\n")
	}
	return ast.WalkSkipChildren, nil
}

func raw(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	h := n.(*ast.RawHTML)
	var text strings.Builder
	for i := range h.Segments.Len() {
		segment := h.Segments.At(i)
		text.Write(segment.Value(source))
	}
	_, _ = w.Write(util.EscapeHTML([]byte(withoutComment(text.String()))))
	return ast.WalkSkipChildren, nil
}

// withoutComment is "" for a text that is one comment, which no reader of a page
// would see either.
func withoutComment(text string) string {
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, "<!--") && strings.Index(trimmed, "-->") == len(trimmed)-3 {
		return ""
	}
	return text
}

func box(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		sign := `<span role="img" aria-label="not done">☐</span> `
		if n.(*east.TaskCheckBox).IsChecked {
			sign = `<span role="img" aria-label="done">☑</span> `
		}
		_, _ = w.WriteString(sign)
	}
	return ast.WalkContinue, nil
}
