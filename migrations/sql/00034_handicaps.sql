-- +goose Up
-- The handicap of a seat, JSON; empty: none.
ALTER TABLE seats ADD COLUMN handicap TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE seats DROP COLUMN handicap;
