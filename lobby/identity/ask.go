package identity

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// asked asks the operator's URL for the owner of a token. It caches no answer: a
// refusal by the URL takes effect at once.
type asked struct {
	client *http.Client
	url    string
	secret string
	issuer string
}

func newAsked(p *providerFile) *asked {
	return &asked{newClient(p.AllowHTTP, p.URL), p.URL, p.secret, p.Issuer}
}

// Verify implements [Verifier]. The URL is sent {"token": "…"} with the secret as
// bearer token. It answers 200 with {"subject": "…", "name": "…"}, or 400, 401, 403 or
// 404 for an invalid token.
func (a *asked) Verify(ctx context.Context, token string) (person account.Identity, err error) {
	if len(token) > TokenMax {
		return person, refused(errors.New("the token is too long"))
	}
	body, err := json.Marshal(map[string]string{"token": token})
	if err != nil {
		return person, refused(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, bytes.NewReader(body))
	if err != nil {
		return person, failed(err)
	}
	req.Header.Set("Authorization", "Bearer "+a.secret)
	req.Header.Set("Content-Type", "application/json")
	res, err := a.client.Do(req)
	if err != nil {
		return person, failed(err)
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusOK:
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return person, refused(fmt.Errorf("the URL answered %s", res.Status))
	default:
		return person, failed(fmt.Errorf("the URL answered %s", res.Status))
	}
	raw, err := io.ReadAll(res.Body) // bounded by the client
	if err != nil {
		return person, failed(err)
	}
	var answer struct {
		Subject string `json:"subject"`
		Name    string `json:"name"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return person, failed(err)
	}
	person = account.Identity{ExternalID: model.ExternalID{Issuer: a.issuer, Subject: answer.Subject}, Name: answer.Name}
	if err := person.Check(); err != nil {
		return account.Identity{}, failed(err)
	}
	return person, nil
}
