package server

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
	"golang.org/x/time/rate"

	"github.com/fogkeep/fogkeep/internal/listen"
)

// checkACME checks the settings of certificates by ACME.
func (c *Config) checkACME() error {
	if len(c.ACME) == 0 {
		return nil
	}
	if len(c.TLS) > 0 {
		return fmt.Errorf("--tls-acme and --tls are both set: choose one origin of the certificate")
	}
	directory, names := c.authority()
	if _, err := listen.ParseHosts(names); err != nil {
		return fmt.Errorf("--tls-acme: %w", err)
	}
	if u, err := url.Parse(directory); err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !onlyHere(u.Host)) {
		return fmt.Errorf("--tls-acme: the directory %q: want https://host/path", directory)
	}
	if len(names) == 0 || len(names) < len(c.ACME)-1 {
		return fmt.Errorf("--tls-acme %s: want host names, and at most one directory", strings.Join(c.ACME, ","))
	}
	return nil
}

// authority returns the directory and the host names of --tls-acme.
func (c *Config) authority() (directory string, names []string) {
	directory = autocert.DefaultACMEDirectory
	for _, item := range c.ACME {
		if strings.Contains(item, "://") {
			directory = item
		} else {
			names = append(names, item)
		}
	}
	return directory, names
}

// acme returns the settings of TLS for a listener that gets its certificates by ACME, or nil. The data folder keeps the
// certificates and the account's key.
func (c *Config) acme(log *slog.Logger) *tls.Config {
	if len(c.ACME) == 0 {
		return nil
	}
	directory, names := c.authority()
	m := &autocert.Manager{
		Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(names...), Cache: autocert.DirCache(filepath.Join(c.DataDir, "acme")),
		Client: &acme.Client{DirectoryURL: directory, UserAgent: "fogkeep"},
	}
	t, line := m.TLSConfig(), rate.Sometimes{First: 1, Interval: time.Minute}
	t.GetCertificate = func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		cert, err := m.GetCertificate(hello)
		if err != nil && slices.Contains(names, hello.ServerName) { // scanners ask for others
			line.Do(func() {
				log.Warn("no certificate by ACME: does port 443 of the name lead here?", "host", hello.ServerName, "err", err)
			})
		}
		return cert, err
	}
	return t
}
