package listen

import (
	"fmt"
	"net/url"
	"slices"
)

// QueryError says what is wrong with the query of a request.
type QueryError struct {
	Field string // the parameter; "": the query cannot be read
	Text  string
}

func (e *QueryError) Error() string { return e.Text }

// CheckQuery refuses a query with a parameter that is not known, or given twice: who misspells
// one must not get the answer to another question, and nothing that looks at a query on the way
// may read it otherwise than the endpoint does.
func CheckQuery(u *url.URL, known ...string) error {
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return &QueryError{"", "the query of the address cannot be read"}
	}
	for name, values := range q {
		switch {
		case !slices.Contains(known, name):
			return &QueryError{name, fmt.Sprintf("there is no query parameter %.40q here", name)}
		case len(values) > 1:
			return &QueryError{name, fmt.Sprintf("the query parameter %.40q is given %d times", name, len(values))}
		}
	}
	return nil
}
