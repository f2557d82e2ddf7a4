package anchor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/anchor"
)

func TestParseLines(t *testing.T) {
	for ref, want := range map[string]string{"L10-L42": "10-42", "L10-42": "10-42", "L7": "7-7", "10-42": "10-42", "L0": "", "L9-L3": "", "Retry": "", "L": "", "L1x": "", "": ""} {
		s, ok := anchor.ParseLines(ref)
		if ok != (want != "") || ok && s.String() != want {
			t.Errorf("%q: %v, %v", ref, s, ok)
		}
	}
}

// The block that a name defines, in many languages; what stands in brackets is its
// last line.
func TestFind(t *testing.T) {
	for about, c := range map[string]struct {
		file, text string
		want       map[string]string // name → lines, with the number of definitions when there are several
	}{
		"Go": {"a.go", `package a

const limit = 3

const (
	First Kind = "first"
	other      = 2
)

type Client struct {
	retries int
}

// Retry tries.
func (c *Client) Retry(
	n int,
) error {
	s := "}"
	raw := ` + "`" + `
}{
` + "`" + `
	if n > 3 {
		return nil
	}

	return nil
}

func (s Server) Retry() {}

func Plain() int { return 1 }
`, map[string]string{"limit": "3-3", "First": "6-6", "other": "7-7", "Client": "10-12", "Retry": "15-27 of 2", "Client.Retry": "15-27", "Server.Retry": "29-29", "Plain": "31-31", "nothing": "", "n": ""}},
		"Python": {"a.py", `import os

class Client:
    """A client.

not indented
    """
    LIMIT = 3

    def retry(self,
              n):
        d = {
            "a": 1,
        }
        return d

    @property
    async def other(self): return 1

def retry(a, b) -> int:
    pass


LIMIT = 4
`, map[string]string{"Client": "3-18", "retry": "10-15 of 2", "Client.retry": "10-15", "other": "18-18", "LIMIT": "24-24", "Client.LIMIT": "8-8"}},
		"TypeScript": {"a.ts", `export const base = "x";
export default class Api<T> extends Base {
  private retries = 3;
  constructor(private x: string) {
    super();
  }
  async send<T>(a: Map<string, T>, b = 3): Promise<void> {
    if (a) {
      call(() => {
        x();
      });
    }
  }
}
describe("send", () => {
  send();
});
export const handler = async (e: Event) => {
  return 1;
};
interface Row { id: string }
function* walk() {
  yield 1
}
`, map[string]string{"base": "1-1", "Api": "2-14", "send": "7-13", "constructor": "4-6", "handler": "18-20", "Row": "21-21", "walk": "22-24", "retries": "3-3", "describe": ""}},
		"Rust": {"a.rs", `pub(crate) struct Pool<'a> {
    x: &'a str,
}

impl<'a> Pool<'a> {
    pub async fn get<T>(&self, c: char) -> Option<T>
    where
        T: Clone,
    {
        match c { '{' => None, _ => None }
    }
}
macro_rules! say {
    () => {};
}
static LIMIT: u8 = 3;
`, map[string]string{"Pool": "1-3", "get": "6-11", "say": "13-15", "LIMIT": "16-16"}},
		"C": {"a.c", `#define LIMIT 3
static int retry(int a,
                 int b);
struct pool {
	int n;
};

static int *retry(int a,
                  int b)
{
	if (a) {
		return retry(a, b);
	}
#ifdef X
	b++;
#endif
out:
	return 0;
}

int
main(void) {
	return retry(1, 2);
}
`, map[string]string{"LIMIT": "1-1", "pool": "4-6", "retry": "8-19", "main": "22-24"}},
		"Java": {"A.java", `public class A {
    @Override public void run(List<String> a) throws IOException {
        while (x) {
        }
    }
    private final int limit = 3;
    abstract void other();
}
`, map[string]string{"A": "1-8", "run": "2-5", "A.run": "2-5", "limit": "6-6", "other": "", "while": ""}},
		"Ruby": {"a.rb", `module Pay
  class Client
    def self.retry!(n)
      1
    rescue Error
      2
    end
    attr = 3
  end
end
`, map[string]string{"Pay": "1-10", "Client": "2-9", "retry!": "3-7", "self.retry!": "3-7", "Client.retry!": "3-7"}},
		"shell": {"a.sh", `LIMIT=3
retry() {
  if true; then
    echo '}'
  fi
}
function other {
  :
}
retry
`, map[string]string{"LIMIT": "1-1", "retry": "2-6", "other": "7-9"}},
		"YAML": {"a.yml", "jobs:\n  build:\n    steps:\n      - run: x\n\n  test:\n    steps: []\n", map[string]string{"jobs": "1-7", "build": "2-4", "jobs.build": "2-4", "steps": "3-4 of 2", "test.steps": "7-7"}},
		"JSON": {"package.json", "{\n  \"scripts\": {\n    \"build\": \"x\"\n  },\n  \"name\": \"y\"\n}\n", map[string]string{"scripts": "2-4", "build": "3-3", "name": "5-5"}},
		"SQL":  {"a.sql", "CREATE TABLE pay (\n  id int\n);\ncreate or replace function f() as $$\n$$;\n", map[string]string{"pay": "1-3", "f": "4-4"}},
		"Markdown": {"A.MD", "# Title\n\nx\n\n## Why three?\n\ny\n\n```\n# no heading\n```\n### Deeper\nz\n\n## Why three?\n", map[string]string{
			"Title": "1-15", "Why three?": "5-13 of 2", "why-three": "5-13 of 2", "deeper": "12-13", "no-heading": "", "y": ""}},
		"no indentation": {"a.js", "function a() {\nif (x) {\ny()\n}\n}\nfunction b() {\n}\n", map[string]string{"a": "1-5", "b": "6-7"}},
		"line ends":      {"a.py", "def a():\r\n    x\r\n\r\ndef b():\r\n    y\r\n", map[string]string{"a": "1-2", "b": "4-5"}},
		"empty":          {"a.py", "", map[string]string{"a": "", "": ""}},
	} {
		text := anchor.Split(c.file, c.text)
		for name, want := range c.want {
			s, n := text.Find(name)
			got := ""
			if n > 0 {
				got = s.String()
			}
			if n > 1 {
				got += fmt.Sprintf(" of %d", n)
			}
			if got != want {
				t.Errorf("%s: %s is %q, want %q", about, name, got, want)
			}
		}
	}
	names := anchor.Split("a.go", "func Retry() {}\nfunc other() {\n\tx := 1\n}\n").Names()
	if !slices.Equal(names, []string{"Retry", "other"}) {
		t.Errorf("%q", names)
	}
}

// A span is found where its lines are now, the nearest place first.
func TestSeek(t *testing.T) {
	was := anchor.Split("a", "a\nb\nc\nd\n")
	at := anchor.Span{First: 2, Last: 3}
	hash := was.Hash(at)
	for text, want := range map[string]string{
		"a\nb\nc\nd\n": "2-3", "new\na\nb\nc\nd": "3-4", "d\na\nx\nb\r\nc\r\n": "4-5", "b\nc": "1-2", "b\nc\nx\nb\nc\n": "1-2", "b\nc\n\n\n\nb\nc": "1-2",
		"a\nb\nC\nd": "", "b c": "", "": "", "bc": "", "c\nb": "", "b": "",
	} {
		now, ok := anchor.Split("a", text).Seek(hash, at)
		if ok != (want != "") || ok && now.String() != want {
			t.Errorf("%q: %v, %v", text, now, ok)
		}
	}
	for _, s := range []anchor.Span{{0, 1}, {3, 2}, {4, 5}, {}} {
		if got := was.Hash(s); got != "" {
			t.Errorf("%v has the hash %s", s, got)
		}
	}
	if h := was.Hash(anchor.Span{First: 1, Last: 4}); len(h) != 16 || h == hash {
		t.Errorf("%q", h)
	}
}

// FuzzFind: whatever a text holds, a span lies in it, is found again by its content, and
// nothing takes longer than the text is long.
func FuzzFind(f *testing.F) {
	for _, seed := range []string{"func a(\n) {\n\tx\n}\n", "def a:\n\t'''\nx\n", "# a\n```\n# b\n", "a = {\n", "\"\\\"'`//", "a\x00\xff\r\n\u2028\n}", "a(((\n{}\n{", "a: b\n a\n"} {
		f.Add("a.go", seed, "a")
		f.Add("a.md", seed, "a.b")
	}
	f.Fuzz(func(t *testing.T, file, content, name string) {
		text := anchor.Split(file, content)
		text.Names()
		s, n := text.Find(name)
		if n == 0 {
			return
		}
		hash := text.Hash(s)
		if hash == "" || s.First < 1 || s.Last < s.First || s.Last > text.Len() {
			t.Fatalf("%v of %d lines", s, text.Len())
		}
		if again, ok := text.Seek(hash, s); !ok || again != s {
			t.Fatalf("%v is found at %v, %v", s, again, ok)
		}
		moved := anchor.Split(file, "another line\n"+content)
		if again, ok := moved.Seek(hash, s); !ok || moved.Hash(again) != hash {
			t.Fatalf("%v is not found again", s)
		}
	})
}

// Constants that are assigned are definitions, at the top and directly in a type.
func TestAssignedConstants(t *testing.T) {
	for file, want := range map[string]struct{ text, names string }{
		"a.py":   {"MAX_PASSES = 3\n_LIMIT: int = 4\nvalue = 5\nclass A:\n    DEEP = 6\n    def f(self):\n        LOCAL = 1\n        if A == 2: pass\n", "MAX_PASSES _LIMIT A A.DEEP A.f"},
		"b.rb":   {"MAX_R = 3\nclass B\n  DEEP = 4\nend\nMAX_R == 3\n", "MAX_R B B.DEEP"},
		"c.sh":   {"MAX_SH=3\nreadonly RO_SH=4\nexport -n EX_SH=5\nfound=no\nrun() {\n  LOCAL=1\n}\n", "MAX_SH RO_SH EX_SH run"},
		"d.c":    {"static const int MAX_C = 3;\n#define MAX_D 4\nconst char *NAMES[] = {\"x\"};\nint x = 5;\n", "MAX_C MAX_D NAMES"},
		"J.java": {"class J {\n  public static final int MAX_J = 3;\n  private final String name = \"x\";\n  void f() {\n    final int local = 1;\n  }\n}\n", "J J.MAX_J J.name J.f"},
		"r.rs":   {"pub static mut S_RS: u32 = 4;\nconst MAX_RS: u32 = 3;\n", "S_RS MAX_RS"},
	} {
		var names []string
		for _, d := range anchor.Split(file, want.text).Definitions(file) {
			name := d.Name
			if d.In != "" {
				name = d.In + "." + name
			}
			names = append(names, name)
		}
		if got := strings.Join(names, " "); got != want.names {
			t.Errorf("%s: %s, want %s", file, got, want.names)
		}
	}
}
