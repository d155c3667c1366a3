-- +goose Up
CREATE TABLE lobbies (
	num           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- the order of lobbies
	id            TEXT NOT NULL UNIQUE,
	name          TEXT NOT NULL,
	search        TEXT NOT NULL,             -- folded name and map
	host          TEXT NOT NULL,             -- account id
	map           TEXT NOT NULL,             -- JSON, lobby.MapInfo
	password_hash TEXT NOT NULL DEFAULT '',
	state         TEXT NOT NULL CHECK (state IN ('open', 'starting', 'playing', 'ended', 'closed')),
	seat_limit    BIGINT NOT NULL,
	options       TEXT NOT NULL,             -- JSON, lobby.Options
	match_id      TEXT NOT NULL DEFAULT '',
	result        TEXT NOT NULL DEFAULT '',  -- JSON, lobby.Outcomes
	start_at      BIGINT NOT NULL DEFAULT 0,
	seq           BIGINT NOT NULL DEFAULT 0, -- number of its last event
	created_at    BIGINT NOT NULL,
	touched_at    BIGINT NOT NULL
);
CREATE INDEX lobbies_state ON lobbies (state, num);

-- Taken seats only. An account sits in one lobby at a time.
CREATE TABLE seats (
	lobby_id   TEXT NOT NULL REFERENCES lobbies (id) ON DELETE CASCADE,
	slot       BIGINT NOT NULL,
	kind       TEXT NOT NULL CHECK (kind IN ('player', 'bot', 'spectator')),
	account_id TEXT REFERENCES accounts (id),
	name       TEXT NOT NULL,
	team       BIGINT NOT NULL,
	color      BIGINT NOT NULL,
	ready      BOOLEAN NOT NULL,
	PRIMARY KEY (lobby_id, slot)
);
CREATE UNIQUE INDEX seats_account ON seats (account_id) WHERE account_id IS NOT NULL;

CREATE TABLE events (
	lobby_id TEXT NOT NULL REFERENCES lobbies (id) ON DELETE CASCADE,
	seq      BIGINT NOT NULL,
	kind     TEXT NOT NULL,
	body     TEXT NOT NULL,
	at       BIGINT NOT NULL,
	PRIMARY KEY (lobby_id, seq)
);

-- +goose Down
DROP TABLE events;
DROP TABLE seats;
DROP TABLE lobbies;
