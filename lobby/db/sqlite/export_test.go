package sqlite

// Waiting returns how many writers wait for the one who leads.
func (s *Store) Waiting() int {
	s.group.mu.Lock()
	defer s.group.mu.Unlock()
	return len(s.group.waiting)
}
