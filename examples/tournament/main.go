package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"
)

func main() {
	file := flag.String("file", "tournament.json", "the tournament")
	service := flag.String("service", "http://127.0.0.1:8083", "address of the service API; FOGKEEP_SERVICE_KEY has its key")
	listen := flag.String("listen", "127.0.0.1:9090", "where to take webhooks")
	hooks := flag.String("hooks", "", "the URL by which the server reaches them; default: http:// and the address of -listen")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *file, *service, os.Getenv("FOGKEEP_SERVICE_KEY"), *listen, *hooks); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, file, service, key, listen, hooks string) error {
	t, err := read(file)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	defer l.Close()
	if hooks == "" {
		hooks = "http://" + l.Addr().String()
	}
	o, err := NewOrganizer(ctx, t, service, key, hooks, log.Printf)
	if err != nil {
		return err
	}
	web := &http.Server{Handler: o, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	go web.Serve(l)
	defer web.Close()
	champion, err := o.Play(ctx)
	if err == nil {
		log.Printf("%s has won %s", champion.Name, t.Name)
	}
	return err
}

// read reads a tournament's file. A field that there is not is an error.
func read(file string) (t Tournament, err error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return t, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return t, fmt.Errorf("%s: %w", file, err)
	}
	if err := t.Check(); err != nil {
		return t, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}
