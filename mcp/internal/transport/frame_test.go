package transport

import (
	"strings"
)

const (
	hello  = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
)

// corpus holds frames of every kind that a client may send. A want is the id of a
// reply and its code, or ok; none means silence.
var corpus = []struct {
	name, in string
	want     []string
}{
	{"not JSON", `hello`, []string{"null -32700"}},
	{"cut off", `{"jsonrpc":"2.0","id":1,"method":"ping"`, []string{"null -32700"}},
	{"empty line", "", nil},
	{"blank line", " \t \r", nil},
	{"number", `7`, []string{"null -32600"}},
	{"string", `"ping"`, []string{"null -32600"}},
	{"null", `null`, []string{"null -32600"}},
	{"empty object", `{}`, []string{"null -32600"}},
	{"empty array", `[]`, []string{"null -32600"}},
	{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`, []string{"null -32600"}},
	{"two messages on one line", `{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, []string{"null -32700"}},
	{"pretty-printed over lines", "{\n \"jsonrpc\": \"2.0\"\n}", []string{"null -32700", "null -32700", "null -32700"}},
	{"header of another framing", "Content-Length: 41\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"null -32700", "1 ok"}},

	{"jsonrpc 1.0", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, []string{"1 -32600"}},
	{"jsonrpc a number", `{"jsonrpc":2.0,"id":1,"method":"ping"}`, []string{"1 -32600"}},
	{"jsonrpc missing", `{"id":1,"method":"ping"}`, []string{"1 -32600"}},

	{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, []string{"null -32600"}},
	{"id object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, []string{"null -32600"}},
	{"id array", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, []string{"null -32600"}},
	{"id boolean", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, []string{"null -32600"}},
	{"id fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, []string{"null -32600"}},
	{"id 1.0", `{"jsonrpc":"2.0","id":1.0,"method":"ping"}`, []string{"null -32600"}},
	{"id exponent", `{"jsonrpc":"2.0","id":1e3,"method":"ping"}`, []string{"null -32600"}},
	{"id of 20 digits", `{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}`, []string{"null -32600"}},
	{"id 0", `{"jsonrpc":"2.0","id":0,"method":"ping"}`, []string{"0 ok"}},
	{"id beyond float64", `{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}`, []string{"null -32600"}},
	{"id largest", `{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}`, []string{"9007199254740991 ok"}},
	{"id smallest", `{"jsonrpc":"2.0","id":-9007199254740991,"method":"ping"}`, []string{"-9007199254740991 ok"}},
	{"id empty string", `{"jsonrpc":"2.0","id":"","method":"ping"}`, []string{`"" ok`}},
	{"id escaped string", `{"jsonrpc":"2.0","id":"\u0041\u0000<&>","method":"ping"}`, []string{`"\u0041\u0000<&>" ok`}},
	{"id lone surrogate", `{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, []string{`"\ud800" ok`}},

	{"method number", `{"jsonrpc":"2.0","id":1,"method":7}`, []string{"1 -32600"}},
	{"method null", `{"jsonrpc":"2.0","id":1,"method":null}`, []string{"1 -32600"}},
	{"method empty", `{"jsonrpc":"2.0","id":1,"method":""}`, []string{"1 -32601"}},
	{"method unknown", `{"jsonrpc":"2.0","id":1,"method":"nope"}`, []string{"1 -32601"}},
	{"method unknown after the handshake", hello + "\n" + `{"jsonrpc":"2.0","id":1,"method":"nope"}`, []string{`"hello" ok`, "1 -32601"}},
	{"method unknown, modern", `{"jsonrpc":"2.0","id":1,"method":"nope","params":{` + modern + `}}`, []string{"1 -32601"}},
	{"method in another case", `{"jsonrpc":"2.0","id":1,"method":"Ping"}`, []string{"1 -32601"}},
	{"method with NUL", `{"jsonrpc":"2.0","id":1,"method":"ping\u0000"}`, []string{"1 -32601"}},
	{"neither method nor answer", `{"jsonrpc":"2.0","id":1}`, []string{"1 -32600"}},
	{"call before the handshake", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, []string{"1 -32600"}},
	{"discover without _meta", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, []string{"1 -32601"}},
	{"ping, legacy", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"1 ok"}},
	{"ping, modern", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{` + modern + `}}`, []string{"1 -32601"}},
	{"tools, modern", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modern + `}}`, []string{"1 ok"}},
	{"modern, capabilities missing", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, []string{"1 -32602"}},
	{"modern, version of the future", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`, []string{"1 -32022"}},
	{"modern, number out of range in _meta", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"x":1e999}}}`, []string{"1 -32602"}},

	{"params array", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, []string{"1 -32602"}},
	{"params string", `{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}`, []string{"1 -32602"}},
	{"params null", `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, []string{"1 ok"}},
	{"params missing", hello + "\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, []string{`"hello" ok`, "1 -32602"}},
	{"params array of a call", hello + "\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["echo"]}`, []string{`"hello" ok`, "1 -32602"}},
	{"params _meta a string", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":"x"}}`, []string{"1 -32602"}},
	{"params _meta null", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":null}}`, []string{"1 ok"}},
	{"initialize, params missing", `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, []string{"1 -32600"}},
	{"initialize, params array", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":[]}`, []string{"1 -32600"}},
	{"initialize, params null", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":null}`, []string{"1 -32600"}},
	{"initialize, client a number", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":7}}`, []string{"1 -32600"}},
	{"initialize, bad and then good", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":[]}` + "\n" + hello, []string{"1 -32600", `"hello" ok`}},
	{"initialize twice", hello + "\n" + strings.Replace(hello, `"hello"`, `2`, 1) + "\n" + `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`, []string{`"hello" ok`, "2 -32600", "3 ok"}},

	{"answer to nothing", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil},
	{"error to nothing", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`, nil},
	{"malformed error to nothing", `{"jsonrpc":"2.0","id":1,"error":"no"}`, nil},
	{"error with id null", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`, nil},
	{"error without id", `{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}`, nil},
	{"result without id", `{"jsonrpc":"2.0","result":{}}`, []string{"null -32600"}},
	{"answer of another JSON-RPC", `{"id":1,"result":{}}`, []string{"null -32600"}},

	{"notification unknown", `{"jsonrpc":"2.0","method":"notifications/nope"}`, nil},
	{"notification known, too early", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil},
	{"notification with bad params", `{"jsonrpc":"2.0","method":"notifications/progress","params":[]}`, nil},
	{"notification with an id", `{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`, []string{"1 -32600"}},
	{"request without id", `{"jsonrpc":"2.0","method":"tools/list"}`, nil},
	{"cancel of unknown id", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`, nil},
	{"cancel of a fraction", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.5}}`, nil},
	{"cancel of an object", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`, nil},
	{"cancel of nothing", `{"jsonrpc":"2.0","method":"notifications/cancelled"}`, nil},
	{"cancel with params array", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}`, nil},

	{"method twice", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"nope"}`, []string{"1 -32600"}},
	{"id twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, []string{"null -32600"}},
	{"id three times", `{"jsonrpc":"2.0","id":1,"id":2,"id":3,"method":"ping"}`, []string{"null -32600"}},
	{"method also by case", `{"jsonrpc":"2.0","id":1,"method":"ping","Method":"nope"}`, []string{"1 ok"}},
	{"id also by case", `{"jsonrpc":"2.0","ID":2,"id":1,"method":"ping"}`, []string{"1 ok"}},
	{"params by Unicode case", `{"jsonrpc":"2.0","id":1,"method":"ping","paramſ":{}}`, []string{"1 ok"}},
	{"method by escape", `{"jsonrpc":"2.0","id":1,"method":"nope","m\u0065thod":"ping"}`, []string{"1 -32600"}},
	{"_meta twice", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{` + modern + `,"_meta":{}}}`, []string{"1 -32602"}},
	{"unknown members", `{"jsonrpc":"2.0","id":1,"method":"ping","x":1,"y":2}`, []string{"1 ok"}},
	{"unknown member twice", `{"jsonrpc":"2.0","id":1,"method":"ping","x":1,"x":2}`, []string{"1 -32600"}},

	{"raw NUL in a string", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\x00\"}", []string{"null -32700"}},
	{"raw NUL between", "{\"jsonrpc\":\"2.0\",\x00\"id\":1,\"method\":\"ping\"}", []string{"null -32700"}},
	{"escaped NUL", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a\u0000":"\u0000"}}`, []string{"1 ok"}},
	{"byte order mark", "\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"1 ok"}},
	{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"}}", []string{"null -32700"}},
	{"lone surrogate", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\ud800","\udfff":1}}`, []string{"1 ok"}},
	{"carriage return", `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r", []string{"1 ok"}},
	{"nesting 100", nested(100), []string{"1 ok"}},
	{"nesting 101", nested(101), []string{"1 -32600"}},
	{"nesting 900", nested(900), []string{"1 -32600"}},
	{"nesting 5,000", nested(5000), []string{"1 -32600"}},
	{"nesting 20,000", nested(20000), []string{"1 -32600"}},
	{"nesting never closed", strings.Repeat("[", 20000), []string{"null -32600"}},
	{"brackets in a string", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\"` + strings.Repeat("[", 200) + `"}}`, []string{"1 ok"}},
	{"at the limit", padded(maxFrame), []string{"1 ok"}},
	{"over the limit", padded(maxFrame + 1), []string{"null -32600"}},
	{"far over the limit", padded(3 * maxFrame), []string{"null -32600"}},
}

// nested is a ping whose objects and arrays lie n inside each other.
func nested(n int) string {
	return `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + strings.Repeat("[", n-2) + strings.Repeat("]", n-2) + `}}`
}

// padded is a ping of n bytes.
func padded(n int) string {
	const before, after = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"`, `"}}`
	return before + strings.Repeat("x", n-len(before)-len(after)) + after
}
