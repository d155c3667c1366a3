package mapfile

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/fogkeep/fogkeep/internal/strictjson"
)

// ErrFormat is in every error that says a file is no map that can be read, as
// against an error of the file system.
var ErrFormat = errors.New("not a usable map")

// Error says what is wrong with which file, and where.
type Error struct {
	File   string // path as the caller gave it, with the file inside a folder or zip
	Offset int64  // byte offset in the file, or -1 where it is about the file as a whole
	Line   int    // line of the offset in a text file, from 1; 0 in a binary one
	Err    error
}

func (e *Error) Error() string {
	switch {
	case e.Offset < 0:
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	case e.Line > 0:
		return fmt.Sprintf("%s: line %d, offset %d: %v", e.File, e.Line, e.Offset, e.Err)
	default:
		return fmt.Sprintf("%s: offset %d: %v", e.File, e.Offset, e.Err)
	}
}

// Unwrap gives [ErrFormat] and the cause.
func (e *Error) Unwrap() []error { return []error{ErrFormat, e.Err} }

// spot is an error inside a file whose name the caller knows.
type spot = strictjson.Fault

// offsetOf returns where in its file an error is, and bare the error without
// it.
func offsetOf(err error) int64 {
	if s, ok := errors.AsType[*spot](err); ok {
		return s.At
	}
	return 0
}

func bare(err error) error {
	if s, ok := errors.AsType[*spot](err); ok {
		return s.Err
	}
	return err
}

func errAt(at int64, format string, args ...any) error {
	return &spot{At: at, Err: fmt.Errorf(format, args...)}
}

// inFile names the file of an error. text is the file's bytes where it has
// lines, else nil.
func inFile(file string, text []byte, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e // named already, deeper down
	}
	e := &Error{File: file, Offset: -1, Err: err}
	if s, ok := errors.AsType[*spot](err); ok {
		e.Offset, e.Err = s.At, s.Err
		if text != nil {
			e.Line = 1 + bytes.Count(text[:max(0, min(int(s.At), len(text)))], []byte{'\n'})
		}
	}
	return e
}

// quote shortens a name out of a file for an error message.
func quote(s string) string {
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return fmt.Sprintf("%q", s)
}
