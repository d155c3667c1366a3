-- +goose Up
CREATE TABLE accounts (
	id            TEXT PRIMARY KEY,
	name          TEXT NOT NULL,
	name_key      TEXT NOT NULL UNIQUE,     -- folded: see lobby.LoginKey
	guest         BOOLEAN NOT NULL,
	password_hash TEXT NOT NULL DEFAULT '', -- argon2id; empty for a guest
	created_at    BIGINT NOT NULL,          -- every time here: milliseconds since 1970, UTC
	deleted_at    BIGINT NOT NULL DEFAULT 0 -- 0: not
);

CREATE TABLE sessions (
	hash       TEXT PRIMARY KEY, -- SHA-256 of the token; the token itself is nowhere
	realm      TEXT NOT NULL,    -- player or admin
	subject    TEXT NOT NULL,    -- account or admin id
	address    TEXT NOT NULL,
	user_agent TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_subject ON sessions (realm, subject);
CREATE INDEX sessions_expires ON sessions (expires_at);

-- Throttles: a counter that starts again when its window ends.
CREATE TABLE counters (
	key     TEXT PRIMARY KEY,
	value   BIGINT NOT NULL,
	ends_at BIGINT NOT NULL
);
CREATE INDEX counters_ends ON counters (ends_at);

-- Networks from which a login name was used with success.
CREATE TABLE places (
	key     TEXT NOT NULL,
	network TEXT NOT NULL,
	used_at BIGINT NOT NULL,
	PRIMARY KEY (key, network)
);

-- +goose Down
DROP TABLE places;
DROP TABLE counters;
DROP TABLE sessions;
DROP TABLE accounts;
