-- +goose Up
-- Where a studio's servers are told of what happens. The secrets sign: they cannot be
-- hashed.
CREATE TABLE webhook_endpoints (
	id         TEXT PRIMARY KEY,
	issuer     TEXT NOT NULL,             -- whose matches and players; empty: all
	url        TEXT NOT NULL,
	events     TEXT NOT NULL,             -- with spaces between them
	secret     TEXT NOT NULL,
	old_secret TEXT NOT NULL DEFAULT '',  -- while it is rotated
	old_until  BIGINT NOT NULL DEFAULT 0,
	created_by TEXT NOT NULL,
	created_at BIGINT NOT NULL
);

-- What each endpoint has not been told yet, written in the transaction of what
-- happened. A row is deleted once the endpoint has taken it.
CREATE TABLE webhook_events (
	num         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- the order
	id          TEXT NOT NULL,               -- of the event, the same at every endpoint
	endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
	stream      TEXT NOT NULL,               -- one at a time and in order: a match, or an account
	kind        TEXT NOT NULL,
	body        TEXT NOT NULL,               -- JSON, as it is sent
	created_at  BIGINT NOT NULL,
	due_at      BIGINT NOT NULL,             -- of the next try
	tries       BIGINT NOT NULL DEFAULT 0,
	lease       TEXT NOT NULL DEFAULT '',    -- whoever tries now
	lease_until BIGINT NOT NULL DEFAULT 0,
	dead_at     BIGINT NOT NULL DEFAULT 0,   -- since when nobody tries any more
	failure     TEXT NOT NULL DEFAULT ''     -- of the last try
);
CREATE INDEX webhook_events_stream ON webhook_events (endpoint_id, stream, num) WHERE dead_at = 0;
CREATE INDEX webhook_events_due ON webhook_events (due_at) WHERE dead_at = 0;
CREATE INDEX webhook_events_dead ON webhook_events (endpoint_id, num) WHERE dead_at > 0;

-- +goose Down
DROP TABLE webhook_events;
DROP TABLE webhook_endpoints;
