package sqlite

// Waiting returns how many writers wait for the leader.
func (s *Store) Waiting() int {
	s.group.mu.Lock()
	defer s.group.mu.Unlock()
	return len(s.group.waiting)
}
