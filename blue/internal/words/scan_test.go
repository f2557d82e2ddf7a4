package words

import (
	"strings"
	"testing"
)

func BenchmarkScan(b *testing.B) {
	for name, text := range map[string]string{
		"prose":       "The scheduler retries a failed pod, and the queue waits for it. ",
		"identifiers": "getUserName refresh_index v1.8.0 internal/pay/retry.go E_BUSY HTTPServer ",
		"unspaced":    "索引时データベース接続 ",
		"joined":      "a-", // one chain without end
		"capitals":    "aB",
	} {
		b.Run(name, func(b *testing.B) {
			text := strings.Repeat(text, 64<<10/len(text))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Scan(text, 0, func(Word) {})
			}
		})
	}
}
