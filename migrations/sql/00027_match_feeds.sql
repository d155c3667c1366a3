-- +goose Up
-- Matches whose events webhooks want: how many of them endpoints have been told, and when a process reads on.
CREATE TABLE match_feeds (
	match_id TEXT PRIMARY KEY REFERENCES matches (id) ON DELETE CASCADE,
	told     BIGINT NOT NULL DEFAULT 0,
	due_at   BIGINT NOT NULL
);

-- +goose Down
DROP TABLE match_feeds;
