package postgres

import "context"

// Raw runs one statement outside of every rule: for tests of the schema's own
// constraints.
func (s *Store) Raw(ctx context.Context, sql string) error {
	_, err := s.pool.Exec(ctx, sql)
	return err
}
