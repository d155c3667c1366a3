-- +goose Up
-- Counts the changes of what the players of a lobby agree to by saying ready.
ALTER TABLE lobbies ADD COLUMN settings_version BIGINT NOT NULL DEFAULT 1;

-- +goose Down
ALTER TABLE lobbies DROP COLUMN settings_version;
