-- The schema at version 21, the oldest that this program upgrades from. migrations.go
-- has the words of the dialects. Every time is in milliseconds since 1970, UTC.

-- +goose Up
CREATE TABLE accounts (
	id            TEXT PRIMARY KEY,
	name          TEXT NOT NULL,
	name_key      TEXT NOT NULL UNIQUE,      -- folded: see lobby.LoginKey
	guest         BOOLEAN NOT NULL,
	password_hash TEXT NOT NULL DEFAULT '',  -- argon2id; empty for a guest
	created_at    BIGINT NOT NULL,
	deleted_at    BIGINT NOT NULL DEFAULT 0, -- 0: not
	email         TEXT,                      -- another name to log in by; NULL: none
	-- The cost of the hash, such as m=19456,t=2,p=1: a log-in does the work of every
	-- cost in this table, so that names do not differ by it.
	hash_cost     TEXT NOT NULL DEFAULT '',
	-- Counts up with each log-out everywhere, password change, kick and ban: a ticket of
	-- an earlier epoch opens no match.
	epoch         BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX accounts_email ON accounts (email);
CREATE INDEX accounts_hash_cost ON accounts (hash_cost);
-- Deleted accounts whose names are still written down somewhere. The other deleted
-- accounts have no row.
CREATE INDEX accounts_deleted ON accounts (id) WHERE deleted_at > 0;
-- The janitor looks for old guests twice a minute.
CREATE INDEX accounts_guests ON accounts (id) WHERE guest AND deleted_at = 0;

-- The settings of a player's client: a JSON object that only the client reads.
CREATE TABLE account_settings (
	account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
	body       TEXT NOT NULL
);

-- The identity provider's name for itself, and its name for the person.
CREATE TABLE external_identities (
	issuer     TEXT NOT NULL,
	subject    TEXT NOT NULL,
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	created_at BIGINT NOT NULL,
	used_at    BIGINT NOT NULL,
	PRIMARY KEY (issuer, subject)
);
CREATE INDEX external_identities_account ON external_identities (account_id);

CREATE TABLE sessions (
	hash       TEXT PRIMARY KEY, -- SHA-256 of the token; the token itself is not stored
	realm      TEXT NOT NULL,    -- player or admin
	subject    TEXT NOT NULL,    -- account or admin id
	address    TEXT NOT NULL,
	user_agent TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_subject ON sessions (realm, subject);
CREATE INDEX sessions_expires ON sessions (expires_at);

-- Single-use links by which an account gets a new password.
CREATE TABLE resets (
	hash       TEXT PRIMARY KEY, -- SHA-256 of the token
	account_id TEXT NOT NULL REFERENCES accounts (id),
	by_admin   TEXT NOT NULL,
	expires_at BIGINT NOT NULL,
	used_at    BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX resets_account ON resets (account_id);

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
CREATE INDEX places_used ON places (used_at);

CREATE TABLE lobbies (
	num              {{.Counter}}, -- the order of lobbies
	id               TEXT NOT NULL UNIQUE,
	name             TEXT NOT NULL,
	search           TEXT NOT NULL,             -- folded name and map
	host             TEXT NOT NULL,             -- account id
	map              TEXT NOT NULL,             -- JSON, lobby.MapInfo
	password_hash    TEXT NOT NULL DEFAULT '',
	state            TEXT NOT NULL CHECK (state IN ('open', 'starting', 'playing', 'ended', 'closed')),
	seat_limit       BIGINT NOT NULL,
	options          TEXT NOT NULL,             -- JSON, lobby.Options
	match_id         TEXT NOT NULL DEFAULT '',
	result           TEXT NOT NULL DEFAULT '',  -- JSON, lobby.Outcomes
	start_at         BIGINT NOT NULL DEFAULT 0,
	seq              BIGINT NOT NULL DEFAULT 0, -- number of its last event
	created_at       BIGINT NOT NULL,
	touched_at       BIGINT NOT NULL,
	settings_version BIGINT NOT NULL DEFAULT 1, -- counts the changes to which players agree by saying ready
	origin           TEXT NOT NULL DEFAULT ''   -- JSON: the state that its matches begin from; empty: their mode places it
);
CREATE INDEX lobbies_state ON lobbies (state, num);
CREATE INDEX lobbies_origin ON lobbies (id) WHERE origin <> '';

-- The origin itself: setup and state, packed as a journal. It goes with the lobby.
CREATE TABLE lobby_starts (
	lobby_id TEXT PRIMARY KEY REFERENCES lobbies (id) ON DELETE CASCADE,
	setup    {{.Bytes}} NOT NULL
);

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
	since      BIGINT NOT NULL DEFAULT 0,      -- the lobby's last event before the seat was taken: the player sees later ones only
	open       BOOLEAN NOT NULL DEFAULT FALSE, -- the host lets a person take over this bot's seat while the match runs
	level      TEXT NOT NULL DEFAULT '',       -- of a bot: easy, medium or hard
	PRIMARY KEY (lobby_id, slot)
);
CREATE UNIQUE INDEX seats_account ON seats (account_id) WHERE account_id IS NOT NULL;

CREATE TABLE events (
	lobby_id   TEXT NOT NULL REFERENCES lobbies (id) ON DELETE CASCADE,
	seq        BIGINT NOT NULL,
	kind       TEXT NOT NULL,
	body       TEXT NOT NULL,
	at         BIGINT NOT NULL,
	account_id TEXT NOT NULL DEFAULT '', -- of the speaker, or of the removed player: only that player sees the removal
	PRIMARY KEY (lobby_id, seq)
);
CREATE INDEX events_at ON events (at);
CREATE INDEX events_account ON events (account_id) WHERE account_id <> '';

CREATE TABLE matches (
	num          {{.Counter}}, -- the order of matches
	id           TEXT NOT NULL UNIQUE,
	lobby_id     TEXT NOT NULL,             -- which may be gone
	node         TEXT NOT NULL,             -- the process that runs it
	spec         TEXT NOT NULL,             -- JSON, lobby.Spec
	state        TEXT NOT NULL CHECK (state IN ('starting', 'live', 'ended', 'failed')),
	result       TEXT NOT NULL DEFAULT '',  -- JSON, lobby.Outcomes
	started_at   BIGINT NOT NULL,
	ended_at     BIGINT NOT NULL DEFAULT 0,
	host_id      TEXT NOT NULL DEFAULT '',  -- the account that had the lobby; empty: none
	replays      TEXT NOT NULL DEFAULT '',  -- the viewers that the host allows after the match; empty: as its options say
	replay_links BIGINT NOT NULL DEFAULT 0  -- how many links to its replay have ended
);
CREATE INDEX matches_state ON matches (state, num);
CREATE INDEX matches_host ON matches (host_id);

CREATE TABLE match_seats (
	match_id   TEXT NOT NULL REFERENCES matches (id),
	slot       BIGINT NOT NULL,
	account_id TEXT REFERENCES accounts (id), -- NULL for a bot
	team       BIGINT NOT NULL,
	outcome    TEXT NOT NULL DEFAULT '' CHECK (outcome IN ('', 'won', 'lost', 'drawn', 'void')),
	left_at    BIGINT NOT NULL DEFAULT 0,     -- when the account left the match for good; 0: it did not
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
	used_at    BIGINT NOT NULL DEFAULT 0,
	epoch      BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX tickets_expires ON tickets (expires_at);

-- Accounts that were let in to watch a match while it ran.
CREATE TABLE match_watchers (
	match_id   TEXT NOT NULL REFERENCES matches (id),
	account_id TEXT NOT NULL,
	PRIMARY KEY (match_id, account_id)
);
CREATE INDEX match_watchers_account ON match_watchers (account_id);

CREATE TABLE replay_tickets (
	hash       TEXT PRIMARY KEY, -- SHA-256 of the ticket
	match_id   TEXT NOT NULL REFERENCES matches (id),
	account_id TEXT NOT NULL,
	epoch      BIGINT NOT NULL,
	live       BOOLEAN NOT NULL, -- of a spectator, while the match ran
	link       BIGINT NOT NULL,  -- the number of the link it was given for, from 1; 0: none
	expires_at BIGINT NOT NULL,
	used_at    BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX replay_tickets_expires ON replay_tickets (expires_at);
CREATE INDEX replay_tickets_match ON replay_tickets (match_id);

-- Deleted accounts that are still in the journal of a match.
CREATE TABLE replay_redactions (
	match_id   TEXT NOT NULL REFERENCES matches (id),
	account_id TEXT NOT NULL,
	PRIMARY KEY (match_id, account_id)
);

-- The processes that run matches. Each counts its row up while it lives: others
-- see by that, and not by comparing clocks, that it is gone.
CREATE TABLE nodes (
	name    TEXT PRIMARY KEY,
	url     TEXT NOT NULL,     -- where players reach it; empty: where they reach any node
	beats   BIGINT NOT NULL,
	seen_at BIGINT NOT NULL    -- by its own clock
);

-- The one row of the whole installation. A transaction that takes a seat locks it.
CREATE TABLE house (
	id       BIGINT PRIMARY KEY CHECK (id = 1),
	draining BOOLEAN NOT NULL,
	bans     BIGINT NOT NULL -- counts up with each ban
);
INSERT INTO house (id, draining, bans) VALUES (1, FALSE, 0);

CREATE TABLE bans (
	id         {{.Counter}},
	account_id TEXT NOT NULL DEFAULT '', -- either this
	name       TEXT NOT NULL DEFAULT '',
	prefix     TEXT NOT NULL DEFAULT '', -- or this, and
	lo         TEXT NOT NULL DEFAULT '', -- its first and last address in 32 hex digits
	hi         TEXT NOT NULL DEFAULT '',
	reason     TEXT NOT NULL,
	by_admin   TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	until_at   BIGINT NOT NULL DEFAULT 0, -- 0: for good
	lifted_at  BIGINT NOT NULL DEFAULT 0  -- 0: holds
);
CREATE INDEX bans_account ON bans (account_id) WHERE account_id <> '';
CREATE INDEX bans_lo ON bans (lo) WHERE lo <> '';

CREATE TABLE admins (
	id            TEXT PRIMARY KEY,
	name          TEXT NOT NULL,
	name_key      TEXT NOT NULL UNIQUE,
	password_hash TEXT NOT NULL,
	role          TEXT NOT NULL CHECK (role IN ('viewer', 'moderator', 'admin')),
	fog           BOOLEAN NOT NULL, -- may look through the fog of live matches
	created_at    BIGINT NOT NULL,
	disabled_at   BIGINT NOT NULL DEFAULT 0,
	hash_cost     TEXT NOT NULL DEFAULT ''
);

-- Keys by which other servers use the service API. A key has one secret, or two while it
-- is rotated; only hashes of them are stored.
CREATE TABLE service_keys (
	id         TEXT PRIMARY KEY,
	name       TEXT NOT NULL,
	issuer     TEXT NOT NULL,
	scopes     TEXT NOT NULL,
	created_by TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	revoked_at BIGINT NOT NULL DEFAULT 0,
	used_at    BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE service_key_secrets (
	hash       TEXT PRIMARY KEY,
	key_id     TEXT NOT NULL REFERENCES service_keys (id) ON DELETE CASCADE,
	created_at BIGINT NOT NULL,
	until_at   BIGINT NOT NULL
);
CREATE INDEX service_key_secrets_key ON service_key_secrets (key_id);

-- Matches that service keys made, for which issuer, and by which request: a second
-- one with the same key (of HTTP's header Idempotency-Key) is the same request.
CREATE TABLE service_matches (
	match_id     TEXT PRIMARY KEY REFERENCES matches (id) ON DELETE CASCADE,
	issuer       TEXT NOT NULL,
	request_key  TEXT,
	request_hash TEXT NOT NULL,
	created_at   BIGINT NOT NULL,
	UNIQUE (issuer, request_key)
);
CREATE INDEX service_matches_requests ON service_matches (created_at) WHERE request_key IS NOT NULL;

-- A transaction that changes parties, offers or queues locks this one row first.
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

-- Accounts whose ratings a match changes. rated_at is 0 until its result is counted.
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

-- Servers of a studio that receive events. The secrets sign: they cannot be hashed.
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

-- Events that an endpoint has not taken yet, written in the transaction of the event.
CREATE TABLE webhook_events (
	num         {{.Counter}}, -- the order
	id          TEXT NOT NULL,               -- of the event, the same at every endpoint
	endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
	stream      TEXT NOT NULL,               -- one at a time and in order: a match, or an account
	kind        TEXT NOT NULL,
	body        TEXT NOT NULL,               -- JSON, as it is sent
	created_at  BIGINT NOT NULL,
	due_at      BIGINT NOT NULL,             -- of the next try
	tries       BIGINT NOT NULL DEFAULT 0,
	lease       TEXT NOT NULL DEFAULT '',    -- of the process that tries now
	lease_until BIGINT NOT NULL DEFAULT 0,
	dead_at     BIGINT NOT NULL DEFAULT 0,   -- when the last try was given up; 0: it was not
	failure     TEXT NOT NULL DEFAULT ''     -- of the last try
);
CREATE INDEX webhook_events_stream ON webhook_events (endpoint_id, stream, num) WHERE dead_at = 0;
CREATE INDEX webhook_events_due ON webhook_events (due_at) WHERE dead_at = 0;
CREATE INDEX webhook_events_dead ON webhook_events (endpoint_id, num) WHERE dead_at > 0;

-- The audit is a chain: each row has a number without gaps, the hash of the row
-- before it, and its own. Rows from before the chain have link 0; the first link's prev
-- is a hash of all of them.
CREATE TABLE audit (
	num     {{.Counter}},
	at      BIGINT NOT NULL,
	admin   TEXT NOT NULL,
	action  TEXT NOT NULL,
	subject TEXT NOT NULL,
	detail  TEXT NOT NULL,
	address TEXT NOT NULL,
	link    BIGINT NOT NULL DEFAULT 0,
	prev    TEXT NOT NULL DEFAULT '',
	hash    TEXT NOT NULL DEFAULT ''
);
CREATE INDEX audit_admin ON audit (admin, action, subject, at);
CREATE UNIQUE INDEX audit_link ON audit (link) WHERE link > 0;
CREATE INDEX audit_order ON audit (link, num);

-- The last row of the audit, which the writer of the next row locks, and the last row
-- that was deleted because of its age (-1: none was).
CREATE TABLE audit_chain (
	id          BIGINT PRIMARY KEY CHECK (id = 1),
	link        BIGINT NOT NULL,
	hash        TEXT NOT NULL,
	anchor_link BIGINT NOT NULL,
	anchor_hash TEXT NOT NULL
);
INSERT INTO audit_chain (id, link, hash, anchor_link, anchor_hash) VALUES (1, 0, '', -1, '');

-- The audit is append-only: the database itself refuses changes, and deletions of rows
-- after the anchor.
{{if .Postgres}}
-- +goose StatementBegin
CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'audit is append-only';
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION audit_loses_none() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF OLD.link > (SELECT anchor_link FROM audit_chain) THEN
		RAISE EXCEPTION 'audit is append-only';
	END IF;
	RETURN OLD;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER audit_keeps_rows BEFORE UPDATE OR TRUNCATE ON audit
	FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();
CREATE TRIGGER audit_loses_none BEFORE DELETE ON audit
	FOR EACH ROW EXECUTE FUNCTION audit_loses_none();
-- ALWAYS: also for rows that replication writes into this database.
ALTER TABLE audit ENABLE ALWAYS TRIGGER audit_keeps_rows;
ALTER TABLE audit ENABLE ALWAYS TRIGGER audit_loses_none;
{{else}}
-- +goose StatementBegin
CREATE TRIGGER audit_keeps_rows BEFORE UPDATE ON audit
BEGIN
	SELECT RAISE(ABORT, 'audit is append-only');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_loses_none BEFORE DELETE ON audit WHEN OLD.link > (SELECT anchor_link FROM audit_chain)
BEGIN
	SELECT RAISE(ABORT, 'audit is append-only');
END;
-- +goose StatementEnd
-- INSERT OR REPLACE deletes without firing the trigger for it.
-- +goose StatementBegin
CREATE TRIGGER audit_replaces_none BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE num = NEW.num)
BEGIN
	SELECT RAISE(ABORT, 'audit is append-only');
END;
-- +goose StatementEnd
{{end}}
-- +goose Down
DROP TABLE audit_chain;
DROP TABLE audit;
DROP TABLE webhook_events;
DROP TABLE webhook_endpoints;
DROP TABLE rated_seats;
DROP TABLE ratings;
DROP TABLE offers;
DROP TABLE party_members;
DROP TABLE parties;
DROP TABLE matchmaking;
DROP TABLE service_matches;
DROP TABLE service_key_secrets;
DROP TABLE service_keys;
DROP TABLE admins;
DROP TABLE bans;
DROP TABLE house;
DROP TABLE nodes;
DROP TABLE replay_redactions;
DROP TABLE replay_tickets;
DROP TABLE match_watchers;
DROP TABLE tickets;
DROP TABLE match_seats;
DROP TABLE matches;
DROP TABLE events;
DROP TABLE seats;
DROP TABLE lobby_starts;
DROP TABLE lobbies;
DROP TABLE places;
DROP TABLE counters;
DROP TABLE resets;
DROP TABLE sessions;
DROP TABLE external_identities;
DROP TABLE account_settings;
DROP TABLE accounts;
{{if .Postgres}}
DROP FUNCTION audit_loses_none();
DROP FUNCTION audit_is_append_only();
{{end}}
