package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// certificate writes one for 127.0.0.1 and play.example.org, and returns its files, and who trusts it.
func certificate(t *testing.T) (cert, key string, trust *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	shape := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "fogkeep"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"play.example.org"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, shape, shape, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trust = x509.NewCertPool()
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	trust.AddCert(made)
	return cert, key, trust
}

// TestServeTLS: with certificate files the players' listener speaks TLS alone, in
// HTTP/1.1 and HTTP/2; cookies are kept to it; events and match come through it.
func TestServeTLS(t *testing.T) {
	t.Parallel()
	cert, key, trust := certificate(t)
	s := start(t, t.TempDir(), "--log-level=error", "--tls", cert+","+key)
	play := s.url(t, "play")
	if !strings.HasPrefix(play, "https://") {
		t.Fatalf("players are sent to %s", play)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}, ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	player := visitor(t, play)
	player.HTTP, player.Header = client, http.Header{"Origin": {play}}
	player.dialer = &websocket.Dialer{TLSClientConfig: &tls.Config{RootCAs: trust}}
	res, err := client.Post(play+"/api/guest", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if k := res.Header.Get("Set-Cookie"); res.StatusCode != 200 || res.ProtoMajor != 2 || !strings.HasPrefix(k, "__Host-fogkeep=") || !strings.Contains(k, "; Secure") {
		t.Errorf("%d, HTTP/%d, cookie %q", res.StatusCode, res.ProtoMajor, k)
	}
	id := player.playBot("").ID
	events, err := client.Get(play + "/api/lobbies/" + id + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer events.Body.Close()
	if lines := bufio.NewScanner(events.Body); events.StatusCode != 200 || !lines.Scan() || !strings.HasPrefix(lines.Text(), "id: ") {
		t.Errorf("events: %d %q", events.StatusCode, lines.Text())
	}
	if w, closing := player.open(player.ticket(id)).welcome(); w == nil {
		t.Fatalf("closed with %v", closing)
	}
	// Nothing is answered in the clear.
	clear, err := http.Get("http" + strings.TrimPrefix(play, "https") + "/api/maps")
	if err == nil {
		clear.Body.Close()
		if clear.StatusCode != http.StatusBadRequest {
			t.Errorf("in the clear: %d", clear.StatusCode)
		}
	}
	old := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}}}
	if res, err := old.Get(play + "/readyz"); err == nil {
		res.Body.Close()
		t.Error("TLS 1.1 is spoken")
	}
}
