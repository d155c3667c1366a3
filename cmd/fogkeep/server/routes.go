package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// ownPaths are the paths of the players' listener that a program's routes may not
// take.
var ownPaths = []string{"/api", "/admin", "/maps", "/ws", "/readyz", "/livez"}

// withRoutes returns builtin with a program's routes before it.
func withRoutes(builtin http.Handler, routes map[string]http.Handler) (_ http.Handler, err error) {
	if len(routes) == 0 {
		return builtin, nil
	}
	defer func() {
		if why := recover(); why != nil { // ServeMux's error about a pattern
			err = fmt.Errorf("route: %v", why)
		}
	}()
	mux := http.NewServeMux()
	for pattern, h := range routes {
		path := pattern[strings.LastIndexByte(pattern, ' ')+1:]
		if !strings.HasPrefix(path, "/") {
			return nil, fmt.Errorf("route %q: want a path that begins with /, without a host", pattern)
		}
		first, _, _ := strings.Cut(path[1:], "/")
		if first == "" || strings.HasPrefix(first, "{") {
			return nil, fmt.Errorf("route %q: the start page is the server's own", pattern)
		}
		if p := "/" + first; slices.Contains(ownPaths, p) {
			return nil, fmt.Errorf("route %q: %s is the server's own", pattern, p)
		}
		mux.Handle(pattern, h)
	}
	mux.Handle("/", builtin)
	return mux, nil
}
