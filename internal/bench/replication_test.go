package bench

import (
	"context"
	"io"
	"testing"
	"time"
)

// The smallest workload, over real sockets, with the server in this process:
// what each client holds is what its team sees, and the masks that it derives
// are the server's.
func TestReplicationHolds(t *testing.T) {
	start := func(ctx context.Context, w Workload) (io.ReadCloser, error) {
		r, out := io.Pipe()
		ctx, cancel := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			out.CloseWithError(ServeWorkload(ctx, w, out))
		}()
		return &inProcess{r, cancel, done}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	// Entities are compared at ticks 1 and 100: the run goes on after that, so
	// that the clients' reports of tick 100 are in before it ends.
	r, err := Replication(ctx, Workload{Name: "w1-small", Seconds: 4, WarmUp: 2}, start, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Mismatches > 0 || r.Resyncs > 0 {
		t.Errorf("%d entities were held wrong and %d masks: %v", r.Mismatches, r.Resyncs, r.First)
	}
	if r.Ticks != 80 || r.Compared < 200 || r.VisibleMean < 50 {
		t.Errorf("%d ticks, %d entities compared, %.0f in sight: that proves little", r.Ticks, r.Compared, r.VisibleMean)
	}
	if r.BytesPerS > 400 {
		t.Errorf("%.0f bytes a second to each client, it took 150", r.BytesPerS)
	}
}

type inProcess struct {
	*io.PipeReader
	cancel context.CancelFunc
	done   chan struct{}
}

func (p *inProcess) Close() error {
	p.cancel()
	go io.Copy(io.Discard, p.PipeReader) // what it still writes
	<-p.done
	return p.PipeReader.Close()
}
