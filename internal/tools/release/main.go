package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/internal/cli"
)

type releaseCmd struct {
	Out     string   `default:"artefacts/release" help:"Folder for the files. Earlier ones in it are deleted."`
	Targets []string `default:"linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64" help:"Platforms, as os/architecture."`
	As      string   `help:"Version in place of the newest in CHANGELOG.md, to try an upgrade."`
	Check   bool     `help:"Build the first platform a second time in another folder with an empty cache, and compare."`
}

func main() {
	cli.Main("release", "Build the files of a release.", &struct {
		Release releaseCmd `cmd:"" default:"withargs" help:"Build the files of a release."`
	}{})
}

// build is the commit that is built.
type build struct {
	version, commit string
	at              time.Time
}

// file is a file of an archive.
type file struct {
	name string
	mode int64
	body []byte
}

// Run builds all files.
func (c *releaseCmd) Run(in *cli.Invocation) error {
	b, err := currentBuild(in.Ctx)
	if err != nil {
		return err
	}
	b.version = cmp.Or(c.As, b.version)
	if err := errors.Join(os.RemoveAll(c.Out), os.MkdirAll(c.Out, 0o755)); err != nil {
		return err
	}
	var made []string
	for i, target := range c.Targets {
		in.Progress("building %s", target)
		paths, err := c.one(in.Ctx, b, target, i == 0 && c.Check)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		made = append(made, paths...)
	}
	if c.As == "" {
		in.Progress("packing the SDKs")
		paths, err := sdks(in.Ctx, b, c.Out)
		if err != nil {
			return fmt.Errorf("SDKs: %w", err)
		}
		made = append(made, paths...)
	}
	slices.Sort(made)
	var sums bytes.Buffer
	for _, name := range made {
		body, err := os.ReadFile(filepath.Join(c.Out, name))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(body)
		fmt.Fprintf(&sums, "%s  %s\n", hex.EncodeToString(sum[:]), name)
	}
	if err := os.WriteFile(filepath.Join(c.Out, "SHA256SUMS"), sums.Bytes(), 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(in.Stdout, "fogkeep %s of %s, commit %s, in %s:\n%s", b.version, b.at.Format(time.DateOnly), b.commit, c.Out, &sums)
	return err
}

// heading is the newest entry of the changelog.
var heading = regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)`)

// currentBuild returns the version of the changelog and the checked-out commit. Files that are not committed are an
// error: no other machine could build the same.
func currentBuild(ctx context.Context) (b build, err error) {
	log, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return b, err
	}
	m := heading.FindSubmatch(log)
	if m == nil {
		return b, errors.New(`CHANGELOG.md has no heading such as "## 0.1.0"`)
	}
	b.version = string(m[1])
	if dirty, err := output(ctx, "git", "status", "--porcelain"); err != nil || dirty != "" {
		return b, errors.Join(err, fmt.Errorf("files are not committed:\n%s", dirty))
	}
	line, err := output(ctx, "git", "log", "-1", "--format=%H %cI")
	if err != nil {
		return b, err
	}
	commit, at, _ := strings.Cut(line, " ")
	b.commit = commit[:12]
	b.at, err = time.Parse(time.RFC3339, at)
	b.at = b.at.UTC()
	return b, err
}

func output(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	return strings.TrimSpace(string(out)), err
}

// one builds the archive and the list of modules of one platform, and returns their names.
func (c *releaseCmd) one(ctx context.Context, b build, target string, check bool) ([]string, error) {
	system, arch, ok := strings.Cut(target, "/")
	if !ok {
		return nil, errors.New("want os/architecture")
	}
	dir, err := os.MkdirTemp("", "fogkeep-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	built, err := compile(ctx, ".", dir, b, system, arch)
	if err != nil {
		return nil, err
	}
	if check {
		if err := same(ctx, built, b, system, arch); err != nil {
			return nil, err
		}
	}
	parts, err := partsOf(ctx, built)
	if err != nil {
		return nil, err
	}
	notices, err := noticesOf(parts)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("fogkeep-%s-%s-%s", b.version, system, arch)
	sbom, err := spdx(b, name, built, parts)
	if err != nil {
		return nil, err
	}
	files := []file{{"THIRD_PARTY_NOTICES", 0o644, notices}, {"fogkeep.spdx.json", 0o644, sbom}}
	for _, p := range built {
		if system == "windows" {
			p.name += ".exe"
		}
		files = append(files, file{p.name, 0o755, p.body})
	}
	for _, path := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files = append(files, file{path, 0o644, text})
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	pack, ext := tarball, ".tar.gz"
	if system == "windows" {
		pack, ext = zipped, ".zip"
	}
	var archive bytes.Buffer
	if err := pack(&archive, name, files, b.at); err != nil {
		return nil, err
	}
	out := []string{name + ext, name + ".spdx.json"}
	err = errors.Join(
		os.WriteFile(filepath.Join(c.Out, out[0]), archive.Bytes(), 0o644),
		os.WriteFile(filepath.Join(c.Out, out[1]), sbom, 0o644),
	)
	if err != nil || system != "linux" {
		return out, err
	}
	deb := fmt.Sprintf("fogkeep_%s_%s.deb", b.version, arch)
	return append(out, deb), debian(ctx, b, files, arch, filepath.Join(c.Out, deb))
}

// sdkFolders are the folders that a client in C# or without an SDK needs.
var sdkFolders = []string{"LICENSE", "proto/fogkeep", "proto/csharp", "proto/testdata/vectors"}

// sdks writes the packages of npm, and an archive with the schema, the C# sources and the vectors; returns their names.
// npm gives all files of a package the same time.
func sdks(ctx context.Context, b build, out string) ([]string, error) {
	out, err := filepath.Abs(out)
	if err != nil {
		return nil, err
	}
	pack := exec.CommandContext(ctx, "npm", "pack", "./sdk", "./create", "--silent", "--pack-destination", out)
	pack.Dir = "web"
	printed, err := pack.Output()
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("fogkeep-%s-proto", b.version)
	archive, err := clients(ctx, b, name)
	if err != nil {
		return nil, err
	}
	name += ".tar.gz"
	return append(strings.Fields(string(printed)), name), os.WriteFile(filepath.Join(out, name), archive, 0o644)
}

// clients returns the archive for clients that use no package of npm.
func clients(ctx context.Context, b build, name string) ([]byte, error) {
	listed, err := output(ctx, "git", append([]string{"ls-files", "--"}, sdkFolders...)...)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, path := range strings.Fields(listed) {
		body, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files = append(files, file{path, 0o644, body})
	}
	var archive bytes.Buffer
	err = tarball(&archive, name, files, b.at)
	return archive.Bytes(), err
}

// packager is the program that writes packages. It is no module of the product: nfpm has many.
const packager = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.44.1"

// debian writes a package with the files.
func debian(ctx context.Context, b build, files []file, arch, to string) error {
	dir, err := os.MkdirTemp("", "fogkeep-deb-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.body, os.FileMode(f.mode)); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, "go", "run", packager, "package", "--config", "scripts/package/debian/nfpm.yaml", "--packager", "deb", "--target", to)
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "FOGKEEP_VERSION="+b.version, "FOGKEEP_ARCH="+arch, "FOGKEEP_FILES="+dir,
		"SOURCE_DATE_EPOCH="+strconv.FormatInt(b.at.Unix(), 10))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("nfpm: %w\n%s", err, out)
	}
	return nil
}

// programs are the programs of a release.
var programs = []string{"fogkeep", "fogkeep-bench"}

// program is a built one.
type program struct {
	name, path string
	body       []byte
}

// compile builds the programs of the sources in a folder.
func compile(ctx context.Context, folder, to string, b build, system, arch string, env ...string) (out []program, err error) {
	const set = "github.com/fogkeep/fogkeep/internal/telemetry."
	flags := fmt.Sprintf("-s -w -buildid= -X %srelease=%s -X %scommit=%s -X %sdate=%s", set, b.version, set, b.commit, set, b.at.Format(time.DateOnly))
	for _, name := range programs {
		p := program{name: name, path: filepath.Join(to, name)}
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", p.path, "./cmd/"+name)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), append([]string{"CGO_ENABLED=0", "GOOS=" + system, "GOARCH=" + arch, "GOFLAGS=-mod=readonly"}, env...)...)
		if printed, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go build: %w\n%s", err, printed)
		}
		if p.body, err = os.ReadFile(p.path); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// same compares programs with a second build in another folder, with an empty cache.
func same(ctx context.Context, first []program, b build, system, arch string) error {
	dir, err := os.MkdirTemp("", "fogkeep-again-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sources := filepath.Join(dir, "sources")
	if _, err := output(ctx, "git", "clone", "--quiet", "--no-hardlinks", ".", sources); err != nil {
		return fmt.Errorf("git clone: %w", err)
	}
	const pages = "web/dist/site" // built, not committed
	if err := os.CopyFS(filepath.Join(sources, pages), os.DirFS(pages)); err != nil {
		return err
	}
	second, err := compile(ctx, sources, dir, b, system, arch, "GOCACHE="+filepath.Join(dir, "cache"))
	if err != nil {
		return err
	}
	for i, p := range second {
		if !bytes.Equal(first[i].body, p.body) {
			return fmt.Errorf("a second build of %s in another folder has other bytes", p.name)
		}
	}
	return nil
}

// tarball writes a .tar.gz with the files in one folder.
func tarball(w io.Writer, folder string, files []file, at time.Time) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: folder + "/" + f.name, Mode: f.mode, Size: int64(len(f.body)), ModTime: at, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.body); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

// zipped writes a .zip with the files in one folder.
func zipped(w io.Writer, folder string, files []file, at time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(os.FileMode(f.mode))
		to, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := to.Write(f.body); err != nil {
			return err
		}
	}
	return z.Close()
}
