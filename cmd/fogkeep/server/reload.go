package server

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/fogkeep/fogkeep/internal/telemetry"
)

// levelFile is the file in the data folder whose level counts before --log-level.
const levelFile = "log-level"

// Level returns the lowest level that the server logs: from the file log-level in the
// data folder, or LogLevel without that file.
func (c *Config) Level() (slog.Level, error) {
	path := filepath.Join(c.DataDir, levelFile)
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) { // New reports the folder's error
		return 0, fmt.Errorf("%s: %w", path, cause(err))
	}
	text := strings.TrimSpace(string(raw))
	level, err := telemetry.ParseLevel(cmp.Or(text, c.LogLevel))
	if err != nil && text != "" {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return level, err
}

// Reload reads the certificates, the level of the log, rulesets, maps and queues again,
// and uses the changes for connections and matches that begin later. Running matches go on
// as they began. Unreadable files stay as they were; the log and the error name them. Any
// goroutine may call it.
func (s *Server) Reload() error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	var all error
	for _, x := range []struct {
		part string
		do   func() error
	}{
		{"log level", s.reloadLevel},
		{"certificate", s.players.LoadCertificate},
		{"cluster certificate", s.reloadMember},
		{"rulesets", s.reloadRulesets},
		{"maps", s.reloadMaps},
		{"packs", s.reloadPacks},
		{"queues", s.reloadQueues},
	} {
		if err := x.do(); err != nil {
			s.log.Error("a part of the configuration stays as it was", "part", x.part, "err", err)
			all = errors.Join(all, err)
		}
	}
	s.log.Info("configuration read again", "rulesets", len(s.rulesets.Load().List()), "maps", len(s.app.maps.List()), "queues", len(s.app.lobby.Queue.Queues()))
	return all
}

func (s *Server) reloadLevel() error {
	level, err := s.cfg.Level()
	if err == nil && s.cfg.Hooks.Level != nil {
		s.cfg.Hooks.Level.Set(level)
	}
	return err
}

func (s *Server) reloadMember() error {
	if s.app.node == nil {
		return nil
	}
	return s.app.node.folder.Renew()
}

func (s *Server) reloadRulesets() error {
	if err := checkFolder("--content-dir", s.cfg.ContentDir); err != nil {
		return err
	}
	l, err := s.cfg.rulesets(s.log, s.rulesets.Load())
	if err == nil {
		s.rulesets.Store(l)
	}
	return err
}

func (s *Server) reloadMaps() error {
	if err := checkFolder("--content-dir", s.cfg.ContentDir); err != nil {
		return err
	}
	l, err := s.cfg.maps(s.log, s.app.maps.Offered())
	if err == nil {
		s.app.packs.replaceMaps(l)
	}
	return err
}

func (s *Server) reloadPacks() error {
	l, err := s.cfg.packs(s.log)
	if err == nil {
		s.app.packs.replace(l)
	}
	return err
}

func (s *Server) reloadQueues() error {
	queues, err := s.cfg.queues()
	if err == nil {
		err = s.app.lobby.Queue.SetQueues(queues)
	}
	return err
}
