package mapfile

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// cells decodes a chunk: exactly w*h global tile numbers. w and h were bounded
// when the chunk was parsed, so what is allocated here is bounded too.
func (c *chunk) cells(encoding, compression string) ([]uint32, error) {
	n := c.w * c.h
	if c.gids != nil || (c.text == "" && n == 0) {
		if len(c.gids) != n {
			return nil, fmt.Errorf("%d cells where %dx%d need %d", len(c.gids), c.w, c.h, n)
		}
		return c.gids, nil
	}
	switch encoding {
	case "", "csv":
		return csvCells(c.text, n)
	case "base64":
		return base64Cells(c.text, compression, n)
	default:
		return nil, fmt.Errorf("encoding %s: csv and base64 are known", quote(encoding))
	}
}

func csvCells(text string, n int) ([]uint32, error) {
	// A number has at least one character: no more room than the text can fill.
	out := make([]uint32, 0, min(n, len(text)))
	for field := range strings.SplitSeq(text, ",") {
		if field = strings.TrimSpace(field); field == "" && len(out) == n {
			continue // after a last comma
		}
		v, err := strconv.ParseUint(field, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("cell %d is %s: want a number", len(out), quote(field))
		}
		if len(out) == n {
			return nil, fmt.Errorf("more than the %d cells of its size", n)
		}
		out = append(out, uint32(v))
	}
	if len(out) != n {
		return nil, fmt.Errorf("%d cells where its size needs %d", len(out), n)
	}
	return out, nil
}

func base64Cells(text, compression string, n int) ([]uint32, error) {
	clean := strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\r' || r == '\t' {
			return -1
		}
		return r
	}, text)
	packed, err := base64.StdEncoding.DecodeString(clean)
	if err != nil {
		return nil, fmt.Errorf("base64: %w", err)
	}
	raw, err := unpack(packed, compression, 4*n)
	if err != nil {
		return nil, err
	}
	if len(raw) != 4*n {
		return nil, fmt.Errorf("%d bytes of cells where its size needs %d", len(raw), 4*n)
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return out, nil
}

// unpack decompresses to at most want+1 bytes, so that what would be too long
// shows without being read to its end.
func unpack(packed []byte, compression string, want int) ([]byte, error) {
	var r io.Reader
	switch compression {
	case "":
		return packed, nil
	case "zlib":
		z, err := zlib.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, fmt.Errorf("zlib: %w", tooEarly(err))
		}
		defer z.Close()
		r = z
	case "gzip":
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", tooEarly(err))
		}
		defer z.Close()
		r = z
	case "zstd":
		z, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", tooEarly(err))
		}
		defer z.Close()
		r = z
	default:
		return nil, fmt.Errorf("compression %s: zlib, gzip and zstd are known", quote(compression))
	}
	raw, err := io.ReadAll(io.LimitReader(r, int64(want)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: after %d bytes: %w", compression, len(raw), tooEarly(err))
	case len(raw) > want:
		return nil, fmt.Errorf("%s: more than the %d bytes of its size", compression, want)
	}
	return raw, nil
}

func tooEarly(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the data ends too early")
	}
	return err
}
