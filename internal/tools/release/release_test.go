package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The list of modules of a program has each module that go version -m names, and the packages of the pages; the notices
// have the terms of each.
func TestListsHaveEveryModule(t *testing.T) {
	t.Chdir("../../..")
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	both := []program{{"one", path, []byte("a program")}, {"two", path, []byte("another")}}
	parts, err := partsOf(t.Context(), both)
	if err != nil {
		t.Fatal(err)
	}
	list, err := spdx(build{version: "1.2.3", at: time.Unix(1e9, 0).UTC()}, "fogkeep-1.2.3", both, parts)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		SPDX     string `json:"spdxVersion"`
		Packages []struct {
			Name, SPDXID string
			ExternalRefs []struct{ ReferenceLocator string }
		}
		Relationships []struct{ SPDXElementID, RelatedSpdxElement string }
	}
	if err := json.Unmarshal(list, &doc); err != nil || doc.SPDX != "SPDX-2.3" || len(doc.Relationships) != 2*len(doc.Packages)-len(both) {
		t.Fatalf("%v: %s", err, list)
	}
	urls, contents := map[string]bool{}, map[string]int{}
	for _, r := range doc.Relationships {
		contents[r.SPDXElementID+" "+r.RelatedSpdxElement]++
	}
	for i, p := range doc.Packages {
		for _, r := range p.ExternalRefs {
			urls[r.ReferenceLocator] = true
		}
		holders := []string{"SPDXRef-one", "SPDXRef-two"}
		if i < len(both) {
			holders = []string{"SPDXRef-DOCUMENT"}
		}
		for _, in := range holders {
			if contents[in+" "+p.SPDXID] != 1 {
				t.Errorf("%s has %d relations to %s", in, contents[in+" "+p.SPDXID], p.Name)
			}
		}
	}
	told, err := exec.CommandContext(t.Context(), "go", "version", "-m", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := 0
	for line := range strings.Lines(string(told)) {
		if f := strings.Fields(line); len(f) > 2 && f[0] == "dep" {
			deps++
			if !urls["pkg:golang/"+f[1]+"@"+f[2]] {
				t.Errorf("the list has no %s %s", f[1], f[2])
			}
		}
	}
	if deps == 0 {
		t.Error("go version -m names no module")
	}
	notices, err := noticesOf(parts)
	if err != nil {
		t.Error(err)
	}
	for _, name := range []string{"three ", "preact ", "std ", "github.com/alecthomas/kong "} {
		if !bytes.Contains(notices, []byte("\n"+name)) {
			t.Errorf("no notice of %s", name)
		}
	}
	if bytes.Contains(notices, []byte("\nvitest ")) {
		t.Error("a package for development is in the notices")
	}
	if _, err := noticesOf([]part{{kind: "npm", name: "bare", version: "1", folder: t.TempDir()}}); err == nil || !strings.Contains(err.Error(), "bare 1") {
		t.Errorf("a part without terms: %v", err)
	}
}

// Archives of the same files are the same bytes.
func TestArchivesAreReproducible(t *testing.T) {
	files := []file{{"fogkeep", 0o755, []byte("program")}, {"LICENSE", 0o644, []byte("terms")}}
	for _, pack := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return tarball(b, "fogkeep-1", files, time.Unix(1e9, 0)) },
		func(b *bytes.Buffer) error { return zipped(b, "fogkeep-1", files, time.Unix(1e9, 0)) },
	} {
		var one, two bytes.Buffer
		if err := pack(&one); err != nil {
			t.Fatal(err)
		}
		if err := pack(&two); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("%v: %d and %d bytes", err, one.Len(), two.Len())
		}
	}
}

// A client in C# or without an SDK needs no sources of the server: the archive has its files.
func TestArchiveOfClients(t *testing.T) {
	t.Chdir("../../..")
	body, err := clients(t.Context(), build{at: time.Unix(1e9, 0)}, "clients")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]bool{"clients/LICENSE": true, "clients/proto/fogkeep/v1/client.proto": true, "clients/proto/csharp/Fogkeep.Client.csproj": true, "clients/proto/testdata/vectors/base.json": true}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		delete(wanted, h.Name)
	}
	if len(wanted) > 0 {
		t.Errorf("the archive lacks %v", wanted)
	}
}
