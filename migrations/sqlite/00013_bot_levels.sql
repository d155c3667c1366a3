-- +goose Up
-- How well a bot plays: easy, medium or hard; empty in the seats of people.
ALTER TABLE seats ADD COLUMN level TEXT NOT NULL DEFAULT '';
UPDATE seats SET level = 'medium' WHERE kind = 'bot';

-- +goose Down
ALTER TABLE seats DROP COLUMN level;
