-- +goose Up
-- Keys by which other servers use the service API. A key is known by any of its
-- secrets, of which only hashes are kept: one, or two while it is rotated.
CREATE TABLE service_keys (
	id         TEXT PRIMARY KEY,
	name       TEXT NOT NULL,
	issuer     TEXT NOT NULL,
	scopes     TEXT NOT NULL,
	created_by TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	revoked_at BIGINT NOT NULL DEFAULT 0,
	used_at    BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE service_key_secrets (
	hash       TEXT PRIMARY KEY,
	key_id     TEXT NOT NULL REFERENCES service_keys (id) ON DELETE CASCADE,
	created_at BIGINT NOT NULL,
	until_at   BIGINT NOT NULL
);
CREATE INDEX service_key_secrets_key ON service_key_secrets (key_id);

-- Matches that were made by service keys, for whom, and by which request: a second
-- one with the same key (of HTTP's header Idempotency-Key) is the same request.
CREATE TABLE service_matches (
	match_id     TEXT PRIMARY KEY REFERENCES matches (id) ON DELETE CASCADE,
	issuer       TEXT NOT NULL,
	request_key  TEXT,
	request_hash TEXT NOT NULL,
	created_at   BIGINT NOT NULL,
	UNIQUE (issuer, request_key)
);
CREATE INDEX service_matches_requests ON service_matches (created_at) WHERE request_key IS NOT NULL;

-- +goose Down
DROP TABLE service_matches;
DROP TABLE service_key_secrets;
DROP TABLE service_keys;
