package sqlite

import "context"

// Raw runs one statement without the store's checks, for tests of the schema's constraints.
func (s *Store) Raw(ctx context.Context, sql string) error {
	c, err := s.writer.take(ctx)
	if err != nil {
		return err
	}
	_, err = c.conn.ExecContext(ctx, sql)
	s.writer.give(c, true)
	return err
}
