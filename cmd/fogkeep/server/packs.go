package server

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/pack"
	"github.com/fogkeep/fogkeep/match/rules"
)

// offeredPacks is the packs of the server's folder. Lobbies choose rulesets and maps of the published ones; clients get the files
// of all.
type offeredPacks struct {
	log     *slog.Logger
	maps    mapCatalogue
	dir     string
	shipped *pack.Library

	adding sync.Mutex // a file that is checked

	mu        sync.RWMutex
	library   *pack.Library
	published []model.PublishedPack
	offered   []*pack.Pack
	folder    *mapfile.Library // the maps of no pack
}

var _ model.Packs = (*offeredPacks)(nil)

func (c *Config) packsDir() string { return filepath.Join(cmp.Or(c.ContentDir, c.DataDir), "packs") }

// packs reads the packs of the operator's folder.
func (c *Config) packs(log *slog.Logger) (*pack.Library, error) {
	l, refused, err := pack.OpenLibrary(c.packsDir())
	if err != nil {
		return nil, fmt.Errorf("packs: %w", err)
	}
	for _, err := range refused {
		log.Warn("a pack is left out", "err", err)
	}
	return l, nil
}

// shippedPacks is the library of the pack of missions that every server has. No list of rulesets has its ruleset.
func shippedPacks() (*pack.Library, error) {
	p, err := pack.Shipped()
	if err != nil {
		return nil, err
	}
	return new(pack.Library).With(p)
}

// playable lists the shipped pack and the offered ones.
func (s *offeredPacks) playable() []*pack.Pack {
	if s == nil {
		return nil
	}
	return append(s.shipped.List(), s.list()...)
}

func (s *offeredPacks) Missions() (out []model.Mission) {
	for _, p := range s.playable() {
		for _, m := range p.Missions {
			out = append(out, model.Mission{ID: p.Name + "/" + m.ID, Pack: p.Hash, Scenario: m.ID})
		}
	}
	return out
}

func (s *offeredPacks) Packs() (out []model.PackInfo) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, p := range s.library.List() {
		out = append(out, packInfo(p))
	}
	return out
}

func packInfo(p *pack.Pack) model.PackInfo {
	info := model.PackInfo{
		Name: p.Name, Title: p.Title, Version: p.Version, Licence: p.Licence, About: p.About, Hash: p.Hash,
		Rulesets: []string{}, Maps: []string{}, Scenarios: []model.PackScenario{},
	}
	for _, rs := range p.Rulesets {
		info.Rulesets = append(info.Rulesets, rs.ID)
	}
	for _, m := range p.Maps {
		info.Maps = append(info.Maps, m.Name)
	}
	for _, x := range p.Scenarios {
		info.Scenarios = append(info.Scenarios, model.PackScenario{ID: x.Name, Name: x.Title})
	}
	return info
}

// The lobby refuses larger files before it reads them.
const _ = uint(pack.BytesMax-model.PackBytesMax) + uint(model.PackBytesMax-pack.BytesMax)

// packFaultsMax bounds the text of a faulty pack's error, in characters.
const packFaultsMax = 4000

func (s *offeredPacks) Add(file []byte) (info model.PackInfo, err error) {
	if !s.adding.TryLock() {
		return info, model.Busy
	}
	defer s.adding.Unlock()
	s.mu.RLock()
	l := s.library
	s.mu.RUnlock()
	p, err := pack.Read(file, l.Named)
	if err == nil {
		_, err = l.With(p)
	}
	if err != nil {
		return info, model.Refuse(model.BadPack, "%s", model.CutText(err.Error(), packFaultsMax))
	}
	if err := p.Write(filepath.Join(s.dir, p.FileName())); err != nil && !errors.Is(err, fs.ErrExist) {
		return info, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l, err = s.library.With(p); err == nil {
		s.library = l
		s.offer() // it may be published already, by another node
	}
	return packInfo(p), err
}

func (s *offeredPacks) Scenario(hash, id string) ([]byte, bool) {
	for _, p := range s.playable() { // and not of all: an admin decides
		for _, x := range p.Scenarios {
			if p.Hash == hash && x.Name == id {
				return x.Text, true
			}
		}
	}
	return nil, false
}

func (s *offeredPacks) Offer(published []model.PublishedPack) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.published, published) {
		s.published = published
		s.offer()
	}
}

// replace takes a library read anew. The packs that were there before stay for clients of matches and replays.
func (s *offeredPacks) replace(l *pack.Library) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.Keep(s.library)
	s.library = l
	s.offer()
}

// replaceMaps takes maps read anew.
func (s *offeredPacks) replaceMaps(l *mapfile.Library) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folder = l
	s.offer()
}

// offer offers the published packs. s.mu is held.
func (s *offeredPacks) offer() {
	s.offered = nil
	var maps []*grid.Map
	for _, p := range s.published {
		if at := s.library.ByHash(p.Hash); at != nil {
			s.offered = append(s.offered, at)
			maps = append(maps, at.Maps...)
		} else {
			s.log.Warn("a published pack is not in the folder of packs", "pack", p.Name, "hash", p.Hash)
		}
	}
	s.maps.Replace(s.folder.With(maps))
}

// ruleset returns an offered ruleset and its pack.
func (s *offeredPacks) ruleset(id string) (*rules.Ruleset, *pack.Pack, bool) {
	for _, p := range s.playable() {
		for _, rs := range p.Rulesets {
			if rs.ID == id {
				return rs.Rules, p, true
			}
		}
	}
	return nil, nil, false
}

// packOf returns the hash of a pack with a ruleset of that content, "" if there is none: for matches that begin from a
// state with its rules.
func (s *offeredPacks) packOf(rs rules.RulesHash) string {
	if s == nil {
		return ""
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, p := range append(s.shipped.List(), s.library.List()...) {
		if slices.ContainsFunc(p.Rulesets, func(x pack.Ruleset) bool { return x.Rules.Hash == rs }) {
			return p.Hash
		}
	}
	return ""
}

func (s *offeredPacks) list() []*pack.Pack {
	if s == nil {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.offered
}

// ServeHTTP serves the index of a pack by the pack's hash, and a file of a pack by its own, under /packs/{hash}.
func (s *offeredPacks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.RLock()
	b, kind, ok := s.library.File(r.PathValue("hash"))
	s.mu.RUnlock()
	if !ok {
		b, kind, ok = s.shipped.File(r.PathValue("hash"))
	}
	if !ok {
		http.Error(w, "no pack or file of a pack has that hash here", http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(b)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(b) // a client that has gone is its own affair
	}
}
