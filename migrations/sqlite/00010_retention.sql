-- +goose Up
-- What is swept twice a minute: guests.
CREATE INDEX accounts_guests ON accounts (id) WHERE guest AND deleted_at = 0;

-- +goose Down
DROP INDEX accounts_guests;
