package snippet

import "testing"

// A contradiction has the same subject and a changed number, value or negation; texts that
// only resemble each other are none.
func TestContradict(t *testing.T) {
	for _, pair := range [][2]string{
		{"A webhook is retried five times with exponential backoff.", "A webhook is retried ten times with exponential backoff."},
		{"Sessions expire after 30 minutes of silence.", "Support asked for more.\n\nSessions expire after 45 minutes of silence. They are kept in Redis."},
		{"Amounts are stored as integers in cents.", "Amounts are stored as decimals in cents."},
		{"We deploy on Fridays, because the traffic is low.", "We don't deploy on Fridays, because the traffic is low."},
		{"The importer follows symbolic links.", "The importer never follows symbolic links."},
		{"Orders live in the PostgreSQL database of the shop.", "Orders live in the MySQL database of the shop."},
		{"- The API is versioned by a header.\n- Errors are problem documents.", "- Errors are problem documents.\n- The API is versioned by a path."},
		{"Uploads are limited to 10 MB each.", "Uploads are limited to 25 MB each."},
		{"| name | value |\n|---|---|\n| cache size | 64 entries of pages |", "| name | value |\n|---|---|\n| cache size | 128 entries of pages |"},
	} {
		if !Contradict(pair[0], pair[1], "") || !Contradict(pair[1], pair[0], "") {
			t.Errorf("no contradiction: %q", pair)
		}
	}
	for _, c := range []struct{ a, b, titles string }{
		{"A webhook is retried five times.", "A webhook is retried five times, with exponential backoff between them.", ""},
		{"Sessions expire after 30 minutes.", "Tokens of the API expire after 90 days.", ""},
		{"The azure plugin is skipped when the flag is set.", "The cinder plugin is skipped when the flag is set.", "Migration of azure\nMigration of cinder"},
		{"Block volume reconstruction after kubelet restart (#83451).", "Block volume reconstruction after kubelet restart (#71003).", ""},
		{"See https://example.org/keps/625-migration for the design.", "See https://example.org/keps/1490-migration for the design.", ""},
		{"- [x] Release notes for version 1 are written.", "- [x] Release notes for version 2 are written.", ""},
		{"```\nretry 5 times with backoff\n```", "```\nretry 6 times with backoff\n```", ""},
		{"How many times is a webhook retried after 5 failures?", "How many times is a webhook retried after 6 failures?", ""},
		{"As a user I run the cart.", "As a user I search notes.", ""},
		{"", "", ""},
	} {
		if Contradict(c.a, c.b, c.titles) {
			t.Errorf("a contradiction: %q", c)
		}
	}
}
