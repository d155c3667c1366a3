package pack

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"
)

func asset0(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(frost + "/assets/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// glb packs a glTF's JSON and bytes.
func glb(doc map[string]any, bin []byte) []byte {
	j, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	for len(j)%4 != 0 {
		j = append(j, ' ')
	}
	out := append([]byte("glTF"), 2, 0, 0, 0)
	out = binary.LittleEndian.AppendUint32(out, uint32(12+8+len(j)+8+len(bin)))
	out = append(binary.LittleEndian.AppendUint32(out, uint32(len(j))), "JSON"...)
	out = append(out, j...)
	out = append(binary.LittleEndian.AppendUint32(out, uint32(len(bin))), "BIN\x00"...)
	return append(out, bin...)
}

// TestWrongModels: everything in a model that a client reads is within its bytes and bounds.
func TestWrongModels(t *testing.T) {
	whole := asset0(t, "golem.glb")
	n := binary.LittleEndian.Uint32(whole[12:])
	bin := whole[20+n+8:]
	change := func(edit string) []byte {
		var doc map[string]any
		if err := json.Unmarshal(whole[20:20+n], &doc); err != nil {
			t.Fatal(err)
		}
		path, raw, _ := strings.Cut(edit, "=")
		var to any
		if err := json.Unmarshal([]byte(raw), &to); err != nil {
			t.Fatal(edit, err)
		}
		var at any = doc
		steps := strings.Split(path, ".")
		for i, step := range steps {
			switch v := at.(type) {
			case map[string]any:
				if i == len(steps)-1 {
					v[step] = to
				}
				at = v[step]
			case []any:
				at = v[int(step[0]-'0')]
			}
		}
		return glb(doc, bin)
	}
	if _, err := parseModel(change("scene=0")); err != nil {
		t.Fatal("the unchanged model:", err)
	}
	for edit, want := range map[string]string{
		`asset.version="1.0"`:                          `glTF version "1.0"`,
		`extensionsRequired=["KHR_draco"]`:             `requires the extension "KHR_draco"`,
		`images=[{"uri":"https://example.org"}]`:       `has textures`,
		`skins=[{}]`:                                   `has a skeleton`,
		`buffers=[]`:                                   `one buffer, in the same file`,
		`buffers.0.uri="https://example.org/a.bin"`:    `one buffer, in the same file`,
		`buffers.0.byteLength=99999`:                   `one buffer, in the same file`,
		`scene=1`:                                      `no scene`,
		`scene=-1`:                                     `no scene`,
		`scenes.0.nodes=[5]`:                           `node 5 is missing`,
		`scenes.0.nodes=[0,0]`:                         `node 0 is missing, or appears twice`,
		`scenes.0.nodes=[]`:                            `no triangle`,
		`nodes.0.children=[0]`:                         `node 0 is missing, or appears twice`,
		`nodes.0.mesh=3`:                               `mesh 3: it is missing`,
		`nodes.0.scale=[1,1]`:                          `a transform of 2 numbers, want 3`,
		`nodes.0.translation=[1,1,1000]`:               `the number 1000 in its transform`,
		`meshes.0.primitives.0.mode=1`:                 `not made of triangles`,
		`meshes.0.primitives.0.material=9`:             `material 9 is missing`,
		`meshes.0.primitives.0.attributes={}`:          `no positions`,
		`meshes.0.primitives.0.indices=99`:             `accessor 99 is missing`,
		`meshes.0.primitives.0.indices=1`:              `numbers of kind 5126`,
		`meshes.0.primitives.0.attributes.COLOR_0=99`:  `"COLOR_0": accessor 99 is missing`,
		`meshes.0.primitives.0.attributes.COLOR_0=0`:   `"COLOR_0" has 24 values for 6 vertices`,
		`accessors.0.count=23`:                         `23 vertices; want threes`,
		`accessors.0.count=2000000000`:                 `accessor 0 reads 2000000000 elements past`,
		`accessors.0.count=0`:                          `accessor 0 reads 0 elements`,
		`accessors.0.byteOffset=-4`:                    `accessor 0 reads`,
		`accessors.1.type="VEC2"`:                      `accessor 1 has the form "VEC2"`,
		`accessors.1.componentType=5123`:               `accessor 1 has the form`,
		`accessors.1.sparse={}`:                        `not sparse`,
		`accessors.1.bufferView=77`:                    `buffer view 77 is missing`,
		`accessors.1.count=7`:                          `accessor 1 reads 7 elements past`,
		`bufferViews.0.byteLength=99999`:               `accessor 0 reads`,
		`bufferViews.0.byteOffset=4611686018427387904`: `accessor 0 reads`,
		`bufferViews.0.byteStride=1`:                   `accessor 0 reads`,
		`bufferViews.0.buffer=1`:                       `accessor 0 reads`,
		`nodes=7`:                                      `the glTF's JSON`,
	} {
		if _, err := parseModel(change(edit)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", edit, err, want)
		}
	}
	// An index past the vertices, and a position that is no number.
	for at, b := range map[int][]byte{0: {200, 0}, 48: {0, 0, 0xc0, 0x7f}} {
		broken := bytes.Clone(whole)
		copy(broken[20+int(n)+8+at:], b)
		if _, err := parseModel(broken); err == nil {
			t.Errorf("the bytes % x at %d are taken", b, at)
		}
	}
	for _, b := range [][]byte{nil, whole[:30], append(bytes.Clone(whole), 0), []byte(` {"asset": {}}`), append([]byte("glTF\x02\x00\x00\x00\x14\x00\x00\x00\xff\xff\xff\xff"), "JSON"...)} {
		if _, err := parseModel(b); err == nil {
			t.Errorf("%d bytes are taken", len(b))
		}
	}
}

// TestWrongPicturesAndSounds: a picture has a bounded size, a sound a bounded length, whatever their heads say.
func TestWrongPicturesAndSounds(t *testing.T) {
	var large bytes.Buffer
	if err := png.Encode(&large, image.NewGray(image.Rect(0, 0, 300, 2))); err != nil {
		t.Fatal(err)
	}
	icon := asset0(t, "golem.png")
	huge := bytes.Clone(icon) // its head says 2^31-1 pixels
	copy(huge[16:], []byte{0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff})
	webp := func(chunk string) []byte {
		data := "WEBP" + chunk
		return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(data))), data...)
	}
	wav := asset0(t, "golem.wav")
	edited := func(at int, b ...byte) []byte {
		out := bytes.Clone(wav)
		copy(out[at:], b)
		return out
	}
	page := func(at uint64, content string) string {
		b := binary.LittleEndian.AppendUint64([]byte("OggS\x00\x00"), at)
		return string(append(b, make([]byte, 12)...)) + "\x01" + string(rune(len(content))) + content
	}
	opus := page(0, "OpusHead\x01\x01")
	vorbis := page(0, "\x01vorbis\x00\x00\x00\x00\x01\x40\x1f\x00\x00")
	for _, c := range []struct {
		name string
		b    []byte
		kind string // "" if it is refused
		want string
	}{
		{"a PNG", icon, "image/png", ""},
		{"a wide PNG", large.Bytes(), "", "300 by 2 pixels"},
		{"a huge PNG", huge, "", "png:"},
		{"half a PNG", icon[:len(icon)/2], "", "png: invalid"},
		{"an SVG", []byte(`<svg onload="alert(1)"/>`), "", "a PNG or a WebP"},
		{"a page", []byte("<!doctype html>"), "", "a PNG or a WebP"},
		{"a lossy WebP", webp("VP8 \x0a\x00\x00\x00\x00\x00\x00\x9d\x01\x2a\x40\x00\x20\x00"), "image/webp", ""},
		{"a lossless WebP", webp("VP8L\x0a\x00\x00\x00\x2f\x3f\x00\x08\x00\x00\x00\x00\x00\x00"), "image/webp", ""},
		{"a large WebP", webp("VP8X\x0a\x00\x00\x00\x00\x00\x00\x00\xff\x01\x00\x1f\x00\x00"), "", "512 by 32 pixels"},
		{"a moving WebP", webp("VP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x1f\x00\x00\x1f\x00\x00"), "", "with animation"},
		{"a short WebP", webp("VP8 "), "", "without a picture"},
		{"a WAV", wav, "audio/wav", ""},
		{"a WAV of numbers", edited(20, 85), "", "form 85"},
		{"a WAV of 9 channels", edited(22, 9), "", "9 channels"},
		{"a slow WAV", edited(24, 1, 0, 0, 0), "", "1 Hz"},
		{"a WAV of 12 bits", edited(34, 12), "", "12 bits"},
		{"a long chunk", edited(40, 0xff, 0xff, 0xff, 0x7f), "", `the chunk "data" of the WAV ends after the file`},
		{"a WAV without samples", wav[:36], "", "without samples"},
		{"a silent WAV", edited(36, 'j', 'u', 'n', 'k'), "", "without samples"},
		{"an MP3", []byte("ID3\x04"), "", "a WAV, or an Ogg"},
		{"an Opus", []byte(opus + page(48000, "x")), "audio/ogg", ""},
		{"a Vorbis", []byte(vorbis + page(8000, "x")), "audio/ogg", ""},
		{"a long Opus", []byte(opus + page(48000*6, "x")), "", "6000 ms long"},
		{"an endless Opus", []byte(opus + page(1<<62, "x")), "", "ms long"},
		{"an empty Opus", []byte(opus), "", "0 ms long"},
		{"a torn Ogg", []byte(opus + page(48000, "x"))[:60], "", "page"},
		{"an Ogg of a film", []byte(page(0, "\x80theora")), "", "Vorbis or Opus"},
	} {
		parse := parseSound
		if strings.Contains(c.name, "PNG") || strings.Contains(c.name, "WebP") || c.name == "an SVG" || c.name == "a page" {
			parse = typeUses[0].parse
		}
		kind, err := parse(c.b)
		if c.kind != "" && (err != nil || kind != c.kind) || c.kind == "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %s, %v, want %s%s", c.name, kind, err, c.kind, c.want)
		}
	}
	if _, err := weaponUses[0].read(make([]byte, assetBytesMax+1)); err == nil || !strings.Contains(err.Error(), "at most 524288") {
		t.Errorf("a large sound: %v", err)
	}
}

// FuzzAssets: no bytes make a parser panic.
func FuzzAssets(f *testing.F) {
	for _, name := range []string{"golem.glb", "golem.png", "golem.wav"} {
		f.Add(asset0(f, name))
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		for _, u := range append(typeUses, weaponUses...) {
			_, _ = u.read(b)
		}
	})
}
