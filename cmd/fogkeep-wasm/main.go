//go:build js && wasm

package main

import (
	"encoding/json"
	"log/slog"
	"os"
	"syscall/js"

	"github.com/fogkeep/fogkeep/cmd/fogkeep-wasm/solo"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/proto/wire"
)

var (
	promise    = js.Global().Get("Promise")
	uint8Array = js.Global().Get("Uint8Array")
	jsError    = js.Global().Get("Error")
)

func main() {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s, err := solo.Open(os.Args[1], log)
	if err != nil {
		log.Error("the match service does not start", "error", err)
		os.Exit(1)
	}
	p := page{s, log}
	js.Global().Call("fogkeepReady", map[string]any{
		"maps":      p.call(func([]js.Value) (any, error) { return text(s.Maps()) }),
		"publicMap": p.call(func(args []js.Value) (any, error) { return bytes(s.PublicMap(args[0].String())) }),
		"start": p.call(func(args []js.Value) (any, error) {
			var c solo.Choice
			if err := json.Unmarshal([]byte(args[0].String()), &c); err != nil {
				return nil, err
			}
			return s.Start(c)
		}),
		"saves": p.call(func([]js.Value) (any, error) {
			saves, err := s.Saves()
			if err != nil {
				return nil, err
			}
			return text(saves)
		}),
		"resume": p.call(func([]js.Value) (any, error) { return s.Continue() }),
		"leave":  p.call(func([]js.Value) (any, error) { return "", s.Leave() }),
		"remove": p.call(func(args []js.Value) (any, error) { return "", s.Remove(args[0].String()) }),
		"inspect": p.call(func(args []js.Value) (any, error) {
			status, body, err := s.Inspect(args[0].String())
			return map[string]any{"status": status, "body": string(body)}, err
		}),
		"connect": p.connect(s.Connect),
		"watch":   p.connect(s.Watch),
	})
	select {}
}

// page is the program of the page that called.
type page struct {
	*solo.Server
	log *slog.Logger
}

// call returns a function for the page that runs f on a goroutine and returns a promise of its result.
func (p page) call(f func(args []js.Value) (any, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		return promise.New(once(func(_ js.Value, ways []js.Value) any {
			go func() {
				defer panics.Catch(p.log, "call", func() { ways[1].Invoke(jsError.New("internal error")) })
				out, err := f(args)
				if err != nil {
					ways[1].Invoke(jsError.New(err.Error()))
					return
				}
				ways[0].Invoke(out)
			}()
			return nil
		}))
	})
}

// once returns a function that can be called once.
func once(f func(this js.Value, args []js.Value) any) js.Func {
	var out js.Func
	out = js.FuncOf(func(this js.Value, args []js.Value) any {
		out.Release()
		return f(this, args)
	})
	return out
}

// connect returns a function for the page that serves a client whose messages come by a port: each an ArrayBuffer, and
// null to close.
func (p page) connect(serve func(link.Transport)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		port := args[0]
		near, far := link.Pipe()
		received := js.FuncOf(func(_ js.Value, args []js.Value) any {
			data := args[0].Get("data")
			if data.IsNull() || !take(far, data) {
				far.Close()
			}
			return nil
		})
		port.Set("onmessage", received)
		go func() {
			defer panics.Catch(p.log, "connection", nil)
			defer near.Close()
			serve(near)
		}()
		go func() {
			defer panics.Catch(p.log, "port", nil)
			defer received.Release()
			send(far, port)
		}()
		return nil
	})
}

// send passes messages on to a port until their connection ends.
func send(far *link.PipeEnd, port js.Value) {
	for {
		b, err := far.Read()
		if err != nil {
			break
		}
		out := uint8Array.New(len(b))
		js.CopyBytesToJS(out, b)
		buffer := out.Get("buffer")
		port.Call("postMessage", buffer, []any{buffer})
	}
	port.Set("onmessage", nil)
	port.Call("postMessage", nil)
}

// take hands a message on without waiting. It reports whether it could: a client that sends too much, or faster than it
// is read, has to connect again.
func take(far *link.PipeEnd, data js.Value) bool {
	in := uint8Array.New(data)
	if in.Length() > wire.ClientBytesMax {
		return false
	}
	b := make([]byte, in.Length())
	js.CopyBytesToGo(b, in)
	select {
	case far.Out <- b:
		return true
	default:
		return false
	}
}

func text(v any) (any, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

func bytes(b []byte, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	out := uint8Array.New(len(b))
	js.CopyBytesToJS(out, b)
	return out, nil
}
