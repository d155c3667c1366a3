package shared

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// Problem is every refusal's body (RFC 9457), with a short code for programs.
type Problem struct {
	Status int      `json:"status" doc:"the HTTP status"`
	Title  string   `json:"title" doc:"the status in words"`
	Code   string   `json:"code" doc:"a short reason; lobby.Codes lists them"`
	Detail string   `json:"detail" doc:"a sentence for people"`
	Field  string   `json:"field,omitempty" doc:"the option or field at fault"`
	Errors []string `json:"errors,omitempty" doc:"the faults of the request, one line each"`

	RetryAfter time.Duration `json:"-"`
}

func (p *Problem) Error() string             { return p.Code + ": " + p.Detail }
func (p *Problem) GetStatus() int            { return p.Status }
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// GetHeaders implements huma.HeadersError.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((p.RetryAfter+time.Second-1)/time.Second)))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	return h
}

// Write answers a request with the problem.
func (p *Problem) Write(w http.ResponseWriter) {
	maps.Copy(w.Header(), p.GetHeaders())
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client has gone
}
