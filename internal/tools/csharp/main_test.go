package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

const root = "../../.."

// TestFilesAreFresh: the committed files are what this tool makes.
func TestFilesAreFresh(t *testing.T) {
	files, err := makeFiles(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, gen, name))
		if err != nil || string(got) != want {
			t.Errorf("%s/%s is stale (%v): run go generate ./internal/tools/csharp", gen, name, err)
		}
	}
	there, err := os.ReadDir(filepath.Join(root, gen))
	if err != nil || len(there) != len(files) {
		t.Errorf("%s has %d files, the tool makes %d (%v)", gen, len(there), len(files), err)
	}
}

// TestEveryFieldIsRead: each field of the schema is declared, read and written, with the comment that the schema has.
func TestEveryFieldIsRead(t *testing.T) {
	files, err := makeFiles(root)
	if err != nil {
		t.Fatal(err)
	}
	text := files["Messages.cs"]
	fields := 0
	for _, f := range []protoreflect.FileDescriptor{pb.File_fogkeep_v1_client_proto, pb.File_fogkeep_v1_server_proto} {
		for i := range f.Messages().Len() {
			m := f.Messages().Get(i)
			_, class, ok := strings.Cut(text, "public sealed class "+string(m.Name())+" :")
			class, _, _ = strings.Cut(class, "\n    }\n")
			for j := range m.Fields().Len() {
				d := m.Fields().Get(j)
				made, err := fieldOf(d)
				if err != nil {
					t.Fatal(err)
				}
				fields++
				for _, part := range []string{" " + made.Name + " { get;", made.Read, made.Write} {
					if !ok || !strings.Contains(class, part) {
						t.Errorf("%s: the class does not have %q", d.FullName(), part)
					}
				}
			}
		}
	}
	if fields < 200 {
		t.Errorf("only %d fields: the walk is broken", fields)
	}
	for _, said := range []string{"/// <summary>A ticket of the lobby. It can be used once.</summary>", "/// COURSE. How an entity moves, in one number:", "/// <summary>have a look there</summary>"} {
		if !strings.Contains(text, said) {
			t.Errorf("the comment %q is lost", said)
		}
	}
}
