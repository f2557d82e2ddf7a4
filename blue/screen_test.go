package blue_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blue/blue"
	"blue/blue/internal/screen"
	"blue/blue/result"
	"blue/errors"
	"blue/fixtures"
)

// refusedCharacters are those that a note may not hold, each once.
func refusedCharacters() (all []rune) {
	for _, span := range [][2]rune{
		{0, 0x08}, {0x0b, 0x1f}, {0x7f, 0x9f}, {0x200b, 0x200b}, {0x202a, 0x202e}, {0x2060, 0x2064}, {0x2066, 0x2069},
		{0xfdd0, 0xfdef}, {0xfeff, 0xfeff}, {0xfffd, 0xfffd}, {0xe0000, 0xe007f}, {0xe0100, 0xe01ef},
	} {
		for r := span[0]; r <= span[1]; r++ {
			all = append(all, r)
		}
	}
	for plane := rune(0); plane <= 0x10; plane++ {
		all = append(all, plane<<16|0xfffe, plane<<16|0xffff)
	}
	return all
}

// writes and edits are every field by which a caller's text can reach the disk.
func writes(text string) map[string]blue.Draft {
	return map[string]blue.Draft{
		"body": {Body: "x\n" + text + "\n"}, "title": {Body: "x", Title: text}, "type": {Body: "x", Type: text},
		"tags": {Body: "x", Tags: []string{"a", text}}, "files": {Body: "x", Files: []string{text}}, "supersedes": {Body: "x", Supersedes: []string{text}},
		"key": {Body: "x", Key: text},
	}
}

func edits(text string) map[string]blue.Change {
	old, list, body := "passage", []string{"a", text}, "x\n"+text+"\n"
	return map[string]blue.Change{
		"body": {ID: "a", Body: &body}, "-": {ID: "a", File: &body}, "append": {ID: "a", Append: &text}, "new_text": {ID: "a", OldText: &old, NewText: &text},
		"title": {ID: "a", Title: &text}, "type": {ID: "a", Type: &text}, "status": {ID: "a", Status: &text},
		"tags": {ID: "a", Tags: &list}, "files": {ID: "a", Files: &list},
	}
}

// Promise 27: every hidden character is refused in every field of a write
// and an edit, with its code, line and column, and nothing is changed.
func TestPromise27Refused(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, ".blue/notes/a.md", "a passage\n")
	p := u.Open(t, dir)
	before := tree(t, dir)
	tries := 0
	for _, r := range refusedCharacters() {
		text := "é" + string(r) + "b"
		for field, d := range writes(text) {
			_, err := p.Write(t.Context(), d)
			isHidden(t, err, "write "+field, field, r)
			tries++
		}
		for field, c := range edits(text) {
			_, err := p.Edit(t.Context(), c)
			isHidden(t, err, "edit "+field, "", r)
			tries++
		}
	}
	if after := tree(t, dir); after != before {
		t.Errorf("refused writes changed\n%s\nto\n%s", before, after)
	}
	if !t.Failed() {
		t.Logf("%d writes and edits, all refused", tries)
	}
}

func isHidden(t *testing.T, err error, what, field string, r rune) {
	t.Helper()
	var reply struct {
		Error string
		Spots []screen.Spot
	}
	if raw, _ := json.Marshal(errors.Of(err)); json.Unmarshal(raw, &reply) != nil || reply.Error != "hidden_text" || len(reply.Spots) != 1 {
		t.Errorf("%s with %U: %v", what, r, err)
		return
	}
	if s := reply.Spots[0]; s.Code != fmt.Sprintf("U+%04X", r) || s.Line < 1 || s.Column < 2 || field != "" && s.Field != field {
		t.Errorf("%s with %U: at %+v", what, r, s)
	}
}

// Promise 27: what is on the disk already is shown by read, search, list, where,
// conflict and check, never as it is.
func TestPromise27Shown(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	for some := range slices.Chunk(refusedCharacters(), 16) {
		u := newUser(t)
		dir := u.Project(t)
		h, escaped, want := string(some), "", ""
		for _, r := range some {
			escaped += quoted(r)
			want += fmt.Sprintf(`\u{%X}`, r)
		}
		put(t, dir, ".git/HEAD", "ref: refs/heads/br"+h+"anch\n")
		put(t, dir, ".blue/notes/plain.md", "findme wa"+h+"rt [[li"+h+"nk]] [x](m"+h+"d.md)\n\n## Sec"+h+"tion\n\nmore\n")
		put(t, dir, ".blue/notes/front.md", fmt.Sprintf("---\ntype: \"ty%[1]spe\"\ntitle: \"findme ti%[1]stle\"\ntags: [\"ta%[1]sg\"]\nauthor: \"au%[1]sthor\"\n"+
			"status: \"st%[1]satus\"\nsupersedes: [\"su%[1]sper\"]\nfiles: [\"fi%[1]sle\", {path: \"pa%[1]sth\", hash: \"ha%[1]ssh\"}]\n---\n\nfindme\n", escaped))
		put(t, dir, ".blue/notes/broken.md", "---\ntitle: *a"+h+"b\n---\nfindme\n")
		put(t, dir, ".blue/notes/na"+strings.Trim(h, "\x00")+"me.md", "findme\n")
		trustDir(t, u, dir)
		p := u.Open(t, dir)
		replies := replies(t, u, p, dir, h)
		for what, reply := range replies {
			if found := holds(reply, some); len(found) > 0 {
				t.Errorf("%U as they are in the reply to %s: %q", found, what, reply)
			}
		}
		for what, words := range map[string][]string{
			"read text": {"wa%srt", "li%snk", "m%sd"}, "read front text": {"ty%spe", "ti%stle", "ta%sg", "st%satus", "fi%sle", "pa%sth"},
			"search text": {"ti%stle"}, "list text": {"ti%stle", "ta%sg", "ty%spe"}, "where text": {"br%sanch", "ti%stle"}, "conflict text": {"wa%srt"},
		} {
			for _, word := range words {
				if word = fmt.Sprintf(word, want); !strings.Contains(replies[what], word) {
					t.Errorf("%s lacks %s: %s", what, word, replies[what])
				}
			}
		}
	}
}

// quoted is a character as YAML takes it between double quotes.
func quoted(r rune) string {
	if r < 0x10000 {
		return fmt.Sprintf(`\u%04X`, r)
	}
	return fmt.Sprintf(`\U%08X`, r)
}

// holds are the characters that a reply holds as they are: a text, or JSON once it
// is decoded.
func holds(reply string, some []rune) (found []rune) {
	var value any
	if json.Unmarshal([]byte(reply), &value) == nil {
		reply = strings.Join(stringsOf(value), "")
	}
	for _, r := range some {
		if strings.ContainsRune(reply, r) {
			found = append(found, r)
		}
	}
	return found
}

// stringsOf are all strings and names of members in a decoded JSON value.
func stringsOf(value any) (all []string) {
	switch value := value.(type) {
	case string:
		return []string{value}
	case []any:
		for _, v := range value {
			all = append(all, stringsOf(v)...)
		}
	case map[string]any:
		for name, v := range value {
			all = append(append(all, name), stringsOf(v)...)
		}
	}
	return all
}

type texter interface{ Text() string }

// replies are the answers of everything that shows notes, as text and as JSON.
func replies(t *testing.T, u *user, p *blue.Project, dir, h string) map[string]string {
	t.Helper()
	all := map[string]string{}
	add := func(what string, r texter, err error) {
		t.Helper()
		must(t, err)
		raw, err := json.Marshal(r)
		must(t, err)
		all[what+" text"], all[what+" json"] = r.Text(), string(raw)
	}
	ctx := t.Context()
	page, err := p.Read(ctx, blue.Reading{ID: "plain"})
	add("read", page, err)
	page, err = p.Read(ctx, blue.Reading{ID: "front"})
	add("read front", page, err)
	page, err = p.Read(ctx, blue.Reading{ID: "broken"})
	add("read broken", page, err)
	page, err = p.Read(ctx, blue.Reading{IDs: []string{"plain", "no" + h + "ne"}})
	add("read several", page, err)
	hits, err := p.Search(ctx, blue.Query{Text: "findme"})
	add("search", hits, err)
	hits, err = p.Search(ctx, blue.Query{Text: "findme unk" + h + "nown wa" + h + "rt"})
	add("search for it", hits, err)
	rows, err := p.List(ctx, blue.Filter{})
	add("list", rows, err)
	past, err := p.History(ctx, "plain")
	add("history", past, err)
	checked, err := p.Check(ctx)
	add("check", checked, err)
	where, err := u.Blue(t).Where(ctx, at(dir))
	add("where", where, err)
	body := "x"
	_, err = p.Edit(ctx, blue.Change{ID: "plain", Body: &body, Revision: "0123456789abcdef"})
	isKind(t, err, errors.Conflict, "a stale edit")
	add("conflict", errors.Of(err), nil)
	_, err = p.Remove(ctx, blue.Removal{ID: "plain", Revision: "0123456789abcdef"})
	isKind(t, err, errors.Conflict, "a stale removal")
	add("conflict of remove", errors.Of(err), nil)
	for what, r := range map[string]blue.Reading{"missing": {ID: "no" + h + "ne"}, "section": {ID: "plain", Section: "no" + h + "ne"}, "name": {ID: "zz/na" + h + "me"}, "revision": {ID: "plain", Revision: h}, "cursor": {ID: "plain", Cursor: h}} {
		if _, err = p.Read(ctx, r); err == nil {
			t.Errorf("%s: no error", what)
		}
		add(what, errors.Of(err), nil)
	}
	return all
}

// trustDir makes a project one that this user trusts.
func trustDir(t testing.TB, u *user, dir string) result.Trusted {
	t.Helper()
	trusted, err := u.Blue(t).Trust(t.Context(), dir)
	must(t, err)
	return trusted
}

// secrets are some of many kinds, made at run time.
func secrets(c *rand.Rand, n int) (all map[string]string) {
	of := func(alphabet string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[c.IntN(len(alphabet))]
		}
		return string(b)
	}
	const digits, lower, upper = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	word := digits + lower + upper
	all = map[string]string{}
	for range n {
		all["gh"+"p_"+of(word, 36)] = "github-token"
		all["AKI"+"A"+of(digits+upper, 16)] = "aws-access-key-id"
		all["AIz"+"a"+of(word, 35)] = "google-api-key"
		all["gl"+"pat-"+of(word, 20)] = "gitlab-token"
		all["xo"+"xb-"+of(word, 30)] = "slack-token"
		all["sk_"+"live_"+of(word, 24)] = "stripe-live-key"
		all["sk-"+"ant-api03-"+of(word, 60)] = "anthropic-key"
		all["np"+"m_"+of(word, 36)] = "npm-token"
		all["ey"+"J"+of(word, 20)+".eyJ"+of(word, 20)+"."+of(word, 30)] = "json-web-token"
		all["postgres://app:"+of(word, 16)+"@db/shop"] = "url-password"
	}
	return all
}

// Promise 26: a secret in any field of a write or an edit is refused with rule and
// line; its value is in no reply and no log, and nothing is changed.
func TestPromise26Refused(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, ".blue/notes/a.md", "a passage\n")
	p := u.Open(t, dir)
	before := tree(t, dir)
	all := secrets(rand.New(rand.NewPCG(1, 2)), 20)
	tries := 0
	for value, rule := range all {
		check := func(what string, err error) {
			t.Helper()
			tries++
			raw, _ := json.Marshal(errors.Of(err))
			var reply struct {
				Error string
				Spots []screen.Spot
			}
			if json.Unmarshal(raw, &reply) != nil || reply.Error != "secret_detected" || len(reply.Spots) != 1 || reply.Spots[0].Rule != rule || reply.Spots[0].Line < 1 {
				t.Errorf("%s with a %s: %s", what, rule, raw)
			}
			if core := value[len(value)/2:]; strings.Contains(string(raw)+errors.Of(err).Text(), core) {
				t.Errorf("%s repeats a %s", what, rule)
			}
		}
		for field, d := range writes(value) {
			_, err := p.Write(t.Context(), d)
			check("write "+field, err)
		}
		for field, c := range edits(value) {
			_, err := p.Edit(t.Context(), c)
			check("edit "+field, err)
		}
	}
	if after := tree(t, dir); after != before {
		t.Errorf("refused writes changed\n%s\nto\n%s", before, after)
	}
	for value, rule := range all {
		if strings.Contains(u.Log.String(), value[len(value)/2:]) {
			t.Errorf("a %s is in the log", rule)
		}
	}
	if !t.Failed() {
		t.Logf("%d secrets, %d writes and edits, all refused", len(all), tries)
	}
}

// Every field of a write and an edit that holds text is among those that are
// screened, whichever may come.
func TestEveryFieldIsScreened(t *testing.T) {
	given := map[string]bool{"id": true, "old_text": true, "restore": true, "revision": true} // these name what is there
	for name := range writes("") {
		given[name] = true
	}
	for name := range edits("") {
		given[name] = true
	}
	for _, call := range []reflect.Type{reflect.TypeFor[blue.Draft](), reflect.TypeFor[blue.Change]()} {
		for i := range call.NumField() {
			name, _, _ := strings.Cut(call.Field(i).Tag.Get("json"), ",")
			if kind := call.Field(i).Type.Kind(); kind != reflect.Bool && !given[name] {
				t.Errorf("%s of %s is not screened in any test", name, call)
			}
		}
	}
}

// The key and the name of the client are screened as the text is.
func TestKeyAndAuthor(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	before := tree(t, dir)
	_, err := u.Open(t, dir).Write(t.Context(), blue.Draft{Body: "x", Key: token})
	isKind(t, err, errors.SecretDetected, "a key")
	if text := errors.Of(err).Text(); !strings.Contains(text, `"key"`) || strings.Contains(text, token) {
		t.Errorf("the refusal of a key says %s", text)
	}
	call := at(dir)
	call.Client = token
	p, err := u.Blue(t).Open(t.Context(), call)
	must(t, err)
	_, err = p.Write(t.Context(), blue.Draft{Body: "x"})
	isKind(t, err, errors.SecretDetected, "the name of a client")
	if after := tree(t, dir); after != before {
		t.Errorf("refused writes changed\n%s\nto\n%s", before, after)
	}
}

// A person allows lines; nobody else can, and the title holds none of it.
func TestAllowSecret(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	w, err := p.Write(t.Context(), blue.Draft{Title: "Example", Body: "as in\n" + token + "\nabove", AllowSecret: true})
	must(t, err)
	text := "also " + token
	_, err = p.Edit(t.Context(), blue.Change{ID: w.ID, Append: &text, AllowSecret: true})
	must(t, err)
	old, mark := "above", "see "+token+" here"
	_, err = p.Edit(t.Context(), blue.Change{ID: w.ID, OldText: &old, NewText: &mark, AllowSecret: true})
	must(t, err)
	page, err := p.Read(t.Context(), blue.Reading{ID: w.ID})
	must(t, err)
	if n := strings.Count(page.Notes[0].Body, "<!-- blue:allow github-token -->"); n != 3 {
		t.Errorf("%d lines are allowed:\n%s", n, page.Notes[0].Body)
	}
	if found, _ := findings(t, p); len(found) > 0 {
		t.Errorf("the check found %q", found)
	}
	before := tree(t, dir)
	comment := "x <!-- blue:allow github-token -->"
	_, err = p.Edit(t.Context(), blue.Change{ID: w.ID, Append: &comment})
	isKind(t, err, errors.SecretDetected, "the comment from a tool")
	_, err = p.Write(t.Context(), blue.Draft{Body: token + " " + comment})
	isKind(t, err, errors.SecretDetected, "secret and comment from a tool")
	_, err = p.Write(t.Context(), blue.Draft{Body: token, AllowSecret: true})
	isKind(t, err, errors.Invalid, "a first line that would be the title")
	_, err = p.Write(t.Context(), blue.Draft{Title: token, Body: "x", AllowSecret: true})
	isKind(t, err, errors.SecretDetected, "a title")
	if after := tree(t, dir); after != before {
		t.Errorf("refused writes changed\n%s\nto\n%s", before, after)
	}
	plain := "and more"
	_, err = p.Edit(t.Context(), blue.Change{ID: w.ID, Append: &plain})
	must(t, err) // what was allowed blocks nobody
}

// Of adjacent lines with secrets none is told, wherever texts are shown or searched: in code, its
// uses and cited lines, commits and sessions.
func TestAdjacentSecretsAreNotTold(t *testing.T) {
	u := newUser(t)
	dir, _ := recorded(t, u)
	random := rand.New(rand.NewPCG(1, 2))
	var secrets, lines []string
	for i := range 7 {
		secret := ""
		for range 6 {
			secret += string(rune('a'+random.IntN(26))) + string(rune('0'+random.IntN(10))) + string(rune('A'+random.IntN(26)))
		}
		secrets = append(secrets, secret)
		lines = append(lines, fmt.Sprintf("HERON_%c_PASSWORD=%s", 'A'+i, secret))
	}
	text := strings.Join(lines, "\n")
	put(t, dir, "heron.sh", "heron() {\n"+text+"\nheron_nest\n}\n")
	commitAll(t, dir, "Heron keys\n\nThe heron keys:\n"+text)
	session(t, u, "aaaa", dir, said{"person", "set these for the heron:\n" + text}, said{"agent", "The heron is set:\n" + text})
	must(t, u.Blue(t).SwitchSessions(true))
	p := private(t, u, dir)
	note := write(t, p, blue.Draft{Title: "Heron", Body: "The heron is set in `heron.sh:1-9`.", Files: []string{"heron.sh"}})
	read, err := p.Read(t.Context(), blue.Reading{ID: note, Code: true})
	must(t, err)
	said, err := p.Session(t.Context(), "aaaa")
	must(t, err)
	shown := read.Text() + said.Text()
	for _, q := range []blue.Query{{Text: "heron password", In: []string{"all"}}, {Text: "heron nest", In: []string{"code"}}, {Text: "uses:heron_nest", In: []string{"code"}}, {Text: "heron keys", In: []string{"commits"}}} {
		h, err := p.Search(t.Context(), q)
		must(t, err)
		shown += h.Text()
	}
	if !strings.Contains(shown, "line left out") {
		t.Error(shown)
	}
	for i, secret := range secrets {
		if at := strings.Index(shown, secret); at >= 0 {
			t.Errorf("secret %d is shown: %s", i, shown[max(0, at-300):at+20])
		}
		h, err := p.Search(t.Context(), blue.Query{Text: secret, In: []string{"commits", "sessions"}})
		must(t, err)
		if n := len(h.Hits) + len(h.Also) + len(h.Sessions); n > 0 {
			t.Errorf("secret %d finds %d: %s", i, n, h.Text())
		}
	}
}
