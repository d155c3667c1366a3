-- +goose Up
-- The question to the players of a lobby, JSON; empty: none.
ALTER TABLE lobbies ADD COLUMN poll TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE lobbies DROP COLUMN poll;
