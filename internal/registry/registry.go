package registry

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// NameMax is the longest name, in bytes.
const NameMax = 32

// Table has values by their names. Its zero value is empty. Any goroutine may use it.
type Table[T any] struct {
	mu     sync.Mutex
	closed bool
	rows   map[string]T
}

// Add adds a value. Its error says what is wrong: the name has other characters than
// a-z, 0-9 and hyphens between them, it is taken, or the table is closed.
func (t *Table[T]) Add(name string, v T) error {
	if !GoodName(name) {
		return fmt.Errorf("the name %q: it has 1 to %d of a-z, 0-9 and single hyphens between them", name, NameMax)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return fmt.Errorf("%q comes too late: register before a ruleset that needs it is read and before the first match is checked, in init or at the start of main", name)
	}
	if _, taken := t.rows[name]; taken {
		return fmt.Errorf("%q is registered already", name)
	}
	if t.rows == nil {
		t.rows = map[string]T{}
	}
	t.rows[name] = v
	return nil
}

// Find returns the value with that name, and closes the table.
func (t *Table[T]) Find(name string) (v T, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	v, ok = t.rows[name]
	return v, ok
}

// Names returns the names, sorted.
func (t *Table[T]) Names() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Sorted(maps.Keys(t.rows))
}

// Rows returns a copy of the table, which stays open.
func (t *Table[T]) Rows() map[string]T {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.rows)
}

// GoodName reports whether a text can be a name: 1 to [NameMax] of a-z, 0-9 and
// hyphens, which are single and between two others.
func GoodName(name string) bool {
	if name == "" || len(name) > NameMax {
		return false
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
		case c == '-' && i > 0 && i < len(name)-1 && name[i-1] != '-':
		default:
			return false
		}
	}
	return true
}
