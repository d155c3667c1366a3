-- +goose Up
-- The faction that a seat chose; empty: the server draws one as the match starts, or the ruleset has no factions.
ALTER TABLE seats ADD COLUMN faction TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE seats DROP COLUMN faction;
