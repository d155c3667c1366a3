-- +goose Up
-- A case about one account: reports of players, notes of moderators, one outcome, and at most one appeal. An account has
-- one open case for each match or lobby.
CREATE TABLE cases (
	id          {{.Counter}},
	account_id  TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	place       TEXT NOT NULL,            -- a match, a lobby, or empty for messages
	in_match    BOOLEAN NOT NULL,
	state       TEXT NOT NULL CHECK (state IN ('open', 'closed', 'appealed')),
	outcome     TEXT NOT NULL DEFAULT '', -- nothing, mute, queue or ban
	reason      TEXT NOT NULL DEFAULT '', -- the account reads it
	closed_by   TEXT NOT NULL DEFAULT '',
	opened_at   BIGINT NOT NULL,
	closed_at   BIGINT NOT NULL DEFAULT 0,
	appeal      TEXT NOT NULL DEFAULT '',
	appealed_at BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX cases_open ON cases (account_id, place) WHERE state = 'open';
CREATE INDEX cases_account ON cases (account_id);
CREATE INDEX cases_state ON cases (state, id);

CREATE TABLE reports (
	num         {{.Counter}},
	case_id     BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
	reporter_id TEXT REFERENCES accounts (id) ON DELETE SET NULL,
	tick        BIGINT NOT NULL,
	team        BIGINT NOT NULL, -- of the reporter in the match; -1: all teams
	kind        TEXT NOT NULL,
	text        TEXT NOT NULL,
	lines       TEXT NOT NULL, -- JSON: chat of the account from the server's own record
	at          BIGINT NOT NULL
);
CREATE INDEX reports_case ON reports (case_id);
CREATE INDEX reports_reporter ON reports (reporter_id);

CREATE TABLE case_notes (
	num      {{.Counter}},
	case_id  BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
	by_admin TEXT NOT NULL,
	text     TEXT NOT NULL,
	at       BIGINT NOT NULL
);
CREATE INDEX case_notes_case ON case_notes (case_id);

-- The part of the server from which a ban keeps out: empty means the whole server.
ALTER TABLE bans ADD COLUMN scope TEXT NOT NULL DEFAULT '';
ALTER TABLE bans ADD COLUMN case_id BIGINT NOT NULL DEFAULT 0; -- 0: no case
CREATE INDEX bans_case ON bans (case_id) WHERE case_id <> 0;
CREATE INDEX bans_scope ON bans (scope) WHERE scope <> '';

-- +goose Down
DROP INDEX bans_scope;
DROP INDEX bans_case;
DELETE FROM bans WHERE scope <> '';
ALTER TABLE bans DROP COLUMN case_id;
ALTER TABLE bans DROP COLUMN scope;
DROP TABLE case_notes;
DROP TABLE reports;
DROP TABLE cases;
