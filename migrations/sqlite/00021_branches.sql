-- +goose Up
-- What the matches of a lobby begin from, JSON; empty: what their mode places.
ALTER TABLE lobbies ADD COLUMN origin TEXT NOT NULL DEFAULT '';
CREATE INDEX lobbies_origin ON lobbies (id) WHERE origin <> '';

-- The beginning itself: setup and state, packed as a journal. It goes with the lobby.
CREATE TABLE lobby_starts (
	lobby_id TEXT PRIMARY KEY REFERENCES lobbies (id) ON DELETE CASCADE,
	setup    BLOB NOT NULL
);

-- +goose Down
DROP TABLE lobby_starts;
DROP INDEX lobbies_origin;
ALTER TABLE lobbies DROP COLUMN origin;
