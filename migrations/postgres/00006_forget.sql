-- +goose Up
-- Deleted accounts whose names are still written down somewhere; those that
-- are not are gone altogether.
CREATE INDEX accounts_deleted ON accounts (id) WHERE deleted_at > 0;

-- What is swept twice a minute.
CREATE INDEX places_used ON places (used_at);
CREATE INDEX events_at ON events (at);

-- Also for those who replicate into this database.
ALTER TABLE audit ENABLE ALWAYS TRIGGER audit_keeps_rows;

-- +goose Down
ALTER TABLE audit ENABLE TRIGGER audit_keeps_rows;
DROP INDEX events_at;
DROP INDEX places_used;
DROP INDEX accounts_deleted;
