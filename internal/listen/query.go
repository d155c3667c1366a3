package listen

import (
	"fmt"
	"net/url"
	"slices"
)

// QueryError is a fault in the query of a request.
type QueryError struct {
	Field string // the parameter; "": the query cannot be read
	Text  string
}

func (e *QueryError) Error() string { return e.Text }

// CheckQuery refuses a query with an unknown or repeated parameter: a misspelled parameter must not get the answer to
// another question, and every program on the way must read the query as the endpoint does.
func CheckQuery(u *url.URL, known ...string) error {
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return &QueryError{"", "the query of the address cannot be read"}
	}
	for name, values := range q {
		switch {
		case !slices.Contains(known, name):
			return &QueryError{name, fmt.Sprintf("unknown query parameter %.40q", name)}
		case len(values) > 1:
			return &QueryError{name, fmt.Sprintf("the query parameter %.40q is given %d times", name, len(values))}
		}
	}
	return nil
}
