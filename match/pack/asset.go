package pack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image/png"
)

// Bounds of assets.
const (
	iconSideMax   = 256 // pixels
	spriteSideMax = 48
	soundMsMax    = 5000
	assetBytesMax = 512 << 10
	modelBytesMax = 2 << 20
)

// asset is a file that clients load by its hash.
type asset struct {
	Hash string
	Type string // of the content, for HTTP
	b    []byte
}

// assetName is an asset's place in pack.json: types or weapons, the name of the type or weapon, and the use.
type assetName struct{ table, name, use string }

// use is one asset of a type or weapon.
type use struct {
	name string
	most int // bytes
	// parse returns the content's type.
	parse func([]byte) (string, error)
}

var (
	typeUses = []use{
		{"icon", assetBytesMax, func(b []byte) (string, error) { return parsePicture(b, iconSideMax) }},
		{"model", modelBytesMax, parseModel},
		{"sprite", assetBytesMax, func(b []byte) (string, error) { return parsePicture(b, spriteSideMax) }},
		{"voice", assetBytesMax, parseSound},
	}
	weaponUses = []use{{"shot", assetBytesMax, parseSound}}
)

func (u *use) read(b []byte) (asset, error) {
	if len(b) > u.most {
		return asset{}, fmt.Errorf("%d bytes, at most %d", len(b), u.most)
	}
	kind, err := u.parse(b)
	return asset{hashOf(b), kind, b}, err
}

// parsePicture reads a PNG or a WebP. SVG is refused: it may have scripts.
func parsePicture(b []byte, side int) (string, error) {
	kind, w, h := "image/png", 0, 0
	if bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")) {
		c, err := png.DecodeConfig(bytes.NewReader(b))
		if w, h = c.Width, c.Height; err == nil && w <= side && h <= side {
			_, err = png.Decode(bytes.NewReader(b))
		}
		if err != nil {
			return "", err
		}
	} else if len(b) >= 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP" {
		kind = "image/webp"
		if w, h = webpSize(b); w == 0 {
			return "", errors.New("a WebP without a picture that can be read, or with animation")
		}
	} else {
		return "", errors.New("a picture has to be a PNG or a WebP")
	}
	if w < 1 || h < 1 || w > side || h > side {
		return "", fmt.Errorf("%d by %d pixels, at most %d by %d", w, h, side, side)
	}
	return kind, nil
}

// webpSize returns the size of a still WebP, 0 for any other. Source: RFC 9649.
func webpSize(b []byte) (w, h int) {
	le := binary.LittleEndian
	if len(b) < 30 || int(le.Uint32(b[4:]))+8 != len(b)+len(b)%2 && int(le.Uint32(b[4:]))+8 != len(b) {
		return 0, 0
	}
	switch data := b[20:]; string(b[12:16]) {
	case "VP8 ":
		if string(data[3:6]) == "\x9d\x01\x2a" {
			return int(le.Uint16(data[6:]) & 0x3fff), int(le.Uint16(data[8:]) & 0x3fff)
		}
	case "VP8L":
		if bits := le.Uint32(data[1:]); data[0] == 0x2f {
			return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
		}
	case "VP8X":
		if data[0]&2 == 0 { // without animation
			return 1 + int(le.Uint32(data[4:])&0xffffff), 1 + int(le.Uint32(data[6:])>>8)
		}
	}
	return 0, 0
}

// parseSound reads a WAV, or an Ogg with Vorbis or Opus.
func parseSound(b []byte) (string, error) {
	kind, ms, err := "audio/wav", int64(0), errors.New("a sound has to be a WAV, or an Ogg with Vorbis or Opus")
	switch {
	case len(b) >= 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WAVE":
		ms, err = wavMs(b[12:])
	case bytes.HasPrefix(b, []byte("OggS")):
		kind = "audio/ogg"
		ms, err = oggMs(b)
	}
	if err == nil && (ms < 1 || ms > soundMsMax) {
		err = fmt.Errorf("%d ms long, want 1 to %d", ms, soundMsMax)
	}
	return kind, err
}

func wavMs(b []byte) (int64, error) {
	rate := int64(0) // bytes per second
	for len(b) >= 8 {
		id, n := string(b[:4]), int64(binary.LittleEndian.Uint32(b[4:]))
		if b = b[8:]; n > int64(len(b)) {
			return 0, fmt.Errorf("the chunk %q of the WAV ends after the file", id)
		}
		switch {
		case id == "fmt " && n >= 16:
			form, channels := binary.LittleEndian.Uint16(b), int64(binary.LittleEndian.Uint16(b[2:]))
			hz, bits := int64(binary.LittleEndian.Uint32(b[4:])), int64(binary.LittleEndian.Uint16(b[14:]))
			if form != 1 && form != 3 || channels < 1 || channels > 2 || hz < 8000 || hz > 96000 || bits%8 != 0 || bits < 8 || bits > 32 {
				return 0, fmt.Errorf("a WAV of form %d with %d channels, %d Hz and %d bits; want PCM, 1 or 2 channels, 8000 to 96000 Hz and 8 to 32 bits", form, channels, hz, bits)
			}
			rate = channels * hz * bits / 8
		case id == "data" && rate > 0:
			return n * 1000 / rate, nil
		}
		b = b[min(int64(len(b)), n+n%2):]
	}
	return 0, errors.New("a WAV without samples")
}

// oggMs returns the length of an Ogg: the last page's position. Sources: RFC 3533, RFC 7845, the Vorbis I specification.
func oggMs(b []byte) (ms int64, err error) {
	rate, last := int64(0), int64(0)
	for len(b) > 0 {
		if len(b) < 27 || string(b[:5]) != "OggS\x00" || len(b) < 27+int(b[26]) {
			return 0, errors.New("the Ogg has a page without a head")
		}
		size := 0
		for _, n := range b[27 : 27+int(b[26])] {
			size += int(n)
		}
		head := 27 + int(b[26])
		if len(b) < head+size {
			return 0, errors.New("the Ogg ends in a page")
		}
		page := b[head : head+size]
		switch {
		case rate > 0:
		case bytes.HasPrefix(page, []byte("\x01vorbis")) && size >= 16:
			rate = int64(binary.LittleEndian.Uint32(page[12:]))
		case bytes.HasPrefix(page, []byte("OpusHead")):
			rate = 48000
		}
		if rate < 8000 || rate > 192000 {
			return 0, errors.New("an Ogg has to have Vorbis or Opus, with 8000 to 192000 Hz")
		}
		if at := int64(binary.LittleEndian.Uint64(b[6:])); at >= 0 {
			last = at
		}
		b = b[head+size:]
	}
	if last > rate*soundMsMax { // it would overflow
		last = rate * soundMsMax
	}
	return last * 1000 / rate, nil
}
