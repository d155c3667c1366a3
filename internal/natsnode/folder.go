package natsnode

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// The files of a node's folder.
const (
	fileNode = "node.json"
	fileCA   = "ca.pem"
	fileCert = "cert.pem"
	fileKey  = "key.pem"
	fileSeal = "seal.key"
)

// fileBytesMax bounds each file of a folder.
const fileBytesMax = 1 << 20

// folderVersion is the version of node.json.
const folderVersion = 1

// Bounds of a cluster.
const (
	ServersMax = 15
	NodesMax   = 1024

	storeMiBMin = 1 << 10
	storeMiBMax = 1 << 30
)

// Server is one journal server.
type Server struct {
	Name    string `json:"name"`
	Clients string `json:"clients"` // host:port where nodes connect
	Routes  string `json:"routes"`  // host:port where the other journal servers connect
}

// ParseServer reads NAME=HOST:PORT. Nodes connect to PORT, the other journal servers to
// the port after it.
func ParseServer(text string) (Server, error) {
	name, address, ok := strings.Cut(text, "=")
	host, port, err := net.SplitHostPort(address)
	if !ok || err != nil {
		return Server{}, fmt.Errorf("%q: want NAME=HOST:PORT", text)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || n == 65535 {
		return Server{}, fmt.Errorf("%q: port %q: want 1 to 65534", text, port)
	}
	s := Server{name, address, net.JoinHostPort(host, strconv.FormatUint(n+1, 10))}
	if err := s.check(); err != nil {
		return Server{}, fmt.Errorf("%q: %w", text, err)
	}
	return s, nil
}

var nameForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)

// CheckName returns the fault of a node's or a journal server's name. A cluster takes the same names: see
// cluster.ValidName.
func CheckName(name string) error {
	if !nameForm.MatchString(name) {
		return fmt.Errorf("name %q: want 1 to 32 of a-z, 0-9 and -, with no - at the ends", name)
	}
	return nil
}

func (s Server) check() error {
	if err := CheckName(s.Name); err != nil {
		return err
	}
	if err := checkAddress(s.Clients); err != nil {
		return fmt.Errorf("clients: %w", err)
	}
	if err := checkAddress(s.Routes); err != nil {
		return fmt.Errorf("routes: %w", err)
	}
	return nil
}

func checkAddress(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil || host == "" || strings.ContainsAny(host, " /@") {
		return fmt.Errorf("address %q: want HOST:PORT", address)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return fmt.Errorf("address %q: want a port from 1 to 65535", address)
	}
	return nil
}

// Replicas returns on how many journal servers each message is kept: 1 of one, 3 of three
// and more. Two are refused.
func Replicas(servers int) (int, error) {
	switch {
	case servers == 1:
		return 1, nil
	case servers == 2:
		return 0, errors.New("two journal servers are worse than one: a majority of two is both, so the loss of either stops the cluster; have one, or three")
	case servers < 1 || servers > ServersMax:
		return 0, fmt.Errorf("%d journal servers: want 1, or 3 to %d", servers, ServersMax)
	}
	return 3, nil
}

// Folder is a node's knowledge of its cluster.
type Folder struct {
	nodeFile
	// Seal is the key, the same at all nodes, by which secrets are sealed that the
	// cluster keeps in its journal servers.
	Seal [32]byte

	path string
	cert atomic.Pointer[tls.Certificate]
	ca   *x509.CertPool
}

// nodeFile is node.json.
type nodeFile struct {
	Version int    `json:"version"`
	Cluster string `json:"cluster"` // its name, drawn when it was made
	Name    string `json:"name"`    // of this node or journal server
	// ListenHost, if not empty, is the address to listen at in place of the host in
	// Servers, for machines that do not have that address themselves.
	ListenHost string `json:"listen_host,omitempty"`
	// URLs, if any, are journal servers to connect to in place of the plan's servers; then none is embedded.
	URLs []string `json:"urls,omitempty"`
	Plan          // sorted by name
}

// Read reads and checks the folder of a node. Errors name the file and the fault.
func Read(dir string) (*Folder, error) {
	f := &Folder{path: dir}
	if err := readJSON(dir, fileNode, &f.nodeFile); err != nil {
		return nil, err
	}
	if err := f.nodeFile.check(); err != nil {
		return nil, inFile(dir, fileNode, err)
	}
	if err := f.readKeys(); err != nil {
		return nil, err
	}
	return f, nil
}

// inFile says which file of a folder an error is about.
func inFile(dir, name string, err error) error {
	return fmt.Errorf("cluster folder: %s: %w", filepath.Join(dir, name), err)
}

// readJSON reads a file of one object without unknown fields.
func readJSON(dir, name string, into any) error {
	b, err := readPart(dir, name, false)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return inFile(dir, name, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return inFile(dir, name, errors.New("something follows the JSON object"))
	}
	return nil
}

func (n *nodeFile) check() error {
	if n.Version != folderVersion {
		return fmt.Errorf("version is %d, this build reads %d", n.Version, folderVersion)
	}
	if err := CheckName(n.Cluster); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if err := CheckName(n.Name); err != nil {
		return fmt.Errorf("name: %w", err)
	}
	if strings.ContainsAny(n.ListenHost, " /@") {
		return fmt.Errorf("listen_host: %q is no host", n.ListenHost)
	}
	if err := n.Plan.check(); err != nil {
		return err
	}
	if !slices.Contains(n.Nodes, n.Name) && !slices.ContainsFunc(n.Servers, func(s Server) bool { return s.Name == n.Name }) {
		return fmt.Errorf("name: %q is among neither nodes nor servers", n.Name)
	}
	return nil
}

// readPart reads one file. A secret one must be its owner's alone.
func readPart(dir, name string, secret bool) ([]byte, error) {
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("cluster folder: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("cluster folder: %s is no file", path)
	case secret && info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("cluster folder: %s has mode %04o: others than its owner may read a secret; use chmod 600", path, info.Mode().Perm())
	case info.Size() > fileBytesMax:
		return nil, fmt.Errorf("cluster folder: %s has %d bytes, at most %d are read", path, info.Size(), fileBytesMax)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cluster folder: %w", err)
	}
	return b, nil
}

// readKeys reads the certificates and the seal key.
func (f *Folder) readKeys() error {
	caBytes, err := readPart(f.path, fileCA, false)
	if err != nil {
		return err
	}
	f.ca = x509.NewCertPool()
	if !f.ca.AppendCertsFromPEM(caBytes) {
		return inFile(f.path, fileCA, errors.New("no certificate is in it"))
	}
	if err := f.Renew(); err != nil {
		return err
	}
	text, err := readPart(f.path, fileSeal, true)
	if err != nil {
		return err
	}
	seal, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(seal) != len(f.Seal) {
		return inFile(f.path, fileSeal, fmt.Errorf("want %d bytes in base64", len(f.Seal)))
	}
	copy(f.Seal[:], seal)
	return nil
}

// readPair reads a certificate and its key.
func readPair(dir, certName, keyName string) (*tls.Certificate, error) {
	cert, err := readPart(dir, certName, false)
	if err != nil {
		return nil, err
	}
	key, err := readPart(dir, keyName, true)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, inFile(dir, certName, fmt.Errorf("with %s: %w", keyName, err))
	}
	return &pair, nil
}

// Renew reads this node's certificate again, for connections that begin later. After an
// error they have the one before.
func (f *Folder) Renew() error {
	pair, err := readPair(f.path, fileCert, fileKey)
	if err != nil {
		return err
	}
	if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: f.ca, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil {
		return inFile(f.path, fileCert, err)
	}
	if got := pair.Leaf.Subject.CommonName; got != f.Name {
		return inFile(f.path, fileCert, fmt.Errorf("it is the certificate of %q, %s names %q", got, fileNode, f.Name))
	}
	f.cert.Store(pair)
	return nil
}

// Server returns the journal server that this node is to run, and whether it runs one.
func (f *Folder) Server() (Server, bool) {
	i := slices.IndexFunc(f.Servers, func(s Server) bool { return s.Name == f.Name })
	if i < 0 {
		return Server{}, false
	}
	return f.Servers[i], true
}

// Expires returns until when this node's certificate is good.
func (f *Folder) Expires() time.Time { return f.cert.Load().Leaf.NotAfter }

// TLS is for connections between two nodes, on both sides. It checks the name in the other side's certificate: it is
// peer, or with "" any member's. The host does not count: a node may be reached at any.
func (f *Folder) TLS(peer string) *tls.Config {
	c := f.tlsConfig()
	c.InsecureSkipVerify = true // of the host: VerifyConnection has the rest
	c.VerifyConnection = func(s tls.ConnectionState) error {
		leaf := s.PeerCertificates[0]
		if _, err := leaf.Verify(x509.VerifyOptions{Roots: f.ca, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}); err != nil {
			return err
		}
		if name := leaf.Subject.CommonName; peer != "" && name != peer {
			return fmt.Errorf("cluster: %s answers where %s is", name, peer)
		}
		return nil
	}
	return c
}

// tlsConfig is for both sides: each shows its certificate, and asks for one of this
// cluster's.
func (f *Folder) tlsConfig() *tls.Config {
	return &tls.Config{
		MinVersion:           tls.VersionTLS13,
		GetCertificate:       func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.cert.Load(), nil },
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return f.cert.Load(), nil },
		RootCAs:              f.ca,
		ClientCAs:            f.ca,
		ClientAuth:           tls.RequireAndVerifyClientCert,
	}
}

// StoreBytes is the disk space of a journal server.
func (f *Folder) StoreBytes() int64 { return cmp.Or(int64(f.StoreMiB)<<20, StoreBytesDefault) }

// ServerURLs returns the addresses of the journal servers to connect to.
func (f *Folder) ServerURLs() []string {
	if len(f.URLs) > 0 {
		return f.URLs
	}
	var urls []string
	for _, s := range f.Servers {
		urls = append(urls, "nats://"+s.Clients)
	}
	return urls
}
