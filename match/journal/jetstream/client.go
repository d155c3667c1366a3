package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
)

// This file has the JetStream requests that make a journal. nats.go has functions for some requests; these leave the
// conclusions to the caller, and the reads need no consumer.

const (
	headerExpected = "Nats-Expected-Last-Subject-Sequence"
	headerStream   = "Nats-Expected-Stream"
	headerSequence = "Nats-Sequence"
	headerStatus   = "Status"
)

// Codes of JetStream's API, see its errors.json. Its nats.go package names others.
const (
	codeStoreFailed = 10077 // the stream is full
	codeResources   = 10023
	codeStorage     = 10047
)

var (
	// errNoMessage: the leader says that the subject has no message.
	errNoMessage = errors.New("no message")
	errNoLeader  = errors.New("the journal store has no leader at the moment")
	errFull      = errors.New("the journal servers' store is full")
)

// place is where something lies: a subject of a stream.
type place struct {
	stream, subject string
}

// ack is JetStream's answer to a message, or its error.
type ack struct {
	Stream string           `json:"stream"`
	Seq    uint64           `json:"seq"`
	Error  *natsjs.APIError `json:"error"`
}

// publish appends a message to a subject whose last message has the sequence last, 0 for an empty subject. It tries
// once.
func (s *Store) publish(ctx context.Context, at place, last uint64, data []byte) (uint64, error) {
	m := nats.NewMsg(at.subject)
	m.Header.Set(headerExpected, strconv.FormatUint(last, 10))
	return s.put(ctx, at, m, data)
}

// replace writes a message to a subject that keeps one.
func (s *Store) replace(ctx context.Context, at place, data []byte) error {
	_, err := s.put(ctx, at, nats.NewMsg(at.subject), data)
	return err
}

func (s *Store) put(ctx context.Context, at place, m *nats.Msg, data []byte) (uint64, error) {
	m.Header.Set(headerStream, at.stream)
	m.Data = data
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	r, err := s.request(ctx, m)
	if errors.Is(err, nats.ErrNoResponders) {
		return 0, errNoLeader
	}
	if err != nil {
		return 0, fmt.Errorf("journal server: %w", err)
	}
	var a ack
	if err := json.Unmarshal(r.Data, &a); err != nil {
		return 0, fmt.Errorf("journal server: invalid answer: %w", err)
	}
	switch {
	case a.Error != nil && isCode(a.Error, codeStoreFailed, codeResources, codeStorage):
		return 0, fmt.Errorf("%w: %w", errFull, a.Error)
	case a.Error != nil:
		return 0, a.Error
	case a.Stream != at.stream || a.Seq == 0:
		return 0, fmt.Errorf("journal server: the answer is of stream %q, sequence %d", a.Stream, a.Seq)
	}
	return a.Seq, nil
}

func isCode(err error, codes ...natsjs.ErrorCode) bool {
	var api *natsjs.APIError
	return errors.As(err, &api) && slices.Contains(codes, api.ErrorCode)
}

// isMismatch: the subject's last message is another one.
func isMismatch(err error) bool { return isCode(err, natsjs.JSErrCodeStreamWrongLastSequence) }

// isInFlight: a write to the subject is under way, so its last message is not yet known.
func isInFlight(err error) bool { return isCode(err, natsjs.JSErrCodeStreamWrongLastSequenceConstant) }

func isTooLarge(err error) bool {
	return isCode(err, natsjs.JSErrCodeStreamMessageExceedsMaximum) || errors.Is(err, nats.ErrMaxPayload)
}

// needsTail: after this error the subject may end with this message, or with another process's. An attempt without an answer
// is no reason to look: a subject's end has no answer either until the stream has a leader, and the next attempt is refused
// if this one was written.
func needsTail(err error) bool {
	return !errors.Is(err, errFull) && errors.As(err, new(*natsjs.APIError))
}

// getRequest asks for messages, see JSApiMsgGetRequest of nats-server.
type getRequest struct {
	Seq      uint64 `json:"seq,omitempty"`
	LastFor  string `json:"last_by_subj,omitempty"`
	NextFor  string `json:"next_by_subj,omitempty"`
	Batch    int    `json:"batch,omitempty"`
	MaxBytes int    `json:"max_bytes,omitempty"`
}

// last asks for a subject's last message with a request of the JetStream API.
func (s *Store) last(ctx context.Context, api string, at place) (*nats.Msg, error) {
	m := nats.NewMsg(api + at.stream)
	var err error
	if m.Data, err = json.Marshal(getRequest{LastFor: at.subject}); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, attemptTime/2)
	defer cancel()
	r, err := s.request(ctx, m)
	if err != nil {
		return nil, fmt.Errorf("journal server: %w", err)
	}
	return r, nil
}

// tail asks the stream's leader for a subject's last message: errNoMessage if the subject is empty. A server that was
// the leader until just now may answer as well, with the message that was the last one then.
func (s *Store) tail(ctx context.Context, at place) (seq uint64, data []byte, err error) {
	r, err := s.last(ctx, "$JS.API.STREAM.MSG.GET.", at)
	if err != nil {
		return 0, nil, err
	}
	var answer struct {
		Error   *natsjs.APIError `json:"error"`
		Message struct {
			Seq  uint64 `json:"seq"`
			Data []byte `json:"data"`
		} `json:"message"`
	}
	err = json.Unmarshal(r.Data, &answer)
	switch {
	case err != nil:
		return 0, nil, fmt.Errorf("journal server: invalid answer: %w", err)
	case answer.Error != nil && answer.Error.ErrorCode == natsjs.JSErrCodeMessageNotFound:
		return 0, nil, errNoMessage
	case answer.Error != nil:
		return 0, nil, answer.Error
	case answer.Message.Seq == 0:
		return 0, nil, errors.New("journal server: an answer without a message")
	}
	return answer.Message.Seq, answer.Message.Data, nil
}

// newest asks any server of the stream for a subject's last message, which may be an older one on a server that lags;
// errNoMessage if that server has no message.
func (s *Store) newest(ctx context.Context, at place) (data []byte, err error) {
	r, err := s.last(ctx, "$JS.API.DIRECT.GET.", at)
	switch {
	case err != nil:
		return nil, err
	case r.Header.Get(headerStatus) == strconv.Itoa(http.StatusNotFound):
		return nil, errNoMessage
	case r.Header.Get(headerSequence) == "":
		return nil, fmt.Errorf("journal server: status %q", r.Header.Get(headerStatus))
	}
	return r.Data, nil
}

// How messages are read: a few first, since often only the first are wanted.
const (
	readFirst    = 16
	readMost     = 512
	readBytes    = 4 << 20
	readLagDelay = 20 * time.Millisecond
)

// read calls each with the messages of a subject from sequence from (0: the first) to
// sequence to, which the caller got from the leader. Any server of the stream answers.
// read asks a server that lags again, for ten seconds without a message. The caller
// checks for gaps. The error is fs.ErrNotExist if the subject is emptied meanwhile: the
// journal was archived or removed.
func (s *Store) read(ctx context.Context, at place, from, to uint64, each func(seq uint64, data []byte) error) error {
	inbox := s.conn.NewInbox()
	sub, err := s.conn.SubscribeSync(inbox + ".*")
	if err != nil {
		return fmt.Errorf("journal server: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }() // it fails if the connection is closed
	next := max(from, 1)
	moved := time.Now()
	for n, batch := 0, readFirst; next <= to; n, batch = n+1, min(2*batch, readMost) {
		reply := inbox + "." + strconv.Itoa(n)
		ask, err := json.Marshal(getRequest{Seq: next, NextFor: at.subject, Batch: batch, MaxBytes: readBytes})
		if err != nil {
			return err
		}
		err = s.conn.PublishRequest("$JS.API.DIRECT.GET."+at.stream, reply, ask)
		for err == nil && next <= to {
			var m *nats.Msg
			one, cancel := context.WithTimeout(ctx, attemptTime)
			m, err = sub.NextMsgWithContext(one)
			cancel()
			if err != nil || m.Subject != reply {
				continue // an answer to an earlier request is left out
			}
			seq, bad := strconv.ParseUint(m.Header.Get(headerSequence), 10, 64)
			if bad != nil {
				break // the end of the batch, or no message, or no answer
			}
			if seq < next {
				continue
			}
			if err := each(seq, m.Data); err != nil {
				return err
			}
			next, moved = seq+1, time.Now()
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case next > to:
		case time.Since(moved) > readStall:
			if err == nil {
				err = errors.New("no server has it")
			}
			return fmt.Errorf("journal %s/%s: message %d was not read: %w", at.stream, at.subject, next, err)
		case time.Since(moved) > readLagDelay/2:
			if _, _, err := s.tail(ctx, at); errors.Is(err, errNoMessage) {
				return fs.ErrNotExist
			}
			time.Sleep(readLagDelay)
		}
	}
	return nil
}
