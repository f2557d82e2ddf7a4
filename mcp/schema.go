package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"blue/blue"
	"blue/errors"
	"blue/mcp/internal/transport"
)

// schemaOf is the flat schema of an input: no null types, no references. That unknown
// members are refused is not said in it, for every client would pay for the words. A
// type that has no schema is a fault of the program.
func schemaOf[In any]() *jsonschema.Schema {
	s, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("schema of %T: %v", *new(In), err))
	}
	s.AdditionalProperties = nil
	for _, property := range s.Properties {
		dropNull(property)
		if property.Items != nil {
			dropNull(property.Items)
		}
	}
	return s
}

// dropNull takes the null out of a type.
func dropNull(s *jsonschema.Schema) {
	if len(s.Types) == 2 && slices.Contains(s.Types, "null") {
		s.Type = s.Types[0]
		if s.Type == "null" {
			s.Type = s.Types[1]
		}
		s.Types = nil
	}
}

// decode turns the arguments of a call into its input. What does not fit is
// refused by name, never dropped.
func decode[In any](verb string, schema *jsonschema.Schema, raw json.RawMessage) (in In, err error) {
	if len(bytes.TrimSpace(raw)) == 0 || string(bytes.TrimSpace(raw)) == "null" {
		raw = json.RawMessage("{}")
	}
	members, repeated := transport.Members(raw)
	if members == nil {
		return in, errors.BadValue("arguments", repeatable("arguments", raw), "one JSON object")
	}
	if repeated != "" {
		return in, errors.BadValue(repeated, "two values", "one value")
	}
	if normalise(schema, members) {
		raw = transport.EncodeObject(members)
	}
	known := slices.Sorted(maps.Keys(schema.Properties))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		property, ok := schema.Properties[name]
		if !ok {
			return in, errors.E(errors.Invalid, "blue_%s takes no argument %s", verb, errors.Quote(name)).
				Hint("", "", "its arguments: "+strings.Join(known, ", "))
		}
		if !hasType(property, members[name]) {
			return in, errors.BadValue(name, repeatable(name, members[name]), "a value of type "+typeName(property))
		}
	}
	for _, name := range schema.Required {
		if _, ok := members[name]; !ok {
			return in, errors.Missing(name, fmt.Sprintf("blue_%s needs it", verb))
		}
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return in, errors.BadValue("arguments", err.Error(), "values as the schema of blue_"+verb+" says")
	}
	return in, nil
}

// normalise rewrites what clients send in another form than the schema publishes, and
// reports whether it did: null means that the argument is absent, and 5.0 is the
// integer 5.
func normalise(schema *jsonschema.Schema, members map[string]json.RawMessage) (changed bool) {
	for name, property := range schema.Properties {
		value, sent := members[name]
		if sent && string(value) == "null" {
			delete(members, name)
			changed = true
		}
		if whole, ok := wholeNumber(value); ok && property.Type == "integer" && whole != string(value) {
			members[name], changed = json.RawMessage(whole), true
		}
	}
	return changed
}

// wholeNumber spells a JSON number that has no fraction in plain digits; false for
// any other value, and for a number that a float64 cannot hold exactly.
func wholeNumber(value json.RawMessage) (digits string, ok bool) {
	number, err := strconv.ParseFloat(string(value), 64)
	if err != nil || number != math.Trunc(number) || math.Abs(number) >= 1<<53 {
		return "", false
	}
	return strconv.FormatInt(int64(number), 10), true
}

// hasType reports whether a value has the type that a flat schema asks for.
func hasType(s *jsonschema.Schema, raw json.RawMessage) bool {
	switch s.Type {
	case "string":
		return raw[0] == '"'
	case "boolean":
		return raw[0] == 't' || raw[0] == 'f'
	case "integer":
		_, err := strconv.ParseInt(string(raw), 10, 64)
		return err == nil
	case "array":
		var items []json.RawMessage
		return json.Unmarshal(raw, &items) == nil && items != nil && !slices.ContainsFunc(items, func(item json.RawMessage) bool { return item[0] != '"' })
	}
	return false
}

func typeName(s *jsonschema.Schema) string {
	if s.Type == "array" {
		return "array of strings"
	}
	return s.Type
}

// repeatable is the value of an argument as an error may show it: on one line, and
// neither the text of a note nor a secret.
func repeatable(name string, raw json.RawMessage) string {
	if slices.Contains(secretArguments, name) && len(raw) > 20 || blue.HoldsSecret(string(raw)) {
		return fmt.Sprintf("a value of %d bytes", len(raw))
	}
	return strings.Join(strings.Fields(string(raw)), " ")
}
