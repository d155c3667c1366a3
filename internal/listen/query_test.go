package listen

import (
	"errors"
	"net/url"
	"testing"
)

// A query has parameters that the endpoint knows, each once. The refusal names the parameter.
func TestCheckQuery(t *testing.T) {
	for query, want := range map[string]string{"": "", "eyes=all": "", "eyes=all&team=0": "team", "Eyes=1": "Eyes", "eyes=0&eyes=1": "eyes", "x": "x", "&&": ""} {
		err := CheckQuery(&url.URL{RawQuery: query}, "eyes", "tick")
		var e *QueryError
		if (err != nil) != (want != "") || errors.As(err, &e) && e.Field != want {
			t.Errorf("%q: %v", query, err)
		}
	}
	for _, query := range []string{"eyes=%zz", "eyes=0;team=1"} {
		if CheckQuery(&url.URL{RawQuery: query}, "eyes", "team") == nil {
			t.Errorf("%q is read", query)
		}
	}
}
