package identity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/fogkeep/fogkeep/internal/outbound"
)

// Bounds of requests to providers.
const (
	callTimeout = 5 * time.Second
	answerMax   = 512 << 10 // bytes of an answer's body, unpacked
	fetchWait   = 20 * time.Second
	fetchedLife = 15 * time.Minute // after that it is fetched again
	fetchedMax  = 24 * time.Hour   // after that it is no longer believed
)

// errTooLong ends the reading of an answer.
var errTooLong = fmt.Errorf("the answer has more than %d bytes", answerMax)

// outside sends the requests to one provider. Hosts that the operator named may
// have any address; others, which only the provider named, must have a public
// one, so that a provider cannot send the server to machines behind its fire wall.
type outside struct {
	named     []string // host[:port], as in URLs
	allowHTTP bool     // to named hosts
	internal  http.RoundTripper
	public    http.RoundTripper
}

// newClient returns an HTTP client for a provider with these URLs of the
// operator's.
func newClient(allowHTTP bool, urls ...string) *http.Client {
	o := &outside{allowHTTP: allowHTTP, internal: transport(nil), public: transport(outbound.Policy{}.Control)}
	for _, s := range urls {
		if u, err := url.Parse(s); err == nil && u.Host != "" {
			o.named = append(o.named, u.Host)
		}
	}
	return &http.Client{
		Transport: o, Timeout: callTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // an answer like any that is not 200
	}
}

// transport connects to addresses that control lets pass; nil: to all.
func transport(control func(network, address string, c syscall.RawConn) error) *http.Transport {
	d := &net.Dialer{Timeout: callTimeout, Control: control}
	return &http.Transport{
		DialContext: d.DialContext, TLSHandshakeTimeout: callTimeout, ResponseHeaderTimeout: callTimeout,
		MaxResponseHeaderBytes: 64 << 10, MaxConnsPerHost: 32, MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
	}
}

// RoundTrip implements [http.RoundTripper].
func (o *outside) RoundTrip(r *http.Request) (*http.Response, error) {
	named := slices.Contains(o.named, r.URL.Host)
	if r.URL.Scheme != "https" && !(named && (o.allowHTTP || loopback(r.URL.Hostname()))) {
		return nil, fmt.Errorf("%s://%s: want https", r.URL.Scheme, r.URL.Host)
	}
	by := o.public
	if named {
		by = o.internal
	}
	res, err := by.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if res.ContentLength > answerMax {
		res.Body.Close()
		return nil, errTooLong
	}
	res.Body = &bounded{ReadCloser: res.Body, remaining: answerMax}
	return res, nil
}

// bounded is a body that fails behind so many bytes.
type bounded struct {
	io.ReadCloser
	remaining int
}

func (b *bounded) Read(p []byte) (int, error) {
	if len(p) > b.remaining+1 {
		p = p[:b.remaining+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.remaining -= n; b.remaining < 0 {
		return 0, errTooLong
	}
	return n, err
}

// fetched is a document of a provider about itself. The first request fetches it, one
// at a time, and no request again for [fetchWait], even after a failure: so clients
// cannot make the server hammer the provider.
type fetched[T any] struct {
	fetch func(context.Context) (T, error)
	now   func() time.Time
	turn  chan struct{} // who holds its only element fetches

	mu         sync.Mutex
	value      T
	got, tried time.Time
	err        error // of the last try
}

func newFetched[T any](now func() time.Time, fetch func(context.Context) (T, error)) *fetched[T] {
	return &fetched[T]{fetch: fetch, now: now, turn: make(chan struct{}, 1)}
}

// get returns the value. lacks reports whether the present value is of no use, and a
// newer one might help.
func (f *fetched[T]) get(ctx context.Context, lacks func(T) bool) (T, error) {
	if v, err, ok := f.have(lacks); ok {
		return v, err
	}
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
	if v, err, ok := f.have(lacks); ok { // another has fetched it meanwhile
		return v, err
	}
	// One waiting request gave up; the others still want the answer.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	v, err := f.fetch(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tried, f.err = f.now(), err
	if err == nil {
		f.value, f.got = v, f.tried
	}
	return f.believed()
}

// have returns the value if it is not to be fetched now.
func (f *fetched[T]) have(lacks func(T) bool) (v T, err error, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	young := !f.got.IsZero() && now.Sub(f.got) < fetchedLife
	if young && !lacks(f.value) || !f.tried.IsZero() && now.Sub(f.tried) < fetchWait {
		v, err = f.believed()
		return v, err, true
	}
	return v, nil, false
}

func (f *fetched[T]) believed() (v T, err error) {
	if f.got.IsZero() || f.now().Sub(f.got) > fetchedMax {
		return v, errors.Join(errNoAnswer, f.err)
	}
	return f.value, nil
}

// errNoAnswer is the error of a provider that has not answered.
var errNoAnswer = errors.New("the provider gave no usable answer")
