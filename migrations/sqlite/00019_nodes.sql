-- +goose Up
-- The processes that run matches. Each counts its row up while it lives: others
-- see by that, and not by comparing clocks, that it is gone.
CREATE TABLE nodes (
	name    TEXT PRIMARY KEY,
	url     TEXT NOT NULL,     -- where players reach it; empty: where they reach any node
	beats   BIGINT NOT NULL,
	seen_at BIGINT NOT NULL    -- by its own clock
);

-- +goose Down
DROP TABLE nodes;
