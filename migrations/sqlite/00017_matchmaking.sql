-- +goose Up
-- Whoever changes parties, offers or queues locks this one row first.
CREATE TABLE matchmaking (
	id        BIGINT PRIMARY KEY CHECK (id = 1),
	paired_at BIGINT NOT NULL -- when a process last looked who can play
);
INSERT INTO matchmaking (id, paired_at) VALUES (1, 0);

CREATE TABLE parties (
	id         TEXT PRIMARY KEY,
	leader     TEXT NOT NULL,
	code       TEXT NOT NULL UNIQUE,      -- of the invitation
	seq        BIGINT NOT NULL,           -- counts its changes
	queue      TEXT NOT NULL DEFAULT '',  -- in which it waits
	since      BIGINT NOT NULL DEFAULT 0, -- since when
	offer_id   TEXT NOT NULL DEFAULT '',
	lobby_id   TEXT NOT NULL DEFAULT '',  -- of the match that was found last
	out_of     TEXT NOT NULL DEFAULT ''   -- why it came out of the queue
);
CREATE INDEX parties_queue ON parties (queue, since);

CREATE TABLE party_members (
	account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
	party_id   TEXT NOT NULL REFERENCES parties (id) ON DELETE CASCADE,
	place      BIGINT NOT NULL, -- in the order in which they came
	mean       DOUBLE PRECISION NOT NULL,
	deviation  DOUBLE PRECISION NOT NULL,
	accepted   BOOLEAN NOT NULL DEFAULT FALSE,
	seen_at    BIGINT NOT NULL
);
CREATE INDEX party_members_party ON party_members (party_id);
CREATE INDEX party_members_seen ON party_members (seen_at);

CREATE TABLE offers (
	id         TEXT PRIMARY KEY,
	queue      TEXT NOT NULL,
	match_of   TEXT NOT NULL, -- JSON: map, parties of the teams, bots
	expires_at BIGINT NOT NULL
);

CREATE TABLE ratings (
	queue       TEXT NOT NULL,
	account_id  TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	mean        DOUBLE PRECISION NOT NULL,
	deviation   DOUBLE PRECISION NOT NULL,
	points      BIGINT NOT NULL,  -- the mean as it is shown
	provisional BOOLEAN NOT NULL, -- too little is known to list it
	won         BIGINT NOT NULL,
	lost        BIGINT NOT NULL,
	drawn       BIGINT NOT NULL,
	PRIMARY KEY (queue, account_id)
);
CREATE INDEX ratings_points ON ratings (queue, points DESC, account_id);
CREATE INDEX ratings_account ON ratings (account_id);

-- Whom a match counts for. rated_at is 0 until its result has been counted.
CREATE TABLE rated_seats (
	match_id   TEXT NOT NULL REFERENCES matches (id) ON DELETE CASCADE,
	place      BIGINT NOT NULL,
	queue      TEXT NOT NULL,
	account_id TEXT REFERENCES accounts (id) ON DELETE SET NULL,
	team       BIGINT NOT NULL,
	mean       DOUBLE PRECISION NOT NULL, -- at the beginning
	deviation  DOUBLE PRECISION NOT NULL,
	change     BIGINT NOT NULL DEFAULT 0, -- of the points
	rated_at   BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (match_id, place)
);
CREATE INDEX rated_seats_account ON rated_seats (account_id, queue, rated_at);

-- +goose Down
DROP TABLE rated_seats;
DROP TABLE ratings;
DROP TABLE offers;
DROP TABLE party_members;
DROP TABLE parties;
DROP TABLE matchmaking;
