package core

import (
	"fmt"
	"testing"
	"time"
)

// A full count is remembered until its window ends, up to a number of counts.
func TestFullCountsAreBounded(t *testing.T) {
	var f fullCounts
	now := time.Unix(1000, 0)
	for k := range fullMax - 1 {
		f.note(fmt.Sprint(k), now.Add(time.Minute), now)
	}
	f.note("short", now.Add(time.Second), now)
	f.note("one more", now.Add(time.Minute), now)
	if _, full := f.ends("one more", now); full || len(f.until) != fullMax {
		t.Errorf("%d are kept, want %d", len(f.until), fullMax)
	}
	if _, full := f.ends("short", now.Add(time.Second-1)); !full {
		t.Error("forgotten before its end")
	}
	now = now.Add(time.Second)
	f.note("one more", now.Add(time.Minute), now)
	if at, full := f.ends("one more", now); !full || at != now.Add(time.Minute) {
		t.Errorf("what ended made no room: %v", at)
	}
	if _, full := f.ends("short", now); full {
		t.Error("kept past its end")
	}
	if _, full := f.ends("0", now.Add(time.Minute)); full || len(f.until) != fullMax-1 {
		t.Errorf("%d are kept after one was found ended", len(f.until))
	}
}
