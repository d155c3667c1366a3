-- +goose Up
-- Why the match of a lobby waits for another server, and until when, JSON; empty: it does not.
ALTER TABLE lobbies ADD COLUMN waiting TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE lobbies DROP COLUMN waiting;
