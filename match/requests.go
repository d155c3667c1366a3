package match

import "context"

// requests are other goroutines' calls on a match's goroutine.
type requests struct {
	queue chan func()
	done  chan struct{} // closed when no more are taken
}

// requestsMax is how many requests can be queued. Further callers wait.
const requestsMax = 64

func newRequests() requests {
	return requests{queue: make(chan func(), requestsMax), done: make(chan struct{})}
}

// ask runs f on the match's goroutine and waits until it has run.
func (r *requests) ask(ctx context.Context, f func()) error {
	ran := make(chan struct{})
	select {
	case r.queue <- func() { defer close(ran); f() }:
	case <-r.done:
		return ErrNoMatch
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-ran:
		return nil
	case <-r.done:
		select { // it may have run as the last one
		case <-ran:
			return nil
		default:
			return ErrNoMatch
		}
	}
}

// serve runs the requests of other goroutines.
func (r *requests) serve() {
	for range requestsMax {
		select {
		case f := <-r.queue:
			f()
		default:
			return
		}
	}
}
