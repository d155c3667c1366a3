-- +goose Up
-- Whose lobby a match was; empty: nobody's.
ALTER TABLE matches ADD COLUMN host_id TEXT NOT NULL DEFAULT '';
-- Who may watch it once it is over, if that was changed since; empty: as its options say.
ALTER TABLE matches ADD COLUMN replays TEXT NOT NULL DEFAULT '';
-- How many links to its replay have ended.
ALTER TABLE matches ADD COLUMN replay_links BIGINT NOT NULL DEFAULT 0;
CREATE INDEX matches_host ON matches (host_id);

-- Who was let in to watch a match while it ran.
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

-- +goose Down
DROP TABLE replay_redactions;
DROP TABLE replay_tickets;
DROP TABLE match_watchers;
DROP INDEX matches_host;
ALTER TABLE matches DROP COLUMN replay_links;
ALTER TABLE matches DROP COLUMN replays;
ALTER TABLE matches DROP COLUMN host_id;
