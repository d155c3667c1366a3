package postgres

import "context"

// Raw runs one statement without the store's checks, for tests of the schema's constraints.
func (s *Store) Raw(ctx context.Context, sql string) error {
	_, err := s.pool.Exec(ctx, sql)
	return err
}
