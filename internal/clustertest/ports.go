package clustertest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
)

// The ports that are handed out lie below the ports that a system takes for outgoing connections and for listeners
// without a port: no other process gets one by chance.
const (
	portMin = 18000
	portMax = 32000
)

// Ports hands out addresses of loopback that no other user of the package gets, in this
// process or another, until Close. The UDP port of the same number is the lock: the
// system gives it back however the process ends.
type Ports struct {
	mu    sync.Mutex
	locks []*net.UDPConn
}

// Next returns a free address.
func (p *Ports) Next() (string, error) { return p.take(1) }

// Pair returns a free address whose next port is free too.
func (p *Ports) Pair() (string, error) { return p.take(2) }

func (p *Ports) take(n int) (string, error) {
	for range 1000 {
		first := portMin + rand.IntN(portMax-portMin)
		var locks []*net.UDPConn
		for port := first; port < first+n; port++ {
			lock, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
			if err != nil {
				break
			}
			locks = append(locks, lock)
			l, err := net.Listen("tcp4", loopback(port))
			if err != nil {
				break
			}
			l.Close()
			if port == first+n-1 {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.locks = append(p.locks, locks...)
				return loopback(first), nil
			}
		}
		for _, l := range locks {
			l.Close()
		}
	}
	return "", errors.New("clustertest: no free port of loopback")
}

func loopback(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// Close gives the ports back.
func (p *Ports) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.locks {
		l.Close()
	}
	p.locks = nil
}
