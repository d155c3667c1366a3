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
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/internal/outbound"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/lobby"
)

const (
	perEndpoint = 4       // tries at once
	answerMax   = 1 << 10 // bytes of an answer that are read
	storeWait   = time.Minute / 2
)

// Config is what a [Dispatcher] needs.
type Config struct {
	Service    *lobby.Service
	Policy     lobby.Outbound
	Budget     *lobby.Ledger         // budget.WebhookCalls at once; nil: no limit
	Logger     *slog.Logger          // nil: none
	Registerer prometheus.Registerer // nil: no metrics
	Version    string                // for the User-Agent

	Poll    time.Duration // between two looks for events; 0: half a second
	Prune   time.Duration // between two looks for old ones; 0: 30 s
	Timeout time.Duration // of one try, with its answer; 0: 10 s
}

// Dispatcher sends events.
type Dispatcher struct {
	c      Config
	client *http.Client
	done   chan string // endpoints of tries that have ended

	sent    *prometheus.CounterVec
	took    prometheus.Histogram
	backlog *prometheus.GaugeVec
}

// New returns a dispatcher. Nothing runs yet.
func New(c Config) *Dispatcher {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Poll, c.Prune, c.Timeout = cmp.Or(c.Poll, 500*time.Millisecond), cmp.Or(c.Prune, 30*time.Second), cmp.Or(c.Timeout, 10*time.Second)
	d := &Dispatcher{
		c: c, client: c.Policy.Client(c.Timeout), done: make(chan string),
		sent:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "fogkeep_webhook_tries_total", Help: "Tries to tell an endpoint of an event, by what became of them: taken, failed, dead; and events that were dropped, since there were too many."}, []string{"result"}),
		took:    prometheus.NewHistogram(prometheus.HistogramOpts{Name: "fogkeep_webhook_seconds", Help: "How long a try took.", Buckets: []float64{.01, .05, .2, 1, 5, 10}}),
		backlog: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "fogkeep_webhook_events", Help: "Events that endpoints have not taken, of all processes on the database, by state: waiting, dead."}, []string{"state"}),
	}
	for _, result := range []string{"taken", "failed", "dead", "dropped"} {
		d.sent.WithLabelValues(result)
	}
	if c.Registerer != nil {
		c.Registerer.MustRegister(d.sent, d.took, d.backlog)
	}
	return d
}

// Run sends events until the context ends. Then it waits for the tries that run,
// which end with it.
func (d *Dispatcher) Run(ctx context.Context) error {
	running := map[string]int{} // tries by endpoint
	var tries sync.WaitGroup
	defer tries.Wait()
	poll, prune := time.NewTicker(d.c.Poll), time.NewTicker(d.c.Prune)
	defer poll.Stop()
	defer prune.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case endpoint := <-d.done:
			if running[endpoint]--; running[endpoint] == 0 {
				delete(running, endpoint)
			}
		case <-prune.C:
			d.prune(ctx)
			continue
		case <-poll.C:
		}
		list, err := d.c.Service.TakeHookEvents(ctx, func(endpoint string) int { return perEndpoint - running[endpoint] })
		if err != nil {
			continue // the service has logged it; the next look is soon
		}
		for _, e := range list {
			hold, err := d.c.Budget.Take(budget.WebhookCalls, budget.Who{Trusted: true}, 1)
			if err != nil {
				break // its lease ends in a minute
			}
			running[e.To.ID]++
			tries.Go(func() {
				defer panics.Catch(d.c.Logger, "webhook", nil)
				defer func() {
					hold.Release()
					select {
					case d.done <- e.To.ID:
					case <-ctx.Done():
					}
				}()
				d.try(ctx, e)
			})
		}
	}
}

// try sends one event and notes what became of it.
func (d *Dispatcher) try(ctx context.Context, e lobby.HookDelivery) {
	began := time.Now()
	err := d.send(ctx, e)
	d.took.Observe(time.Since(began).Seconds())
	if ctx.Err() != nil && err != nil {
		return // the server stops: the lease ends, and another try comes
	}
	store, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeWait)
	defer cancel()
	if err == nil {
		d.sent.WithLabelValues("taken").Inc()
		_ = d.c.Service.HookTaken(store, e) // logged; else it is sent again
		return
	}
	dead, noted := d.c.Service.HookRefused(store, e, err.Error())
	result := "failed"
	if dead && noted == nil {
		result = "dead"
		d.c.Logger.Warn("a webhook event is dead: nobody tries it any more", "endpoint", e.To.ID, "event", e.ID, "kind", e.Kind, "why", err)
	}
	d.sent.WithLabelValues(result).Inc()
}

// send makes one request. Its error is for the endpoint's owner: it says nothing of
// what the answer had in it.
func (d *Dispatcher) send(ctx context.Context, e lobby.HookDelivery) error {
	if err := d.c.Policy.CheckURL(e.To.URL); err != nil {
		return err // what is permitted may have changed since it was registered
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
	b, err := d.c.Service.PruneHookEvents(ctx)
	if err != nil {
		return
	}
	d.backlog.WithLabelValues("waiting").Set(float64(b.Waiting))
	d.backlog.WithLabelValues("dead").Set(float64(b.Dead))
	if b.Dropped > 0 {
		d.sent.WithLabelValues("dropped").Add(float64(b.Dropped))
		d.c.Logger.Error("webhook events were dropped: an endpoint takes fewer than there are", "events", b.Dropped)
	}
}
