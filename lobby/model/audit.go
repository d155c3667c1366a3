package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// AuditRow is one action of an admin. Rows are only ever added: both databases refuse
// to change a row, or to delete a row that is not beyond the chain's anchor. They are a
// chain by hash, which reveals changes made past the server, see
// admin.Session.VerifyAudit.
type AuditRow struct {
	Num     int64     `json:"num"` // the store's order
	At      time.Time `json:"at"`
	Admin   string    `json:"admin"`   // name; "cli:USER" for the command line
	Action  string    `json:"action"`  // such as "ban.add"
	Subject string    `json:"subject"` // the object of the action
	Detail  string    `json:"detail"`  // for people
	Address string    `json:"address" doc:"of the command line: the system's user"`
	Link    int64     `json:"link" doc:"place in the chain, from 1; 0: from before there was one"` // without gaps
	Prev    string    `json:"-"`                                                                   // hash of the row before it
	Hash    string    `json:"hash" doc:"of the row and of the one before it"`                      // see [AuditRow.Digest]
}

// Digest is the hash of a row's place, of the hash before it and of everything
// that it says: SHA-256 in hex over each field with its length before it.
func (r AuditRow) Digest() string {
	h := sha256.New()
	var n [8]byte
	for _, field := range []string{
		"fogkeep audit 1", r.Prev, strconv.FormatInt(r.Link, 10), strconv.FormatInt(r.At.UnixMilli(), 10),
		r.Admin, r.Action, r.Subject, r.Detail, r.Address,
	} {
		binary.BigEndian.PutUint64(n[:], uint64(len(field)))
		h.Write(n[:])
		h.Write([]byte(field))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// AuditHead names one row of the chain: LINK:HASH in texts.
type AuditHead struct {
	Link int64
	Hash string
}

// IsZero reports whether it names no row: [AuditChain.Anchor] may.
func (h AuditHead) IsZero() bool { return h.Link < 0 }

// MarshalText implements [encoding.TextMarshaler].
func (h AuditHead) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%d:%s", h.Link, h.Hash), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. The empty text is the empty head.
func (h *AuditHead) UnmarshalText(text []byte) error {
	if *h = (AuditHead{}); len(text) == 0 {
		return nil
	}
	link, hash, ok := strings.Cut(string(text), ":")
	n, err := strconv.ParseInt(link, 10, 64)
	if err != nil || !ok || n < 0 {
		return RefuseField(BadRequest, "head", "is LINK:HASH, as an earlier report has it")
	}
	*h = AuditHead{n, hash}
	return nil
}

// AuditChain is where the chain ends and begins.
type AuditChain struct {
	Head   AuditHead // the last row
	Anchor AuditHead // the last row that was deleted because of its age; link -1: no row
}
