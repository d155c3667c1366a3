package solo

import (
	"encoding/json"
	"fmt"
	"net/url"
)

// Inspect answers a GET of the inspector's API, about any match of the folder. Every look is allowed: the person is the
// admin of its own matches.
func (s *Server) Inspect(path string) (status int, body []byte, err error) {
	u, err := url.Parse(path)
	if err != nil {
		return 0, nil, fmt.Errorf("a path of the inspector: %w", err)
	}
	status, answer := s.looks.Answer(s.ctx, u)
	body, err = json.Marshal(answer)
	return status, body, err
}
