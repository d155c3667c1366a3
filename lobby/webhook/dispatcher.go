package webhook

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/internal/outbound"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
)

const (
	perEndpoint = 4       // tries at once; of an endpoint whose last try failed, one
	answerMax   = 1 << 10 // bytes of an answer that are read
	storeWait   = time.Minute / 2
	restMax     = 64 // looks by the clock: half a minute
)

// Config configures a [Dispatcher].
type Config struct {
	Service    *lobby.Service
	Policy     core.Outbound
	Ledger     *core.Ledger          // quota.WebhookCalls at once, of each issuer and of all; nil: no limit
	Logger     *slog.Logger          // nil: no log
	Registerer prometheus.Registerer // nil: no metrics
	Version    string                // for the User-Agent

	Poll    time.Duration // between two looks for events; 0: half a second
	Feed    time.Duration // between two looks for events of matches; 0: a second
	Prune   time.Duration // between two looks for old ones; 0: 30 s
	Timeout time.Duration // of one try, with its answer; 0: 10 s
}

// Dispatcher sends events.
type Dispatcher struct {
	c      Config
	client *http.Client
	tries  sync.WaitGroup
	done   chan ended

	endpoints map[string]*endpoint // of the goroutine of Run

	outcomes *prometheus.CounterVec
	took     prometheus.Histogram
	backlog  *prometheus.GaugeVec
}

// endpoint is how it goes with the tries of one endpoint.
type endpoint struct {
	running  int
	failures int // since a try was taken
	idle     int // looks by the clock without a try
}

// ended is a try that has ended.
type ended struct {
	endpoint string
	failed   bool
}

// New returns a dispatcher, which does not run yet.
func New(c Config) *Dispatcher {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Feed = cmp.Or(c.Feed, time.Second)
	c.Poll, c.Prune, c.Timeout = cmp.Or(c.Poll, 500*time.Millisecond), cmp.Or(c.Prune, 30*time.Second), cmp.Or(c.Timeout, 10*time.Second)
	d := &Dispatcher{
		c: c, client: c.Policy.Client(c.Timeout), done: make(chan ended), endpoints: map[string]*endpoint{},
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "fogkeep_webhook_tries_total", Help: "Attempts to deliver an event to an endpoint, by outcome: taken, failed, dead; and dropped events (too many were waiting)."}, []string{"result"}),
		took:     prometheus.NewHistogram(prometheus.HistogramOpts{Name: "fogkeep_webhook_seconds", Help: "How long a try took.", Buckets: []float64{.01, .05, .2, 1, 5, 10}}),
		backlog:  prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "fogkeep_webhook_events", Help: "Events that endpoints have not taken, of all processes on the database, by state: waiting, dead."}, []string{"state"}),
	}
	for _, result := range []string{"taken", "failed", "dead", "dropped"} {
		d.outcomes.WithLabelValues(result)
	}
	if c.Registerer != nil {
		c.Registerer.MustRegister(d.outcomes, d.took, d.backlog)
	}
	return d
}

// Run sends events until the context ends. Then it waits for the tries that run,
// which end with it.
func (d *Dispatcher) Run(ctx context.Context) error {
	defer d.tries.Wait()
	d.tries.Go(func() {
		defer panics.Catch(d.c.Logger, "events of matches", nil)
		d.feed(ctx)
	})
	poll, prune := time.NewTicker(d.c.Poll), time.NewTicker(d.c.Prune)
	defer poll.Stop()
	defer prune.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-d.done:
			d.ended(e)
		case <-prune.C:
			d.prune(ctx)
			continue
		case <-poll.C:
			d.rested()
		}
		d.look(ctx)
	}
}

// feed has the events of matches reported until the context ends.
func (d *Dispatcher) feed(ctx context.Context) {
	feed := time.NewTicker(d.c.Feed)
	defer feed.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-feed.C:
		}
		func() {
			defer panics.Catch(d.c.Logger, "events of matches", nil)
			_ = d.c.Service.Studio.Feed(ctx) // logged; the next look is soon
		}()
	}
}

func (d *Dispatcher) at(id string) *endpoint {
	e := d.endpoints[id]
	if e == nil {
		e = &endpoint{}
		d.endpoints[id] = e
	}
	return e
}

func (d *Dispatcher) ended(x ended) {
	e := d.at(x.endpoint)
	e.running--
	switch {
	case !x.failed:
		e.failures, e.idle = 0, 0
	case e.idle == 0: // tries that fail together count once
		e.idle = min(1<<min(3*e.failures, 30), restMax)
		e.failures++
	}
}

// rested brings endpoints that failed nearer to their next try. Each failed try writes
// two times, so an endpoint that stays away is tried with all its events together as
// seldom as with one event.
func (d *Dispatcher) rested() {
	for id, e := range d.endpoints {
		if e.idle = max(0, e.idle-1); e.running == 0 && (e.failures == 0 || len(d.endpoints) > hook.EndpointsMax) {
			delete(d.endpoints, id)
		}
	}
}

// look leases the events that it can send at once, and sends them.
func (d *Dispatcher) look(ctx context.Context) {
	var holds map[string][]*quota.Hold
	list, err := d.c.Service.Hooks.TakeHookEvents(ctx, func(due []model.WebhookEndpoint) map[string]int {
		holds = d.share(due)
		shares := map[string]int{}
		for id, of := range holds {
			shares[id] = len(of)
		}
		return shares
	})
	if err != nil {
		list = nil // the service has logged it; the next look is soon
	}
	for _, e := range list {
		id, failed := e.To.ID, true
		hold := holds[id][0]
		holds[id] = holds[id][1:]
		d.at(id).running++
		d.tries.Go(func() {
			defer panics.Catch(d.c.Logger, "webhook", nil)
			defer func() {
				hold.Release()
				select {
				case d.done <- ended{id, failed}:
				case <-ctx.Done():
				}
			}()
			failed = d.try(ctx, e) != nil
		})
	}
	for _, unused := range holds {
		for _, hold := range unused {
			hold.Release()
		}
	}
}

// share takes requests from the ledger for endpoints. The endpoint that waits for the
// fewest answers has the next one, so that with room for one request per endpoint each
// gets its request.
func (d *Dispatcher) share(due []model.WebhookEndpoint) map[string][]*quota.Hold {
	got := map[string][]*quota.Hold{}
	waits := func(e model.WebhookEndpoint) int { return d.at(e.ID).running + len(got[e.ID]) }
	room := func(e model.WebhookEndpoint) int {
		switch at := d.at(e.ID); {
		case at.idle > 0:
			return 0
		case at.failures > 0:
			return 1
		}
		return perEndpoint
	}
	due = slices.DeleteFunc(due, func(e model.WebhookEndpoint) bool { return waits(e) >= room(e) })
	for len(due) > 0 {
		next := slices.MinFunc(due, func(a, b model.WebhookEndpoint) int { return cmp.Compare(waits(a), waits(b)) })
		hold, err := d.c.Ledger.Take(quota.WebhookCalls, payer(next), 1)
		if err == nil {
			got[next.ID] = append(got[next.ID], hold)
		}
		due = slices.DeleteFunc(due, func(e model.WebhookEndpoint) bool { return e.ID == next.ID && (err != nil || waits(e) >= room(e)) })
	}
	return got
}

// payer returns the payer of the requests to an endpoint: its issuer.
func payer(e model.WebhookEndpoint) quota.Payer {
	return quota.Payer{Account: "issuer:" + e.Issuer, Trusted: true}
}

// try sends one event and notes the outcome. Its error says why the endpoint did not
// take it.
func (d *Dispatcher) try(ctx context.Context, e hook.HookDelivery) error {
	began := time.Now()
	err := d.send(ctx, e)
	d.took.Observe(time.Since(began).Seconds())
	store, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeWait)
	defer cancel()
	switch {
	case err == nil:
		d.outcomes.WithLabelValues("taken").Inc()
		_ = d.c.Service.Hooks.HookTaken(store, e) // logged; else it is sent again
		return nil
	case ctx.Err() != nil: // the server stops
		_ = d.c.Service.Hooks.ReturnHookEvent(store, e) // logged; else it is free when its lease ends
		return err
	}
	dead, noted := d.c.Service.Hooks.HookRefused(store, e, err.Error())
	result := "failed"
	if dead && noted == nil {
		result = "dead"
		d.c.Logger.Warn("a webhook event is dead: the server no longer tries to deliver it", "endpoint", e.To.ID, "event", e.ID, "kind", e.Kind, "why", err)
	}
	d.outcomes.WithLabelValues(result).Inc()
	return err
}

// send makes one request. Its error is for the endpoint's owner: it never contains
// parts of the answer.
func (d *Dispatcher) send(ctx context.Context, e hook.HookDelivery) error {
	if err := d.c.Policy.CheckURL(e.To.URL); err != nil {
		return err // the permitted addresses may have changed since the registration
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.To.URL, bytes.NewReader(e.Body))
	if err != nil {
		return errors.New("the URL cannot be used")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "fogkeep/"+d.c.Version)
	sign(req.Header, e, d.c.Service.Now())
	answer, err := d.client.Do(req)
	if err != nil {
		return plainly(err)
	}
	defer answer.Body.Close()
	// Read to its end if it is short, so that the endpoint sees a clean end.
	_, _ = io.CopyN(io.Discard, answer.Body, answerMax)
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("answered with status %d", answer.StatusCode)
	}
	return nil
}

// plainly says why a request failed, without addresses of this network.
func plainly(err error) error {
	var dns *net.DNSError
	switch timeout := net.Error(nil); {
	case errors.Is(err, outbound.ErrForbidden):
		return errors.New("the name leads to an address that is not public")
	case errors.As(err, &dns):
		return errors.New("the name cannot be resolved")
	case errors.As(err, &timeout) && timeout.Timeout():
		return errors.New("no answer in time")
	}
	return errors.New("the connection failed")
}

func (d *Dispatcher) prune(ctx context.Context) {
	b, err := d.c.Service.Hooks.PruneHookEvents(ctx)
	if err != nil {
		return
	}
	d.backlog.WithLabelValues("waiting").Set(float64(b.Waiting))
	d.backlog.WithLabelValues("dead").Set(float64(b.Dead))
	if b.Dropped > 0 {
		d.outcomes.WithLabelValues("dropped").Add(float64(b.Dropped))
		d.c.Logger.Error("webhook events were dropped: an endpoint takes fewer than there are", "events", b.Dropped)
	}
}
