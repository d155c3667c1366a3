package api

import "github.com/fogkeep/fogkeep/internal/listen"

// Origins decides which web pages may call the API. nil: only pages of the same host.
type Origins = listen.Origins

// Proxies are the address ranges of proxies whose X-Forwarded-For is believed.
type Proxies = listen.Proxies
