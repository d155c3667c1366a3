-- +goose Up
-- Who accounts are at identity providers: the issuer's name for itself, and its
-- name for the person.
CREATE TABLE external_identities (
	issuer     TEXT NOT NULL,
	subject    TEXT NOT NULL,
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	created_at BIGINT NOT NULL,
	used_at    BIGINT NOT NULL,
	PRIMARY KEY (issuer, subject)
);
CREATE INDEX external_identities_account ON external_identities (account_id);

-- +goose Down
DROP TABLE external_identities;
