package transfer

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// RegisterFuncs implements [renderer.NodeRenderer]: raw HTML is shown as text, and a check box as
// a sign.
func (p *prose) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHTMLBlock, renderHTMLBlock)
	r.Register(ast.KindRawHTML, renderRawHTML)
	r.Register(east.KindTaskCheckBox, renderCheckBox)
}

func renderHTMLBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if b := n.(*ast.HTMLBlock); entering {
		if b.HasClosure() {
			b.Lines().Append(b.ClosureLine)
		}
		if shown := withoutComment(string(b.Lines().Value(source))); shown != "" {
			_, _ = w.WriteString("<pre><code>" + string(util.EscapeHTML([]byte(shown))) + "</code></pre>\n")
		}
	}
	return ast.WalkSkipChildren, nil
}

func renderRawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		text := n.(*ast.RawHTML).Segments.Value(source)
		_, _ = w.Write(util.EscapeHTML([]byte(withoutComment(string(text)))))
	}
	return ast.WalkSkipChildren, nil
}

// withoutComment returns "" for a text that is one comment, which no reader of a page would see
// either.
func withoutComment(text string) string {
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, "<!--") && strings.Index(trimmed, "-->") == len(trimmed)-3 {
		return ""
	}
	return text
}

func renderCheckBox(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		sign := `<span role="img" aria-label="not done">☐</span> `
		if n.(*east.TaskCheckBox).IsChecked {
			sign = `<span role="img" aria-label="done">☑</span> `
		}
		_, _ = w.WriteString(sign)
	}
	return ast.WalkContinue, nil
}
