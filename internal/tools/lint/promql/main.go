package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// inGrafana replaces the variables of dashboards with values that Grafana would put in.
var inGrafana = strings.NewReplacer("$__rate_interval", "5m", "$instance", "127.0.0.1:8082")

func main() {
	if err := check(os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(dir string) (err error) {
	p := parser.NewParser(parser.Options{})
	_, faults := rulefmt.ParseFile(filepath.Join(dir, "alerts.yaml"), false, model.UTF8Validation, p, slog.New(slog.DiscardHandler))
	err = errors.Join(faults...)
	boards, _ := filepath.Glob(filepath.Join(dir, "*.json")) // the pattern is valid
	if len(boards) == 0 {
		return errors.Join(err, fmt.Errorf("%s has no dashboards", dir))
	}
	for _, file := range boards {
		text, e := os.ReadFile(file)
		if e != nil {
			return errors.Join(err, e)
		}
		var board struct {
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		if e := json.Unmarshal(text, &board); e != nil {
			return errors.Join(err, fmt.Errorf("%s: %w", file, e))
		}
		for _, panel := range board.Panels {
			for _, t := range panel.Targets {
				if _, e := p.ParseExpr(inGrafana.Replace(t.Expr)); e != nil {
					err = errors.Join(err, fmt.Errorf("%s: panel %q: %w", file, panel.Title, e))
				}
			}
		}
	}
	return err
}
