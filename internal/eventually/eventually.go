package eventually

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

// Holds returns once ok holds, and fails the test after a minute. Name the awaited
// condition in what. The failure also prints the values behind the pointers in seen,
// which ok keeps for it.
//
// The longer Holds has waited, the longer it sleeps: it returns at most a thirtieth late.
// It asks fifty times per second in the long run, as often as an address may ask a server.
func Holds(t testing.TB, what string, ok func() bool, seen ...any) {
	t.Helper()
	began, waited := time.Now(), time.Duration(0)
	for ; !ok(); waited = time.Since(began) {
		if waited > time.Minute {
			for _, p := range seen {
				if _, prints := p.(fmt.Stringer); !prints {
					p = reflect.Indirect(reflect.ValueOf(p))
				}
				what += fmt.Sprintf("\n%+v", p)
			}
			t.Fatalf("not within a minute: %s", what)
		}
		time.Sleep(max(100*time.Microsecond, min(waited/30, 20*time.Millisecond)))
	}
}
