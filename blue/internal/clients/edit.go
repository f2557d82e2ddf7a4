package clients

import (
	"bytes"
	"slices"

	"blue/blue/internal/config"
	"blue/errors"
)

func (f File) language() config.Language {
	switch f.Format {
	case TOML:
		return config.TOML{}
	case YAML:
		return config.YAML{}
	default:
		return f.jsonText()
	}
}

func (f File) jsonText() config.JSON {
	return config.JSON{Comments: f.Format != JSON, Commas: f.Format == JSONC}
}

// Edit returns before with Blue's parts put in, or brought up to date. It is pure.
// Nil means a file that does not exist. A file that holds them already
// comes back as it is. What a person added to the entry stays, unless it
// contradicts the way Blue is reached. Failures leave nothing half done and
// name file and line: kind invalid for what cannot be parsed or extended,
// exists when another program has the name, secret_detected for a token that
// would be committed.
func (f File) Edit(before []byte, e Entry) ([]byte, error) {
	if f.PrintOnly {
		return nil, errors.PrintOnly(f.client.Name, f.Path)
	}
	return f.edit(before, e)
}

func (f File) edit(before []byte, e Entry) ([]byte, error) {
	switch f.Format {
	case Markdown:
		after, err := contextBlock.Put(before, block)
		return after, f.refused(err)
	case Script:
		return f.putScript(before, e)
	}
	plain, err := f.decode(before)
	if err != nil {
		return nil, err
	}
	w, err := f.wanted(plain, e)
	if err != nil || w.kept(plain) {
		return before, err
	}
	after, err := f.put(before, plain, w)
	if err != nil {
		return nil, f.refused(err)
	}
	return f.checked(before, after, w)
}

// Remove returns before without what Blue keeps in the file; a file without it
// comes back as it is, and nil means that nothing is left. When one of the texts
// that the file may have had before Blue came is what Edit has made this one of,
// that text comes back, to the byte. Remove is pure, and fails as Edit does.
func (f File) Remove(before []byte, originals ...[]byte) ([]byte, error) {
	switch {
	case f.PrintOnly:
		return nil, errors.PrintOnly(f.client.Name, f.Path)
	case f.Format == Markdown:
		after, err := contextBlock.Drop(before)
		return after, f.refused(err)
	case f.Format == Script:
		return f.dropScript(before)
	}
	plain, err := f.decode(before)
	if err != nil {
		return nil, err
	}
	w := f.unwanted(plain)
	if r := registered(Server, w.present(plain)); f.holds(MCP) && !r.IsBlue() {
		return nil, errors.ForeignEntry(f.Path, Server, r.starts())
	}
	if w.kept(plain) {
		return before, nil
	}
	after, err := f.drop(before, plain, w)
	if err != nil {
		return nil, f.refused(err)
	}
	if after, err = f.checked(before, after, w); err != nil {
		return nil, err
	}
	made, e := f.made(plain, w)
	for _, original := range originals {
		was, err := f.decode(original)
		if original == nil || err != nil || !f.unwanted(was).kept(was) { // Blue was there already
			continue
		}
		if again, err := made.edit(original, e); err == nil && bytes.Equal(again, before) {
			return original, nil
		}
	}
	if config.IsEmpty(after) {
		return nil, nil
	}
	return after, nil
}

// Present are the parts of Blue that the text holds, of those that the file is for.
func (f File) Present(text []byte) []Part {
	if f.Format == Markdown || f.Format == Script {
		return f.Holds
	}
	plain, err := f.decode(text)
	if err != nil {
		return f.Holds
	}
	held, _ := f.made(plain, f.unwanted(plain))
	return slices.DeleteFunc(slices.Clone(f.Holds), func(part Part) bool { return !held.holds(part) })
}

func (f File) holds(part Part) bool { return slices.Contains(f.Holds, part) }

func (f File) decode(src []byte) (plain any, err error) {
	if f.readOnly {
		return nil, f.refused(config.Fault{Line: 0, Text: "Blue reads this file of " + f.client.Title + " and does not edit it"})
	}
	if err := config.CheckText(src); err != nil {
		return nil, f.refused(err)
	}
	if plain, err = f.language().Decode(src); err != nil {
		return nil, f.refused(err)
	}
	return plain, nil
}

// refused turns a fault into the failure that people see.
func (f File) refused(err error) error {
	if at, ok := errors.AsType[config.Fault](err); ok {
		return errors.BadConfig(f.Path, at.Line, at.Text)
	}
	return err
}
