package clients

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// decodeYAML decodes YAML. Blue reads such files and does not edit them.
func decodeYAML(src []byte) (plain any, err error) {
	if err := yaml.Unmarshal(src, &plain); err != nil {
		return nil, fault{0, strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	return plain, nil
}

// yamlLines returns the lines that set the value at path to v.
func yamlLines(path []string, v any) []byte {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	_ = enc.Encode(yamlNode(nest(path, v))) // into memory, of types that always encode
	return b.Bytes()
}

// yamlNode returns the node for a value.
func yamlNode(v any) *yaml.Node {
	n := &yaml.Node{}
	o, ok := v.(object)
	if !ok {
		_ = n.Encode(v) // values of these types always encode
		if n.Kind == yaml.SequenceNode {
			n.Style = yaml.FlowStyle
		}
		return n
	}
	n.Kind = yaml.MappingNode
	if len(o) == 0 {
		n.Style = yaml.FlowStyle
	}
	for _, m := range o {
		n.Content = append(n.Content, yamlNode(m.Key), yamlNode(m.Value))
	}
	return n
}
