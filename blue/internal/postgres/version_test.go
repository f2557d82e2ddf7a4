package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// MakeVersion makes tables of an earlier version, as the last migration of its programs left
// them.
func MakeVersion(ctx context.Context, url string, version int) error {
	c, err := connect(ctx, url)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	return transact(ctx, c, func() error {
		for _, statements := range append([]string{foundation}, upgrades[:version]...) {
			if _, err := c.Exec(ctx, statements); err != nil {
				return err
			}
		}
		b := &pgx.Batch{}
		b.Queue("UPDATE blue.version SET version = $1 WHERE one", min(version, compatible))
		if version > compatible {
			b.Queue("INSERT INTO blue.version (one, version) VALUES (false, $1)", version)
		}
		return send(ctx, c, b)
	})
}
