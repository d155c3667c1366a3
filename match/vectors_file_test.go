package match

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The vectors for clients in any language; proto/testdata/vectors/README.md describes
// them.
const (
	vectorsDir   = "../proto/testdata/vectors"
	vectorsRules = vectorsDir + "/rules.json"
)

// vectorFile is one match, and its clients' messages.
type vectorFile struct {
	About    string         `json:"about"`
	Map      []byte         `json:"map"` // as GET /maps/{hash} gives it
	Seed     uint64         `json:"seed"`
	TickRate int            `json:"tick_rate"`
	Journal  [][]byte       `json:"journal"` // from record 3 on
	Streams  []vectorStream `json:"streams"`
}

// vectorStream has the messages of one client's connections.
type vectorStream struct {
	Client     string          `json:"client"`
	About      string          `json:"about"`
	DerivesFog bool            `json:"derives_fog"`
	Messages   []vectorMessage `json:"messages"`
}

// vectorMessage is one websocket message, to or from the client.
type vectorMessage struct {
	At     uint32          `json:"at"` // the server's tick
	Client []byte          `json:"client,omitempty"`
	Server []byte          `json:"server,omitempty"`
	Told   json.RawMessage `json:"told,omitempty"`
	State  json.RawMessage `json:"state,omitempty"` // merge patch, RFC 7396
}

// encode writes the file with a line a message, so that a difference shows
// which.
func (f *vectorFile) encode() ([]byte, error) {
	var b bytes.Buffer
	put := func(format string, what any) error {
		text, err := json.Marshal(what)
		fmt.Fprintf(&b, format, text)
		return err
	}
	err := put("{\"about\": %s,\n", f.About)
	if err == nil {
		err = put("\"map\": %s,\n", f.Map)
	}
	if err == nil {
		err = put("\"seed\": %s, ", f.Seed)
	}
	if err == nil {
		err = put("\"tick_rate\": %s,\n", f.TickRate)
	}
	if err == nil {
		err = put("\"journal\": %s,\n\"streams\": [\n", f.Journal)
	}
	for i := range f.Streams {
		s := &f.Streams[i]
		if err == nil {
			err = put("{\"client\": %s,\n", s.Client)
		}
		if err == nil {
			err = put("\"about\": %s,\n", s.About)
		}
		if err == nil {
			err = put("\"derives_fog\": %s,\n\"messages\": [\n", s.DerivesFog)
		}
		for j := range s.Messages {
			if err == nil {
				err = put("%s", s.Messages[j])
			}
			b.WriteString(map[bool]string{true: ",\n", false: "\n"}[j < len(s.Messages)-1])
		}
		b.WriteString(map[bool]string{true: "]},\n", false: "]}\n"}[i < len(f.Streams)-1])
	}
	b.WriteString("]}\n")
	return b.Bytes(), err
}

// readVectors reads all files, by name.
func readVectors(t testing.TB) (names []string, files map[string]*vectorFile) {
	t.Helper()
	paths, err := filepath.Glob(vectorsDir + "/*.json")
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]*vectorFile{}
	for _, path := range paths {
		if filepath.Base(path) == filepath.Base(vectorsRules) {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := &vectorFile{}
		dec := json.NewDecoder(bytes.NewReader(b))
		dec.DisallowUnknownFields()
		if err := dec.Decode(f); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		name := filepath.Base(path)
		names, files[name] = append(names, name), f
	}
	slices.Sort(names)
	return names, files
}

// object is a JSON object as encoding/json reads it.
type object = map[string]any

// mergePatch returns an object with a merge patch applied (RFC 7396), and leaves the
// object as it was.
func mergePatch(on, patch any) any {
	change, ok := patch.(object)
	if !ok {
		return patch
	}
	old, _ := on.(object)
	out := make(object, len(old)+len(change))
	for k, v := range old {
		out[k] = v
	}
	for k, v := range change {
		if v == nil {
			delete(out, k)
		} else {
			out[k] = mergePatch(out[k], v)
		}
	}
	return out
}

// patchOf is the inverse: the patch that makes b of a, and whether there is any
// difference.
func patchOf(a, b any) (any, bool) {
	was, ok := a.(object)
	is, also := b.(object)
	if !ok || !also {
		x, y := jsonOf(a), jsonOf(b)
		if bytes.Equal(x, y) {
			return nil, false
		}
		return b, true
	}
	out := object{}
	for k := range was {
		if _, stays := is[k]; !stays {
			out[k] = nil
		}
	}
	for k, v := range is {
		if old, there := was[k]; !there {
			out[k] = v
		} else if p, differs := patchOf(old, v); differs {
			out[k] = p
		}
	}
	return out, len(out) > 0
}

// jsonOf returns the one text of a JSON value: members sorted, no spaces.
func jsonOf(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("a test's own value is plain data: " + err.Error())
	}
	return b
}

// plain returns a value as it is read back from its JSON.
func plain(v any) any {
	var out any
	if err := json.Unmarshal(jsonOf(v), &out); err != nil {
		panic("JSON that was just written: " + err.Error())
	}
	return out
}
