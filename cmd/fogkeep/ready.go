package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// readyCmd is the probe of containers, which have no other program.
type readyCmd struct {
	Addr string   `env:"FOGKEEP_ADDR" default:"127.0.0.1:8080" help:"Address for players of the server on this machine."`
	TLS  []string `name:"tls" env:"FOGKEEP_TLS" placeholder:"CERT,KEY" help:"The server's certificate, if it speaks TLS itself."`
	ACME []string `name:"tls-acme" env:"FOGKEEP_TLS_ACME" placeholder:"play.example.org" help:"The server's host names, if it gets certificates by ACME."`
}

const readyWait = 4 * time.Second

// Run fails if the server does not answer that it is ready.
func (c *readyCmd) Run(in *invocation) error {
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return fmt.Errorf("--addr %q: want host:port, such as 127.0.0.1:8080", c.Addr)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	scheme, name := "http", ""
	if len(c.TLS) > 0 {
		scheme = "https"
	}
	if len(c.ACME) > 0 {
		scheme, name = "https", c.ACME[0]
	}
	// The certificate is for the public name, and the answer comes from this machine.
	client := &http.Client{Timeout: readyWait, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, ServerName: name}}}
	req, err := http.NewRequestWithContext(in.Ctx, http.MethodGet, scheme+"://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("no server answers: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(res.Body, 4<<10)) // its begin is enough
		return fmt.Errorf("the server is not ready: %s", strings.TrimSpace(string(body)))
	}
	_, err = fmt.Fprintln(in.Stdout, "ready")
	return err
}
