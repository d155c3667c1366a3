-- +goose Up
-- Deleted accounts whose names are still written down somewhere; those that
-- are not are gone altogether.
CREATE INDEX accounts_deleted ON accounts (id) WHERE deleted_at > 0;

-- What is swept twice a minute.
CREATE INDEX places_used ON places (used_at);
CREATE INDEX events_at ON events (at);

-- INSERT OR REPLACE deletes without firing the trigger for it.
-- +goose StatementBegin
CREATE TRIGGER audit_replaces_none BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE num = NEW.num)
BEGIN
	SELECT RAISE(ABORT, 'audit is append-only');
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER audit_replaces_none;
DROP INDEX events_at;
DROP INDEX places_used;
DROP INDEX accounts_deleted;
