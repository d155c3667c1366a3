package server

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/rules/rulesfile"
	"github.com/fogkeep/fogkeep/web"
)

// mapCatalogue is the catalogue of maps as the lobby asks for it.
type mapCatalogue struct{ *mapfile.Catalogue }

var _ model.Maps = mapCatalogue{}

func (c mapCatalogue) Maps() []model.MapInfo {
	var out []model.MapInfo
	for _, e := range c.List() {
		out = append(out, mapInfoOf(e))
	}
	return out
}

func (c mapCatalogue) Map(id string) (model.MapInfo, bool) {
	e, ok := c.ByID(id)
	if !ok {
		return model.MapInfo{}, false
	}
	return mapInfoOf(e), true
}

func mapInfoOf(e mapfile.Entry) model.MapInfo {
	return model.MapInfo{
		ID: e.ID, Name: e.Map.Name, Hash: e.Hash.String(),
		Width: e.Map.W, Height: e.Map.H, Starts: len(e.Map.Starts),
	}
}

// ServeHTTP serves a map's public form by its hash, which never changes, under
// /maps/{hash}. A client that takes gzip gets gzip: it is made once, and the same for all
// clients.
func (c mapCatalogue) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	hash, err := grid.ParseMapHash(r.PathValue("hash"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	public, ok := c.Public(hash)
	if !ok {
		http.Error(w, "no map has that hash", http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	// A part of a map is asked for in its plain form's bytes.
	if r.Header.Get("Range") == "" && web.Accepts(r.Header, "gzip") {
		if packed, ok := c.Packed(hash); ok {
			h.Set("Content-Encoding", "gzip")
			h.Set("Content-Length", strconv.Itoa(len(packed)))
			if r.Method != http.MethodHead {
				_, _ = w.Write(packed) // a client that has gone is its own affair
			}
			return
		}
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(public))
}

// rulesetLibrary is the rulesets that are offered now: a library, and the published packs.
type rulesetLibrary struct {
	atomic.Pointer[rulesfile.Library]
	packs *offeredPacks // nil: there are no packs
}

// find returns an offered ruleset, and the hash of its pack or "".
func (l *rulesetLibrary) find(id string) (rs *rules.Ruleset, packHash string, ok bool) {
	if e, ok := l.Load().ByID(id); ok {
		return e.Rules, "", true
	}
	if rs, p, ok := l.packs.ruleset(id); ok {
		return rs, p.Hash, true
	}
	return nil, "", false
}

// ids lists the ids of the rulesets.
func (l *rulesetLibrary) ids() (out []string) {
	for _, info := range l.infos() {
		out = append(out, info.ID)
	}
	return out
}

func infoOf(id string, rs *rules.Ruleset) model.RulesetInfo {
	info := model.RulesetInfo{ID: id, Name: rs.Name, Hash: rs.Hash.String()}
	for i := range rs.Modes {
		info.Modes = append(info.Modes, rs.Modes[i].Name)
	}
	for _, f := range rs.Factions {
		faction := model.FactionInfo{Name: f.Name, Text: f.Text}
		if f.Color != 0 {
			faction.Color = fmt.Sprintf("#%06x", f.Color)
		}
		info.Factions = append(info.Factions, faction)
	}
	return info
}

// infos lists the rulesets as the lobby asks for them.
func (l *rulesetLibrary) infos() (out []model.RulesetInfo) {
	for _, e := range l.Load().List() {
		out = append(out, infoOf(e.ID, e.Rules))
	}
	for _, p := range l.packs.list() {
		for _, rs := range p.Rulesets {
			info := infoOf(rs.ID, rs.Rules)
			if info.Pack, info.PackHash = p.Title, p.Hash; !slices.ContainsFunc(out, func(o model.RulesetInfo) bool { return o.ID == info.ID }) {
				out = append(out, info)
			}
		}
	}
	return out
}
