-- +goose Up
-- The maps that a party strikes out of its search, JSON; empty: none.
ALTER TABLE parties ADD COLUMN vetoes TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE parties DROP COLUMN vetoes;
