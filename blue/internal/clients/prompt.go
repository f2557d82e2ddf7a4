package clients

// VS Code asks the person for a token when the file has an input of that id,
// so an HTTP entry needs two places of one file.
const promptID = "blue-token"

// prompts reports whether the entry refers to the input.
func (f File) prompts(want object) bool {
	head, _ := want.find("headers")
	list, _ := head.(object)
	_, token := list.find("Authorization")
	return f.client.shape.input && token
}

// prompt adds the input to the list "inputs", unless it is there.
func (t jsonText) prompt(src []byte) ([]byte, error) {
	g, err := t.page(src)
	if err != nil {
		return nil, err
	}
	want := object{
		{key: "type", value: "promptString"}, {key: "id", value: promptID},
		{key: "description", value: "Token of Blue"}, {key: "password", value: true},
	}
	it, ok := g.root.item("inputs")
	switch {
	case !ok:
		return g.insert(g.root, "inputs", []object{want}), nil
	case it.kind != '[':
		return nil, fault{lineAt(src, it.start), `the value of "inputs" is not a list`}
	case g.promptIn(it.node) >= 0:
		return src, nil
	}
	return g.insert(it.node, "", want), nil
}

// unprompt takes the input out again.
func (t jsonText) unprompt(src []byte) ([]byte, error) {
	g, err := t.page(src)
	if err != nil {
		return nil, err
	}
	it, _ := g.root.item("inputs")
	if i := g.promptIn(it.node); i >= 0 {
		return g.cut(it.node, i), nil
	}
	return src, nil
}

func (g page) promptIn(n node) int {
	for i, it := range n.items {
		if isPrompt(it.plain(g.src)) {
			return i
		}
	}
	return -1
}

func isPrompt(v any) bool {
	members, ok := v.(map[string]any)
	return ok && members["id"] == promptID
}

// withoutPrompt drops the input from a decoded file, and a list made for it.
func withoutPrompt(v any) any {
	members, ok := v.(map[string]any)
	if !ok {
		return v
	}
	var others []any
	list, isList := members["inputs"].([]any)
	for _, input := range list {
		if !isPrompt(input) {
			others = append(others, input)
		}
	}
	if isList {
		members["inputs"] = others
	}
	if isList && others == nil {
		delete(members, "inputs")
	}
	if len(members) == 0 {
		return nil
	}
	return members
}
