package pack

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const frost = "testdata/frost"

// changed is the example pack with files added, replaced or, with nil, removed.
func changed(t testing.TB, files map[string][]byte) *source {
	t.Helper()
	s, err := read(frost)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range files {
		if s.files[name] = b; b == nil {
			delete(s.files, name)
		}
	}
	m := fstest.MapFS{}
	for name, b := range s.files {
		m[name] = &fstest.MapFile{Data: b}
	}
	s.FS = m
	return s
}

// TestPack: the example is whole, and its form has no part in its hash.
func TestPack(t *testing.T) {
	p, err := Open(frost, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Warnings) > 0 || len(p.Rulesets) != 1 || p.Rulesets[0].ID != "frost" || len(p.Maps) != 1 || len(p.Scenarios) != 1 {
		t.Errorf("%+v", p)
	}
	rs := p.Rulesets[0].Rules
	at := func(name string) int { return slices.Index(typeNames(rs), name) }
	if rs.Name != "frost" || rs.Types[at("golem")].Health != 220 || at("tower") < 0 {
		t.Errorf("the ruleset: %s, %v", rs.Name, typeNames(rs))
	}
	file := filepath.Join(t.TempDir(), "deep", "frost"+Ext)
	if err := p.Write(file); err != nil {
		t.Fatal(err)
	}
	if err := p.Write(file); err == nil {
		t.Error("a file that exists is overwritten")
	}
	packed, err := Open(file, nil)
	if err != nil || packed.Hash != p.Hash {
		t.Errorf("as one file: hash %v, want %s; %v", packed, p.Hash, err)
	}
	// The same files in another zip.
	other := zipped(t, func(z *zip.Writer) {
		names := p.source.names()
		slices.Reverse(names)
		for _, name := range names {
			w, _ := z.CreateHeader(&zip.FileHeader{Name: name, Comment: "x", Method: zip.Store})
			_, _ = w.Write(p.source.files[name])
		}
	})
	if s, err := readZip(other); err != nil || s.hash("") != p.Hash {
		t.Errorf("in another zip: %v", err)
	}
	if s := changed(t, map[string][]byte{"LICENSE": []byte("x")}); s.hash("") == p.Hash || p.source.hash("base") == p.Hash {
		t.Error("another licence, or another base, has the same hash")
	}
}

// TestExtends: a pack takes rules, assets and texts from the pack that it extends, with overrides by name.
func TestExtends(t *testing.T) {
	dir := t.TempDir()
	base, err := Open(frost, nil)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// By name it comes before its base.
	write("a/pack.json", `{"name": "deep", "title": "Deep frost", "version": "2", "licence": "CC0-1.0", "extends": "frost", "types": {"golem": {"sprite": "assets/g.png"}}}`)
	write("a/rules/colder.json", `{"extends": "frost", "types": [{"name": "golem", "health": 300}, {"name": "flyer", "remove": true}, {"name": "factory", "trains": ["artillery"]}]}`)
	write("a/texts/en.json", `{"type": {"golem": "Old golem"}}`)
	write("a/assets/g.png", string(base.source.files["assets/sled.png"]))
	write("broken.fogpack", "PK")
	write("notes.txt", "")
	if err := base.Write(filepath.Join(dir, "frost"+Ext)); err != nil {
		t.Fatal(err)
	}
	l, refused, err := OpenLibrary(dir)
	if err != nil || len(refused) != 1 || !strings.Contains(refused[0].Error(), "broken.fogpack: no zip") {
		t.Fatalf("refused %v, %v", refused, err)
	}
	deep, err := l.Named("deep")
	if err != nil || deep.Base != l.ByHash(base.Hash) || deep.Rulesets[0].ID != "deep-colder" || deep.Rulesets[0].Rules.Name != "deep-colder" {
		t.Fatalf("%+v, %v", deep, err)
	}
	names := typeNames(deep.Rulesets[0].Rules)
	if got := deep.Rulesets[0].Rules.Types[slices.Index(names, "golem")].Health; got != 300 || slices.Contains(names, "flyer") {
		t.Errorf("health %d, types %v", got, names)
	}
	b, kind, ok := l.File(deep.Hash)
	var index struct {
		Types map[string]map[string]string
		Texts map[string]map[string]string
	}
	if err := json.Unmarshal(b, &index); err != nil || !ok || kind != "application/json" {
		t.Fatal(err, kind)
	}
	golem := index.Types["golem"]
	if golem["model"] != "" || golem["sprite"] != hashOf(base.source.files["assets/sled.png"]) || golem["icon"] != hashOf(base.source.files["assets/golem.png"]) ||
		index.Texts["en"]["type.golem"] != "Old golem" || index.Texts["de"]["type.golem"] != "Eisgolem" {
		t.Errorf("index %s", b)
	}
	if icon, kind, ok := l.File(golem["icon"]); !ok || kind != "image/png" || hashOf(icon) != golem["icon"] {
		t.Errorf("the icon: %v %s", ok, kind)
	}
	if _, _, ok := l.File("none"); ok {
		t.Error("a file without a hash")
	}
	// Two versions of a name: a pack that extends it has to say which.
	if err := os.CopyFS(filepath.Join(dir, "newer"), changed(t, map[string][]byte{"README.md": []byte("newer")}).FS); err != nil {
		t.Fatal(err)
	}
	_, refused, _ = OpenLibrary(dir)
	if len(refused) != 2 || !strings.Contains(fmt.Sprint(refused), `/extends: there are 2 versions of the pack "frost"; name one of them as frost@`) {
		t.Errorf("refused %v", refused)
	}
	write("a/pack.json", `{"name": "deep", "title": "Deep frost", "version": "2", "licence": "CC0-1.0", "extends": "frost@`+base.Hash[:12]+`"}`)
	if l, refused, _ = OpenLibrary(dir); len(refused) != 1 || len(l.List()) != 3 {
		t.Errorf("by hash: %v", refused)
	}
	kept := &Library{files: map[string]asset{}}
	kept.Keep(l)
	if kept.ByHash(deep.Hash) != nil || kept.ByHash(base.Hash) == nil {
		t.Error("packs of an older library")
	}
	if l, refused, err := OpenLibrary(filepath.Join(dir, "none")); err != nil || len(refused)+len(l.List()) > 0 {
		t.Error("a folder that is missing", err)
	}
}

// TestWrongFiles: each wrong file is refused with its place.
func TestWrongFiles(t *testing.T) {
	raw, err := os.ReadFile("testdata/wrong.txt")
	if err != nil {
		t.Fatal(err)
	}
	src := changed(t, nil)
	rows := strings.Split(strings.TrimSpace(string(raw)), "\n")
	if len(rows) <= 100 {
		t.Errorf("%d wrong files", len(rows)-1)
	}
	for i, row := range rows {
		if strings.HasPrefix(row, "#") {
			continue
		}
		cell := strings.Split(row, " |")
		if len(cell) != 4 {
			t.Fatalf("row %d: %q", i+1, row)
		}
		for k := range cell {
			cell[k] = strings.TrimSpace(cell[k])
		}
		b := []byte(cell[2])
		if cell[1] != "" {
			if !bytes.Contains(src.files[cell[0]], []byte(cell[1])) {
				t.Fatalf("row %d: no %q", i+1, cell[1])
			}
			b = bytes.ReplaceAll(src.files[cell[0]], []byte(cell[1]), b)
		}
		refused(t, fmt.Sprintf("row %d", i+1), map[string][]byte{cell[0]: append([]byte{}, b...)}, cell[3])
	}
}

func refused(t *testing.T, name string, files map[string][]byte, want string) {
	t.Helper()
	_, err := check(changed(t, files), nil)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v\nwant %s", name, err, want)
	}
}

func zipped(t *testing.T, fill func(*zip.Writer)) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	fill(z)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestWrongZips: a zip cannot name a place outside of the pack, nor hide its size.
func TestWrongZips(t *testing.T) {
	entry := func(name string, content []byte, mode fs.FileMode) func(*zip.Writer) {
		return func(z *zip.Writer) {
			h := &zip.FileHeader{Name: name, Method: zip.Deflate}
			if mode != 0 {
				h.SetMode(mode)
			}
			w, err := z.CreateHeader(h)
			if err == nil {
				_, err = w.Write(content)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		fill func(*zip.Writer)
		want string
	}{
		{entry("../pack.json", nil, 0), `"../pack.json": a name has letters`},
		{entry("/pack.json", nil, 0), `"/pack.json": a name has letters`},
		{entry("rules/../../a", nil, 0), `a name has letters`},
		{entry(`rules\a.json`, nil, 0), `a name has letters`},
		{entry("C:/a", nil, 0), `a name has letters`},
		{entry("a\x00b", nil, 0), `a name has letters`},
		{entry("../up/", nil, 0), `a name has letters`},
		{entry("assets/.hidden", nil, 0), `a name begins with a dot`},
		{entry("a/b/c/d/e/f/g", nil, 0), `more than 4 folders deep`},
		{entry("assets/"+strings.Repeat("n", 120), nil, 0), `a name of 127 bytes, at most 120`},
		{entry("assets/link", []byte("/etc/passwd"), fs.ModeSymlink|0o777), `assets/link: a link or device`},
		{func(z *zip.Writer) { entry("a", nil, 0)(z); entry("A", nil, 0)(z) }, `A: the pack has a too`},
		{entry("assets/bomb", make([]byte, 4<<20), 0), `at most 200 to 1`},
		{func(z *zip.Writer) {
			for i := range FilesMax + 1 {
				entry(fmt.Sprintf("assets/%d", i), nil, 0)(z)
			}
		}, `more than 512 files`},
		{func(z *zip.Writer) {
			for i := range 2*FilesMax + 1 {
				entry(fmt.Sprintf("assets/%d", i), nil, 0)(z)
			}
		}, `1025 entries, at most 512`},
	} {
		if _, err := readZip(zipped(t, c.fill)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	s := &source{nil, map[string][]byte{}}
	left := int64(10)
	if err := s.take("long", bytes.NewReader(make([]byte, 11)), &left); err == nil || !strings.Contains(err.Error(), "all files have more than") {
		t.Errorf("all files: %v", err)
	}
	left = BytesMax
	if err := s.take("long", io.LimitReader(zeros{}, FileBytesMax+1), &left); err == nil || !strings.Contains(err.Error(), "long: more than 8388608 bytes") {
		t.Errorf("a file: %v", err)
	}
	// An entry whose head lies about its size ends as it says.
	lies := zipped(t, entry("pack.json", bytes.Repeat([]byte("x"), 100), 0))
	at := bytes.LastIndex(lies, []byte("PK\x01\x02"))
	lies[at+24] = 5
	if _, err := readZip(lies); err == nil {
		t.Error("an entry that lies about its size")
	}
	dir := t.TempDir()
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "assets")); err == nil {
		if _, err := read(dir); err == nil || !strings.Contains(err.Error(), "a link or device") {
			t.Errorf("a link in a folder: %v", err)
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// TestWrongFolders: files and folders that have no place, and missing ones.
func TestWrongFolders(t *testing.T) {
	x := []byte("x")
	for name, c := range map[string]struct {
		files map[string][]byte
		want  string
	}{
		"no manifest":  {map[string][]byte{"pack.json": nil}, "pack.json is missing"},
		"misspelt":     {map[string][]byte{"ruels/a.json": x}, "ruels/a.json: a pack has pack.json"},
		"deep rules":   {map[string][]byte{"rules/deep/a.json": x}, "rules/deep/a.json: a pack has"},
		"a program":    {map[string][]byte{"run.sh": x}, "run.sh: a pack has"},
		"a map's kind": {map[string][]byte{"maps/a.png": x}, "maps/a.png: a pack has"},
		"a language":   {map[string][]byte{"texts/german.json": x}, "texts/german.json: the name has to be the tag of a language"},
		"no English":   {map[string][]byte{"texts/en.json": nil}, "texts: en.json is missing"},
		"a ruleset's id": {map[string][]byte{"rules/Über.json": x},
			`rules/Über.json: the id "frost-Über"`},
		"nothing": {map[string][]byte{"rules/frost.json": nil, "rules/frost/thaw.star": nil, "maps/frozen-lake.tmj": nil, "scenarios/breath.json": nil,
			"pack.json": []byte(`{"name": "a", "title": "A", "version": "1", "licence": "x"}`)}, "the pack has no ruleset, map or scenario"},
		"itself": {map[string][]byte{"rules/a.json": []byte(`{"extends": "b"}`), "rules/b.json": []byte("{\n\"extends\": \"a\"}")},
			"more than 8 rulesets extend one another"},
		"a bound": {map[string][]byte{"texts/en.json": []byte(`{"type": {"a": "` + strings.Repeat("a", textsBytesMax) + `"}}`)}, "texts/en.json: 131"},
	} {
		refused(t, name, c.files, c.want)
	}
}

func ExampleOpen() {
	p, err := Open("testdata/frost", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Title, p.Rulesets[0].ID, p.Maps[0].Name, p.Licence)
	// Output: Frostfall frost Frozen Lake CC0-1.0
}

// A text for a name that no ruleset of the pack has is reported: it is misspelt, and players would never see it.
func TestMisspeltTextsAreReported(t *testing.T) {
	en := `{"type": {"golem": "Golem", "gollem": "Golem"}, "resource": {"orre": "Ore"}}`
	p, err := check(changed(t, map[string][]byte{"texts/en.json": []byte(en), "texts/de.json": []byte(en)}), nil)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(p.Warnings, "\n")
	for _, want := range []string{`texts/en.json: no ruleset of the pack has the type "gollem"`, `texts/de.json: no ruleset of the pack has the resource "orre"`} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning %s in:\n%s", want, all)
		}
	}
	if strings.Contains(all, `"golem"`) {
		t.Errorf("a type of the ruleset is reported:\n%s", all)
	}
}
