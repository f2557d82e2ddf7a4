package postgres

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"blue/errors"
)

const (
	connectTime = 2 * time.Second // of one connection
	answerTime  = 3 * time.Second // of one transaction: an engine that is slower counts as away
	lockTime    = 2 * time.Second // for the writers before this one, here and elsewhere
	maxTries    = 5               // of a transaction that met another one
	mostOpen    = 16              // connections, unless the URL says pool_max_conns
)

// connect opens a single connection, for commands.
func connect(ctx context.Context, url string) (*conn, error) {
	config, _, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	c, err := connectTo(ctx, config)
	if err != nil {
		return nil, explain(err)
	}
	if _, err = c.exec(ctx, setDurable, "false"); err != nil {
		c.Close(ctx)
	}
	return c, explain(err)
}

// poolSize is the parameter of a URL that says how many connections there may be.
const poolSize = "pool_max_conns"

// parseURL reads the URL of a database.
func parseURL(url string) (config *pgconn.Config, most int, err error) {
	if config, err = pgconn.ParseConfig(url); err != nil {
		return nil, 0, errors.BadStore(err.Error())
	}
	most = mostOpen
	if given, ok := config.RuntimeParams[poolSize]; ok {
		delete(config.RuntimeParams, poolSize)
		if most, err = strconv.Atoi(given); err != nil || most < 1 {
			return nil, 0, errors.BadStore(poolSize + " is no number above 0")
		}
	}
	config.ConnectTimeout = connectTime
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "blue"
	}
	return config, most, nil
}
