package sim

import (
	"reflect"
	"testing"
)

// An entity is one cache line, and details and extras are whole ones: the data that every
// tick walks through shares no cache line with other data.
func TestEntityIsOneLine(t *testing.T) {
	const line, page = 64, 32 << 10
	if n := reflect.TypeFor[Entity]().Size(); n != line && n != line-4 { // pointers of 32 bits
		t.Errorf("an entity has %d bytes, not %d", n, line)
	}
	if n := reflect.TypeFor[details]().Size(); n%line != 0 && reflect.TypeFor[uintptr]().Size() == 8 {
		t.Errorf("details have %d bytes: fill them up to whole lines", n)
	}
	for name, n := range map[string]uintptr{"entities": linesBlock * reflect.TypeFor[Entity]().Size(), "details": detailsBlock * reflect.TypeFor[details]().Size()} {
		if n <= page {
			t.Errorf("a block of %s has %d bytes: Go begins it at the start of a line only above %d", name, n, page)
		}
	}
}
