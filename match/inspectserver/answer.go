package inspectserver

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Answer answers a GET of an operation of [Service.Register] inside the process, for a program whose user may see
// everything. The body is one for JSON.
func (s *Service) Answer(ctx context.Context, u *url.URL) (status int, body any) {
	match, path, _ := strings.Cut(strings.TrimPrefix(u.Path, Prefix+"/"), "/")
	if path != "" {
		path = "/" + path
	}
	i := slices.IndexFunc(operations, func(o operation) bool { return o.name() == path })
	err := error(refuse("no_match", "no operation of the inspector has the path %.128q", u.Path))
	if i >= 0 && strings.HasPrefix(u.Path, Prefix+"/") {
		body, err = operations[i].answer(ctx, s, match, u.Query())
	}
	if err != nil {
		no := s.answerOf(match, err)
		return no.Status, no
	}
	return http.StatusOK, body
}

func (l looking[I, T]) answer(ctx context.Context, s *Service, match string, query url.Values) (any, error) {
	var in I
	if err := fill(reflect.ValueOf(&in).Elem(), match, query); err != nil {
		return nil, err
	}
	return l.look(ctx, s, &in)
}

// fill reads an operation's input from a path and a query, by the tags that huma reads too.
func fill(in reflect.Value, match string, query url.Values) error {
	for i := range in.NumField() {
		field, value := in.Type().Field(i), in.Field(i)
		if field.Anonymous {
			if err := fill(value, match, query); err != nil {
				return err
			}
			continue
		}
		name, text := field.Tag.Get("query"), match
		if name != "" {
			text = query.Get(name)
		} else {
			name = field.Tag.Get("path")
		}
		if text == "" {
			text = field.Tag.Get("default")
		}
		if text == "" {
			if field.Tag.Get("required") != "" {
				return badQuery(name, "%s is missing", name)
			}
			continue
		}
		if !set(value, text, field.Tag) {
			return badQuery(name, "%s may not be %.64q", name, text)
		}
	}
	return nil
}

// set sets a field, and reports whether the text is one of its values.
func set(value reflect.Value, text string, tag reflect.StructTag) bool {
	if value.Kind() == reflect.String {
		value.SetString(text)
		most, err := strconv.Atoi(tag.Get("maxLength"))
		return (err != nil || len(text) <= most) && regexp.MustCompile(tag.Get("pattern")).MatchString(text)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return false
	}
	bound := func(name string, ok func(bound int64) bool) bool {
		b, err := strconv.ParseInt(tag.Get(name), 10, 64)
		return err != nil || ok(b)
	}
	if !bound("minimum", func(b int64) bool { return n >= b }) || !bound("maximum", func(b int64) bool { return n <= b }) {
		return false
	}
	if value.CanUint() {
		if n < 0 || value.OverflowUint(uint64(n)) {
			return false
		}
		value.SetUint(uint64(n))
		return true
	}
	value.SetInt(n)
	return true
}
