package core

import (
	"slices"
	"sync"
)

// Line gives a bounded number of places to the requests of type W that wait for one.
// Its first lane is served before all others, which take turns. In each lane the keys
// take turns, so that a key with many requests delays itself.
type Line[W comparable] struct {
	mu    sync.Mutex
	free  int // places; 0 while a request waits
	last  int // of the lanes behind the first: the one that was served last
	lanes []lane[W]
}

// lane has the requests of each key in the order in which they came.
type lane[W comparable] struct {
	turns   []string // keys that wait, the next first
	waiting map[string][]W
}

// NewLine returns a line of free places.
func NewLine[W comparable](places, lanes int) *Line[W] {
	l := &Line[W]{free: places, lanes: make([]lane[W], lanes)}
	for i := range l.lanes {
		l.lanes[i].waiting = map[string][]W{}
	}
	return l
}

// Enter reports whether the request has a place at once. Else it waits until
// [Line.Next] returns it, or [Line.Leave] takes it out.
func (l *Line[W]) Enter(in int, key string, w W) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free > 0 {
		l.free--
		return true
	}
	q := &l.lanes[in]
	if len(q.waiting[key]) == 0 {
		q.turns = append(q.turns, key)
	}
	q.waiting[key] = append(q.waiting[key], w)
	return false
}

// Leave takes a request out. It returns false if the request no longer waits.
func (l *Line[W]) Leave(in int, key string, w W) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := &l.lanes[in]
	i := slices.Index(q.waiting[key], w)
	if i < 0 {
		return false
	}
	if q.waiting[key] = slices.Delete(q.waiting[key], i, i+1); len(q.waiting[key]) == 0 {
		delete(q.waiting, key)
		q.turns = slices.DeleteFunc(q.turns, func(k string) bool { return k == key })
	}
	return true
}

// Next hands the caller's place to the next request and returns it; false: the line is
// empty, and the place is free.
func (l *Line[W]) Next() (w W, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w, ok = l.lanes[0].pop(); ok {
		return w, true
	}
	others := len(l.lanes) - 1
	for i := range others {
		in := 1 + (l.last+i)%others
		if w, ok = l.lanes[in].pop(); ok {
			l.last = in
			return w, true
		}
	}
	l.free++
	return w, false
}

func (q *lane[W]) pop() (w W, ok bool) {
	if len(q.turns) == 0 {
		return w, false
	}
	key := q.turns[0]
	w = q.waiting[key][0]
	q.turns = q.turns[1:]
	if q.waiting[key] = q.waiting[key][1:]; len(q.waiting[key]) > 0 {
		q.turns = append(q.turns, key)
	} else {
		delete(q.waiting, key)
	}
	return w, true
}

// Waiting counts the requests that wait, and the free places.
func (l *Line[W]) Waiting() (n, free int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range l.lanes {
		for _, list := range q.waiting {
			n += len(list)
		}
	}
	return n, l.free
}
