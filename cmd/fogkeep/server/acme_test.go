package server

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// authority is a small ACME server (RFC 8555): one order at a time, with challenges of TLS-ALPN. It does not check the
// signatures of requests.
type authority struct {
	*httptest.Server
	key  *ecdsa.PrivateKey
	root *x509.Certificate

	mu     sync.Mutex
	reach  string // where it looks for the challenge
	orders []string
	proved bool
	failed bool
	cert   []byte
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{key: key, root: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}}
	der, err := x509.CreateCertificate(rand.Reader, a.root, a.root, key.Public(), key)
	if err == nil {
		a.root, err = x509.ParseCertificate(der)
	}
	if err != nil {
		t.Fatal(err)
	}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	return a
}

func (a *authority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w.Header().Set("Replay-Nonce", rand.Text())
	var jws struct{ Payload string }
	_ = json.NewDecoder(r.Body).Decode(&jws)
	payload, _ := base64.RawURLEncoding.DecodeString(jws.Payload)
	status := "pending"
	if a.proved {
		status = "valid"
	}
	if a.failed {
		status = "invalid"
	}
	switch r.URL.Path {
	case "/":
		fmt.Fprintf(w, `{"newNonce": "%[1]s/nonce", "newAccount": "%[1]s/account", "newOrder": "%[1]s/order"}`, a.URL)
	case "/nonce":
	case "/account":
		w.Header().Set("Location", a.URL+"/account/1")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"status": "valid"}`)
	case "/order":
		var order struct{ Identifiers []struct{ Value string } }
		_ = json.Unmarshal(payload, &order)
		a.orders, a.proved, a.failed, a.cert = append(a.orders, order.Identifiers[0].Value), false, false, nil
		w.Header().Set("Location", a.URL+"/order/1")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"status": "pending", "authorizations": ["%[1]s/authz"], "finalize": "%[1]s/finalize"}`, a.URL)
	case "/authz":
		fmt.Fprintf(w, `{"status": %q, "identifier": {"type": "dns", "value": %q}, "challenges": [{"type": "tls-alpn-01", "url": "%s/challenge", "token": "t", "status": %[1]q}]}`, status, a.orders[len(a.orders)-1], a.URL)
	case "/challenge":
		a.proved = a.prove(r.Context()) == nil
		a.failed = !a.proved
		fmt.Fprintf(w, `{"type": "tls-alpn-01", "url": "%s/challenge", "token": "t", "status": "processing"}`, a.URL)
	case "/order/1":
		if a.proved {
			status = "ready"
		}
		if a.cert != nil {
			status = "valid"
		}
		fmt.Fprintf(w, `{"status": %q, "finalize": "%[2]s/finalize", "certificate": "%[2]s/cert"}`, status, a.URL)
	case "/finalize":
		var order struct{ CSR string }
		_ = json.Unmarshal(payload, &order)
		der, _ := base64.RawURLEncoding.DecodeString(order.CSR)
		csr, err := x509.ParseCertificateRequest(der)
		if err == nil && a.proved {
			a.cert, err = x509.CreateCertificate(rand.Reader, &x509.Certificate{
				SerialNumber: big.NewInt(2), DNSNames: csr.DNSNames, NotBefore: time.Now().Add(-time.Hour), NotAfter: a.root.NotAfter,
			}, a.root, csr.PublicKey, a.key)
		}
		if err != nil || !a.proved {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.Header().Set("Location", a.URL+"/order/1")
		fmt.Fprintf(w, `{"status": "valid", "certificate": "%s/cert"}`, a.URL)
	case "/cert":
		w.Header().Set("Content-Type", "application/pem-certificate-chain")
		_ = pem.Encode(w, &pem.Block{Type: "CERTIFICATE", Bytes: a.cert})
	default:
		http.NotFound(w, r)
	}
}

// prove asks the host for the certificate of the challenge.
func (a *authority) prove(ctx context.Context) error {
	d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, ServerName: a.orders[len(a.orders)-1], NextProtos: []string{"acme-tls/1"}}}
	c, err := d.DialContext(ctx, "tcp", a.reach)
	if err != nil {
		return err
	}
	defer c.Close()
	state := c.(*tls.Conn).ConnectionState()
	for _, x := range state.PeerCertificates[0].Extensions {
		if x.Id.String() == "1.3.6.1.5.5.7.1.31" && state.NegotiatedProtocol == "acme-tls/1" {
			return nil
		}
	}
	return fmt.Errorf("no challenge in the certificate")
}

// TestCertificatesByACME: the player listener gets a certificate for its names alone, at the first connection, and keeps it
// over a restart. The log says why there is none.
func TestCertificatesByACME(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	const name = "play.example.org"
	data, log := t.TempDir(), &logged{}
	trust := x509.NewCertPool()
	trust.AddCert(a.root)
	for round := range 2 {
		t.Run("", func(t *testing.T) {
			s, _ := running(t, func(c *Config) {
				c.DataDir, c.ACME, c.Hooks.Logger = data, []string{a.URL, name}, slog.New(slog.NewTextHandler(log, nil))
			})
			at := strings.TrimPrefix(s.Addresses().Players, "https://")
			dial := func(name string) error {
				client := &http.Client{Transport: &http.Transport{
					TLSClientConfig: &tls.Config{RootCAs: trust}, ForceAttemptHTTP2: true,
					DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
						return (&net.Dialer{}).DialContext(ctx, network, at)
					},
				}}
				defer client.CloseIdleConnections()
				r, err := client.Get("https://" + name + "/livez")
				if err == nil {
					r.Body.Close()
				}
				return err
			}
			a.mu.Lock()
			a.reach = at
			a.mu.Unlock()
			if err := dial("other.example.org"); err == nil {
				t.Error("a certificate for another name")
			}
			if err := dial(name); err != nil {
				t.Errorf("round %d: %v", round, err)
			}
		})
	}
	if len(a.orders) != 1 || a.orders[0] != name {
		t.Errorf("orders: %v, want one for %s", a.orders, name)
	}
}

// TestACMESaysWhatIsWrong: settings that cannot work are refused, and the log names the fault of an order.
func TestACMESaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*Config){
		"--tls-acme and --tls are both set":                    func(c *Config) { c.TLS = []string{"a", "b"} },
		`--tls-acme: the directory "http://ca.example.org"`:    func(c *Config) { c.ACME = append(c.ACME, "http://ca.example.org") },
		"--tls-acme https://play.example.org: want host names": func(c *Config) { c.ACME = []string{"https://play.example.org"} },
		"--tls-acme: ": func(c *Config) { c.ACME = []string{"play.example.org:443"} },
	} {
		c := local(t)
		c.ACME = []string{"play.example.org"}
		change(&c)
		if err := c.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	a, c, log := newAuthority(t), local(t), &logged{}
	c.ACME = []string{"play.example.org", a.URL} // which reaches no listener
	get := c.acme(slog.New(slog.NewTextHandler(log, nil))).GetCertificate
	hello := &tls.ClientHelloInfo{ServerName: "play.example.org", SupportedVersions: []uint16{tls.VersionTLS13}, CipherSuites: []uint16{tls.TLS_AES_128_GCM_SHA256}}
	for range 2 {
		if _, err := get(hello); err == nil {
			t.Error("a certificate without a proof")
		}
	}
	if n := log.with("no certificate by ACME", "host=play.example.org"); n != 1 {
		t.Errorf("%d lines name the fault, want 1: %s", n, &log.text)
	}
}
