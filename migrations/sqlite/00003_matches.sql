-- +goose Up
CREATE TABLE matches (
	num        INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of matches
	id         TEXT NOT NULL UNIQUE,
	lobby_id   TEXT NOT NULL,            -- which may be gone
	node       TEXT NOT NULL,            -- the process that runs it
	spec       TEXT NOT NULL,            -- JSON, lobby.Spec
	state      TEXT NOT NULL CHECK (state IN ('starting', 'live', 'ended', 'failed')),
	result     TEXT NOT NULL DEFAULT '', -- JSON, lobby.Outcomes
	started_at BIGINT NOT NULL,
	ended_at   BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX matches_state ON matches (state, num);

CREATE TABLE match_seats (
	match_id   TEXT NOT NULL REFERENCES matches (id),
	slot       BIGINT NOT NULL,
	account_id TEXT REFERENCES accounts (id), -- NULL for a bot
	team       BIGINT NOT NULL,
	outcome    TEXT NOT NULL DEFAULT '' CHECK (outcome IN ('', 'won', 'lost', 'drawn', 'void')),
	PRIMARY KEY (match_id, slot)
);
CREATE INDEX match_seats_account ON match_seats (account_id);

CREATE TABLE tickets (
	hash       TEXT PRIMARY KEY, -- SHA-256 of the ticket
	match_id   TEXT NOT NULL REFERENCES matches (id),
	node       TEXT NOT NULL,
	account_id TEXT NOT NULL,    -- empty for a bot
	name       TEXT NOT NULL,
	slot       BIGINT NOT NULL,
	team       BIGINT NOT NULL,
	bot        BOOLEAN NOT NULL,
	spectator  BOOLEAN NOT NULL,
	delay_ms   BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	used_at    BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX tickets_expires ON tickets (expires_at);

-- +goose Down
DROP TABLE tickets;
DROP TABLE match_seats;
DROP TABLE matches;
