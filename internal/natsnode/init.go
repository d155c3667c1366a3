package natsnode

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
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

// Plan lists the parts of a cluster. A name may be in both lists: such a node runs a log server.
type Plan struct {
	Servers []Server `json:"servers"`
	Nodes   []string `json:"nodes"`
	// StoreMiB bounds what a log server keeps on disk; 0: [StoreBytesDefault].
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
				return fmt.Errorf("servers[%d]: %q already has the address %s", i, a, other)
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
// and a folder for each node and log server to copy to its machine.
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
	a, err := newAuthority()
	if err != nil {
		return err
	}
	c := clusterFile{folderVersion, "fogkeep-" + hex.EncodeToString(id[:]), p}
	if err := a.save(out); err != nil {
		return err
	}
	if err := writePart(out, fileSeal, 0o600, []byte(base64.StdEncoding.EncodeToString(seal)+"\n")); err != nil {
		return err
	}
	return c.write(out, a)
}

// Update adds p's parts to the cluster of the folder out, and makes new certificates for all of its members, by the
// same authority. So members with old and with new certificates trust each other, and the new folders can be brought to
// the machines one after the other. An existing log server keeps its addresses. The number of log servers cannot change
// from one to several: their stores differ.
func Update(out string, p Plan) error {
	b, err := readPart(out, fileCluster, false)
	if err != nil {
		return err
	}
	var c clusterFile
	if err := decodeStrict(b, &c); err != nil {
		return fmt.Errorf("cluster folder: %s: %w", filepath.Join(out, fileCluster), err)
	}
	if c.Version != folderVersion {
		return fmt.Errorf("cluster folder: %s: version is %d, this build reads %d", filepath.Join(out, fileCluster), c.Version, folderVersion)
	}
	had := len(c.Servers)
	for _, s := range p.Servers {
		i := slices.IndexFunc(c.Servers, func(o Server) bool { return o.Name == s.Name })
		if i < 0 {
			c.Servers = append(c.Servers, s)
		} else if c.Servers[i] != s {
			return fmt.Errorf("cluster: log server %q has other addresses in %s", s.Name, filepath.Join(out, fileCluster))
		}
	}
	if had == 1 && len(c.Servers) > 1 {
		return errors.New("cluster: it has one log server, which cannot become several: make a new cluster")
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
	a, err := readAuthority(out)
	if err != nil {
		return err
	}
	return c.write(out, a)
}

// write writes cluster.json and the folder of each member.
func (c *clusterFile) write(out string, a *authority) error {
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
		if b, err := readPart(dir, fileNode, false); err == nil {
			if err := decodeStrict(b, &n); err != nil {
				return fmt.Errorf("cluster folder: %s: %w", filepath.Join(dir, fileNode), err)
			}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		n.Version, n.Cluster, n.Name, n.Plan = folderVersion, c.Cluster, name, c.Plan
		cert, key, err := a.issue(name, c.hosts(name))
		if err != nil {
			return err
		}
		if err := errors.Join(
			writeJSON(dir, fileNode, n),
			writePart(dir, fileCA, 0o644, a.pem()),
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

// authority signs the certificates of one cluster.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("cluster: authority: %w", err)
	}
	now := time.Now()
	t := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: "fogkeep cluster"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(caYears, 0, 0), // an hour: clocks differ
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("cluster: authority: %w", err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("cluster: authority: %w", err)
	}
	return &authority{cert, key}, nil
}

func serial() *big.Int {
	b := make([]byte, 16)
	rand.Read(b)
	b[0] &= 0x7f // positive
	return new(big.Int).SetBytes(b)
}

func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

func keyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("cluster: key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

func (a *authority) save(out string) error {
	key, err := keyPEM(a.key)
	if err != nil {
		return err
	}
	return errors.Join(writePart(out, fileCA, 0o644, a.pem()), writePart(out, fileCAKey, 0o600, key))
}

func readAuthority(out string) (*authority, error) {
	cert, err := readPart(out, fileCA, false)
	if err != nil {
		return nil, err
	}
	key, err := readPart(out, fileCAKey, true)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(cert)
	if block == nil {
		return nil, fmt.Errorf("cluster folder: %s: no certificate is in it", filepath.Join(out, fileCA))
	}
	a := &authority{}
	if a.cert, err = x509.ParseCertificate(block.Bytes); err != nil {
		return nil, fmt.Errorf("cluster folder: %s: %w", filepath.Join(out, fileCA), err)
	}
	if block, _ = pem.Decode(key); block == nil {
		return nil, fmt.Errorf("cluster folder: %s: no key is in it", filepath.Join(out, fileCAKey))
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("cluster folder: %s: %w", filepath.Join(out, fileCAKey), err)
	}
	var ok bool
	if a.key, ok = parsed.(*ecdsa.PrivateKey); !ok || !a.key.PublicKey.Equal(a.cert.PublicKey) {
		return nil, fmt.Errorf("cluster folder: %s: it is not the key of %s", filepath.Join(out, fileCAKey), fileCA)
	}
	return a, nil
}

// issue makes a certificate with its key for a member that others reach at hosts.
func (a *authority) issue(name string, hosts []string) (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("cluster: key of %s: %w", name, err)
	}
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
	der, err := x509.CreateCertificate(rand.Reader, t, a.cert, private.Public(), a.key)
	if err != nil {
		return nil, nil, fmt.Errorf("cluster: certificate of %s: %w", name, err)
	}
	if key, err = keyPEM(private); err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), key, nil
}
