package natsnode

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The authority's key and certificate lie in the folder that Init makes, beside the folders of the nodes.
const (
	fileCAKey   = "ca-key.pem"
	fileCluster = "cluster.json"
)

// How long certificates are good. [Update] makes new ones at any time.
const (
	caYears   = 20
	certYears = 5
)

// Plan lists the parts of a cluster. A name may be in both lists: such a node runs a journal server.
type Plan struct {
	Servers []Server `json:"servers"`
	Nodes   []string `json:"nodes"`
	// StoreMiB bounds what a journal server keeps on disk; 0: [StoreBytesDefault].
	StoreMiB int `json:"store_mib,omitempty"`
}

// clusterFile is cluster.json.
type clusterFile struct {
	Version int    `json:"version"`
	Cluster string `json:"cluster"`
	Plan
}

func (p Plan) check() error {
	if _, err := Replicas(len(p.Servers)); err != nil {
		return fmt.Errorf("servers: %w", err)
	}
	if n := p.StoreMiB; n != 0 && (n < storeMiBMin || n > storeMiBMax) {
		return fmt.Errorf("store_mib: %d: want %d to %d", n, storeMiBMin, storeMiBMax)
	}
	if len(p.Nodes) > NodesMax {
		return fmt.Errorf("nodes: %d are too many: at most %d", len(p.Nodes), NodesMax)
	}
	names, addresses := map[string]bool{}, map[string]string{}
	for i, s := range p.Servers {
		if err := s.check(); err != nil {
			return fmt.Errorf("servers[%d]: %w", i, err)
		}
		if names[s.Name] {
			return fmt.Errorf("servers[%d]: name %q is there twice", i, s.Name)
		}
		names[s.Name] = true
		for _, a := range []string{s.Clients, s.Routes} {
			if other, ok := addresses[a]; ok {
				return fmt.Errorf("servers[%d]: %q already has the address %s", i, other, a)
			}
			addresses[a] = s.Name
		}
	}
	clear(names)
	for i, n := range p.Nodes {
		if err := CheckName(n); err != nil {
			return fmt.Errorf("nodes[%d]: %w", i, err)
		}
		if names[n] {
			return fmt.Errorf("nodes[%d]: name %q is there twice", i, n)
		}
		names[n] = true
	}
	return nil
}

// members returns all names, each once, sorted.
func (p Plan) members() []string {
	all := slices.Clone(p.Nodes)
	for _, s := range p.Servers {
		all = append(all, s.Name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (p Plan) sorted() Plan {
	p.Servers, p.Nodes = slices.Clone(p.Servers), slices.Clone(p.Nodes)
	slices.SortFunc(p.Servers, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(p.Nodes)
	return p
}

// Init makes a cluster: the folder out, which must not exist, with the authority's key,
// and a folder for each node and journal server to copy to its machine.
func Init(out string, p Plan) error {
	p = p.sorted()
	if err := p.check(); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if err := os.Mkdir(out, 0o700); err != nil {
		return fmt.Errorf("cluster folder: %w", err)
	}
	var id [4]byte
	seal := make([]byte, 32)
	rand.Read(id[:])
	rand.Read(seal)
	a, err := newAuthority(out)
	if err != nil {
		return err
	}
	c := clusterFile{folderVersion, "fogkeep-" + hex.EncodeToString(id[:]), p}
	if err := writePart(out, fileSeal, 0o600, []byte(base64.StdEncoding.EncodeToString(seal)+"\n")); err != nil {
		return err
	}
	return c.write(out, a)
}

// Update adds p's parts to the cluster of the folder out, and makes new certificates for all of its members, by the
// same authority. So members with old and with new certificates trust each other, and the new folders can be brought to
// the machines one after the other. An existing journal server keeps its addresses. The number of journal servers cannot change
// from one to several: their stores differ.
func Update(out string, p Plan) error {
	var c clusterFile
	if err := readJSON(out, fileCluster, &c); err != nil {
		return err
	}
	if c.Version != folderVersion {
		return inFile(out, fileCluster, fmt.Errorf("version is %d, this build reads %d", c.Version, folderVersion))
	}
	had := len(c.Servers)
	for _, s := range p.Servers {
		i := slices.IndexFunc(c.Servers, func(o Server) bool { return o.Name == s.Name })
		if i < 0 {
			c.Servers = append(c.Servers, s)
		} else if c.Servers[i] != s {
			return fmt.Errorf("cluster: journal server %q has other addresses in %s", s.Name, filepath.Join(out, fileCluster))
		}
	}
	if had == 1 && len(c.Servers) > 1 {
		return errors.New("cluster: it has one journal server, which cannot become several: make a new cluster")
	}
	for _, n := range p.Nodes {
		if !slices.Contains(c.Nodes, n) {
			c.Nodes = append(c.Nodes, n)
		}
	}
	c.StoreMiB = cmp.Or(p.StoreMiB, c.StoreMiB)
	c.Plan = c.sorted()
	if err := c.check(); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	a, err := readPair(out, fileCA, fileCAKey)
	if err != nil {
		return err
	}
	return c.write(out, a)
}

// write writes cluster.json and the folder of each member.
func (c *clusterFile) write(out string, a *tls.Certificate) error {
	seal, err := readPart(out, fileSeal, true)
	if err != nil {
		return err
	}
	for _, name := range c.members() {
		dir := filepath.Join(out, name)
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("cluster folder: %w", err)
		}
		var n nodeFile // a folder that exists keeps its operator's settings
		if err := readJSON(dir, fileNode, &n); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		n.Version, n.Cluster, n.Name, n.Plan = folderVersion, c.Cluster, name, c.Plan
		cert, key, err := issue(a, name, c.hosts(name))
		if err != nil {
			return err
		}
		if err := errors.Join(
			writeJSON(dir, fileNode, n),
			writePart(dir, fileCA, 0o644, certPEM(a.Certificate[0])),
			writePart(dir, fileCert, 0o644, cert),
			writePart(dir, fileKey, 0o600, key),
			writePart(dir, fileSeal, 0o600, seal),
		); err != nil {
			return err
		}
	}
	return writeJSON(out, fileCluster, c)
}

// hosts returns the hosts under which a member is connected to.
func (c *clusterFile) hosts(name string) []string {
	var out []string
	for _, s := range c.Servers {
		if s.Name != name {
			continue
		}
		for _, address := range []string{s.Clients, s.Routes} {
			host, _, _ := net.SplitHostPort(address) // checked
			out = append(out, host)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func writeJSON(dir, name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("cluster folder: %w", err)
	}
	return writePart(dir, name, 0o644, append(b, '\n'))
}

// writePart puts a file in place of the one before; a kill leaves the one or the other.
func writePart(dir, name string, mode fs.FileMode, b []byte) error {
	path := filepath.Join(dir, name)
	err := os.Remove(path + ".new")
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		err = os.WriteFile(path+".new", b, mode)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return fmt.Errorf("cluster folder: %w", err)
	}
	return nil
}

// newAuthority makes the certificate and the key that sign the certificates of a cluster, and writes them.
func newAuthority(out string) (*tls.Certificate, error) {
	now := time.Now()
	t := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: "fogkeep cluster"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(caYears, 0, 0), // an hour: clocks differ
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	cert, key, err := sign(t, nil)
	if err == nil {
		err = errors.Join(writePart(out, fileCA, 0o644, cert), writePart(out, fileCAKey, 0o600, key))
	}
	if err != nil {
		return nil, err
	}
	return readPair(out, fileCA, fileCAKey)
}

func serial() *big.Int {
	b := make([]byte, 16)
	rand.Read(b)
	b[0] &= 0x7f // positive
	return new(big.Int).SetBytes(b)
}

func certPEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// sign makes a key, and its certificate by an authority; nil: by itself.
func sign(t *x509.Certificate, by *tls.Certificate) (cert, key []byte, err error) {
	fail := func(err error) ([]byte, []byte, error) {
		return nil, nil, fmt.Errorf("cluster: certificate of %s: %w", t.Subject.CommonName, err)
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fail(err)
	}
	if by == nil {
		by = &tls.Certificate{Leaf: t, PrivateKey: private}
	}
	der, err := x509.CreateCertificate(rand.Reader, t, by.Leaf, private.Public(), by.PrivateKey)
	if err != nil {
		return fail(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return fail(err)
	}
	return certPEM(der), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}), nil
}

// issue makes a certificate with its key for a member that others reach at hosts.
func issue(by *tls.Certificate, name string, hosts []string) (cert, key []byte, err error) {
	now := time.Now()
	t := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(certYears, 0, 0),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
		} else {
			t.DNSNames = append(t.DNSNames, h)
		}
	}
	return sign(t, by)
}
