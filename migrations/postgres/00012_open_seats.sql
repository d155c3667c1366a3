-- +goose Up
-- Whether the host lets a person take over this bot's seat while the match runs.
ALTER TABLE seats ADD COLUMN open BOOLEAN NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE seats DROP COLUMN open;
