-- +goose Up
-- The one row that says how the house is. Whoever takes a seat holds it.
CREATE TABLE house (
	id       BIGINT PRIMARY KEY CHECK (id = 1),
	draining BOOLEAN NOT NULL,
	bans     BIGINT NOT NULL -- counts up with each ban
);
INSERT INTO house (id, draining, bans) VALUES (1, FALSE, 0);

CREATE TABLE bans (
	id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	account_id TEXT NOT NULL DEFAULT '', -- either this
	name       TEXT NOT NULL DEFAULT '',
	prefix     TEXT NOT NULL DEFAULT '', -- or this, and
	lo         TEXT NOT NULL DEFAULT '', -- its first and last address in 32 hex digits
	hi         TEXT NOT NULL DEFAULT '',
	reason     TEXT NOT NULL,
	by_admin   TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	until_at   BIGINT NOT NULL DEFAULT 0, -- 0: for good
	lifted_at  BIGINT NOT NULL DEFAULT 0  -- 0: holds
);
CREATE INDEX bans_account ON bans (account_id) WHERE account_id <> '';
CREATE INDEX bans_lo ON bans (lo) WHERE lo <> '';

CREATE TABLE admins (
	id            TEXT PRIMARY KEY,
	name          TEXT NOT NULL,
	name_key      TEXT NOT NULL UNIQUE,
	password_hash TEXT NOT NULL,
	role          TEXT NOT NULL CHECK (role IN ('viewer', 'moderator', 'admin')),
	fog           BOOLEAN NOT NULL, -- may look through the fog of live matches
	created_at    BIGINT NOT NULL,
	disabled_at   BIGINT NOT NULL DEFAULT 0
);

-- Append-only: the database itself refuses anything else.
CREATE TABLE audit (
	num     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	at      BIGINT NOT NULL,
	admin   TEXT NOT NULL,
	action  TEXT NOT NULL,
	subject TEXT NOT NULL,
	detail  TEXT NOT NULL,
	address TEXT NOT NULL
);
CREATE INDEX audit_admin ON audit (admin, action, subject, at);

-- +goose StatementBegin
CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'audit is append-only';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER audit_keeps_rows BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
	FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();

-- +goose Down
DROP TABLE audit;
DROP FUNCTION audit_is_append_only();
DROP TABLE admins;
DROP TABLE bans;
DROP TABLE house;
