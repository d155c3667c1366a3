package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// part is a module of others in the programs: of Go, or of their pages.
type part struct {
	kind          string // "golang" or "npm", as in package URLs
	name, version string
	folder        string   // with its terms
	licence       string   // by its SPDX name; "": not stated
	in            []string // names of the programs with it
}

// url is the part's package URL.
func (p part) url() string {
	name := p.name
	if p.kind == "npm" {
		name = strings.Replace(name, "@", "%40", 1)
	}
	return fmt.Sprintf("pkg:%s/%s@%s", p.kind, name, p.version)
}

// partsOf lists the modules that the programs name, the packages of their pages, and Go itself.
func partsOf(ctx context.Context, programs []program) ([]part, error) {
	root, err := output(ctx, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	out := []part{{kind: "golang", name: "std", folder: root, licence: "BSD-3-Clause"}}
	pages, err := pageParts("web")
	if err != nil {
		return nil, err
	}
	for _, p := range programs {
		info, err := buildinfo.ReadFile(p.path)
		if err != nil {
			return nil, err
		}
		out[0].version, out[0].in = strings.TrimPrefix(info.GoVersion, "go"), append(out[0].in, p.name)
		for _, m := range info.Deps {
			if m.Replace != nil {
				return nil, fmt.Errorf("module %s is replaced: a release has published modules alone", m.Path)
			}
			if i := slices.IndexFunc(out, func(known part) bool { return known.name == m.Path }); i >= 0 {
				out[i].in = append(out[i].in, p.name)
				continue
			}
			folder, err := output(ctx, "go", "list", "-m", "-f", "{{.Dir}}", m.Path)
			if err != nil {
				return nil, fmt.Errorf("go list -m %s: %w", m.Path, err)
			}
			out = append(out, part{kind: "golang", name: m.Path, version: m.Version, folder: folder, in: []string{p.name}})
		}
		for i := range pages {
			pages[i].in = append(pages[i].in, p.name)
		}
	}
	return append(out, pages...), nil
}

// pageParts lists the packages that the pages are built from, without the packages for development.
func pageParts(web string) (out []part, err error) {
	b, err := os.ReadFile(filepath.Join(web, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version     string `json:"version"`
			License     string `json:"license"`
			Dev         bool   `json:"dev"`
			DevOptional bool   `json:"devOptional"`
			Optional    bool   `json:"optional"`
			Peer        bool   `json:"peer"`
			Link        bool   `json:"link"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(b, &lock); err != nil {
		return nil, fmt.Errorf("package-lock.json: %w", err)
	}
	for path, p := range lock.Packages {
		if name, ok := strings.CutPrefix(path, "node_modules/"); ok && !p.Dev && !p.DevOptional && !p.Optional && !p.Peer && !p.Link {
			out = append(out, part{kind: "npm", name: name, version: p.Version, folder: filepath.Join(web, path), licence: p.License})
		}
	}
	slices.SortFunc(out, func(a, b part) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// licences are the names of files with the terms of a part.
var licences = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-.].*)?$`)

// noticesOf returns the terms of all parts. A part that does not state its terms is an error.
func noticesOf(parts []part) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("fogkeep contains the following works of others, under their own terms.\n")
	var missing []error
	for _, p := range parts {
		entries, err := os.ReadDir(p.folder)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "\n%s\n%s %s (%s)\n", strings.Repeat("=", 80), p.name, p.version, p.kind)
		found := false
		for _, e := range entries {
			if e.IsDir() || !licences.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(p.folder, e.Name()))
			if err != nil {
				return nil, err
			}
			found = true
			fmt.Fprintf(&b, "\n--- %s\n\n%s\n", e.Name(), bytes.TrimSpace(text))
		}
		if !found && p.licence != "" {
			fmt.Fprintf(&b, "\nIts package states the terms by name: %s.\n", p.licence)
		} else if !found {
			missing = append(missing, fmt.Errorf("%s %s: no file with its terms", p.name, p.version))
		}
	}
	return b.Bytes(), errors.Join(missing...)
}

// spdx returns the list of parts as an SPDX 2.3 document.
func spdx(b build, name string, programs []program, parts []part) ([]byte, error) {
	type reference struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	type checksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	type pack struct {
		ID         string      `json:"SPDXID"`
		Name       string      `json:"name"`
		Version    string      `json:"versionInfo"`
		Location   string      `json:"downloadLocation"`
		Analyzed   bool        `json:"filesAnalyzed"`
		Concluded  string      `json:"licenseConcluded"`
		Declared   string      `json:"licenseDeclared"`
		Copyright  string      `json:"copyrightText"`
		Checksums  []checksum  `json:"checksums,omitempty"`
		References []reference `json:"externalRefs,omitempty"`
	}
	type relation struct {
		From string `json:"spdxElementId"`
		Type string `json:"relationshipType"`
		To   string `json:"relatedSpdxElement"`
	}
	const unknown, document = "NOASSERTION", "SPDXRef-DOCUMENT"
	var packs []pack
	var relations []relation
	all := sha256.New()
	for _, p := range programs {
		sum := sha256.Sum256(p.body)
		all.Write(sum[:])
		packs = append(packs, pack{
			ID: "SPDXRef-" + p.name, Name: p.name, Version: b.version, Location: unknown, Concluded: unknown, Declared: "Apache-2.0", Copyright: unknown,
			Checksums: []checksum{{"SHA256", hex.EncodeToString(sum[:])}},
		})
		relations = append(relations, relation{document, "DESCRIBES", "SPDXRef-" + p.name})
	}
	text := hex.EncodeToString(all.Sum(nil))
	for i, p := range parts {
		id := fmt.Sprintf("SPDXRef-part-%d", i+1)
		packs = append(packs, pack{
			ID: id, Name: p.name, Version: p.version, Location: unknown, Concluded: unknown, Declared: cmp.Or(p.licence, unknown), Copyright: unknown,
			References: []reference{{"PACKAGE-MANAGER", "purl", p.url()}},
		})
		for _, in := range p.in {
			relations = append(relations, relation{"SPDXRef-" + in, "CONTAINS", id})
		}
	}
	return json.MarshalIndent(map[string]any{
		"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": document, "name": name,
		"documentNamespace": "https://spdx.org/spdxdocs/" + name + "-" + text,
		"creationInfo":      map[string]any{"created": b.at.Format(time.RFC3339), "creators": []string{"Tool: fogkeep-release"}},
		"packages":          packs, "relationships": relations,
	}, "", " ")
}
