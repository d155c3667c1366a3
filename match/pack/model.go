package pack

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Bounds of a model.
const (
	modelJSONMax     = 512 << 10
	modelVerticesMax = 12_000 // drawn, after indices
	modelListMax     = 256    // nodes, meshes, accessors, views, materials
	modelDepthMax    = 16
	modelReachMax    = 100 // of a position, in units of the model
)

// gltf is the part of glTF 2.0 that clients draw: triangles with the colours of vertices and materials. The first buffer is
// the file's binary chunk.
type gltf struct {
	Asset struct {
		Version string `json:"version"`
	} `json:"asset"`
	ExtensionsRequired []string          `json:"extensionsRequired"`
	Images             []json.RawMessage `json:"images"`
	Skins              []json.RawMessage `json:"skins"`
	Root               int               `json:"scene"`
	Roots              []struct {
		Nodes []int `json:"nodes"`
	} `json:"scenes"`
	Nodes []struct {
		Mesh        *int      `json:"mesh"`
		Children    []int     `json:"children"`
		Matrix      []float64 `json:"matrix"`
		Translation []float64 `json:"translation"`
		Rotation    []float64 `json:"rotation"`
		Scale       []float64 `json:"scale"`
	} `json:"nodes"`
	Meshes []struct {
		Primitives []struct {
			Attributes map[string]int `json:"attributes"`
			Indices    *int           `json:"indices"`
			Material   *int           `json:"material"`
			Mode       *int           `json:"mode"`
		} `json:"primitives"`
	} `json:"meshes"`
	Accessors []struct {
		View       *int            `json:"bufferView"`
		Offset     int             `json:"byteOffset"`
		Component  int             `json:"componentType"`
		Count      int             `json:"count"`
		Type       string          `json:"type"`
		Normalized bool            `json:"normalized"`
		Sparse     json.RawMessage `json:"sparse"`
	} `json:"accessors"`
	Views []struct {
		Buffer int `json:"buffer"`
		Offset int `json:"byteOffset"`
		Length int `json:"byteLength"`
		Stride int `json:"byteStride"`
	} `json:"bufferViews"`
	Buffers []struct {
		URI    *string `json:"uri"`
		Length int     `json:"byteLength"`
	} `json:"buffers"`
	Materials []struct {
		Name string `json:"name"`
	} `json:"materials"`

	bin      []byte
	vertices int
}

// parseModel reads a binary glTF 2.0 in one file, and checks all that a client reads there.
func parseModel(b []byte) (string, error) {
	const kind = "model/gltf-binary"
	le := binary.LittleEndian
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		return kind, errors.New("a glTF with separate files; export it as one binary file, .glb")
	}
	if len(b) < 20 || string(b[:4]) != "glTF" || le.Uint32(b[4:]) != 2 || int(le.Uint32(b[8:])) != len(b) {
		return kind, errors.New("a model has to be a binary glTF 2.0 (.glb)")
	}
	n := int(le.Uint32(b[12:]))
	if string(b[16:20]) != "JSON" || n > modelJSONMax || n > len(b)-20 {
		return kind, fmt.Errorf("the glTF's first chunk has to be JSON of at most %d bytes", modelJSONMax)
	}
	g := &gltf{}
	if err := json.Unmarshal(b[20:20+n], g); err != nil {
		return kind, fmt.Errorf("the glTF's JSON: %w", err)
	}
	if rest := b[20+n:]; len(rest) >= 8 && string(rest[4:8]) == "BIN\x00" && int(le.Uint32(rest)) <= len(rest)-8 {
		g.bin = rest[8 : 8+le.Uint32(rest)]
	}
	return kind, g.check()
}

func (g *gltf) check() error {
	for _, n := range []int{len(g.Roots), len(g.Nodes), len(g.Meshes), len(g.Accessors), len(g.Views), len(g.Materials)} {
		if n > modelListMax {
			return fmt.Errorf("the glTF has a list of %d, at most %d", n, modelListMax)
		}
	}
	switch {
	case g.Asset.Version != "2.0":
		return fmt.Errorf("glTF version %.20q, want 2.0", g.Asset.Version)
	case len(g.ExtensionsRequired) > 0:
		return fmt.Errorf("the glTF requires the extension %.60q; export it without compression", g.ExtensionsRequired[0])
	case len(g.Images) > 0:
		return errors.New("the glTF has textures; a model has colours of vertices and of materials")
	case len(g.Skins) > 0:
		return errors.New("the glTF has a skeleton; export the mesh alone")
	case len(g.Buffers) != 1 || g.Buffers[0].URI != nil || g.Buffers[0].Length < 0 || g.Buffers[0].Length > len(g.bin):
		return errors.New("the glTF has to have one buffer, in the same file")
	case g.Root < 0 || g.Root >= len(g.Roots):
		return errors.New("the glTF has no scene")
	}
	drawn := make([]bool, len(g.Nodes))
	if err := g.nodes(g.Roots[g.Root].Nodes, drawn, modelDepthMax); err != nil {
		return err
	}
	if g.vertices == 0 {
		return errors.New("the glTF's scene has no triangle")
	}
	return nil
}

func (g *gltf) nodes(list []int, drawn []bool, depth int) error {
	if depth == 0 {
		return fmt.Errorf("the glTF's nodes are nested deeper than %d levels", modelDepthMax)
	}
	for _, i := range list {
		if i < 0 || i >= len(g.Nodes) || drawn[i] {
			return fmt.Errorf("the glTF's node %d is missing, or appears twice", i)
		}
		drawn[i] = true
		n := &g.Nodes[i]
		for _, x := range []struct {
			of    []float64
			count int
		}{{n.Matrix, 16}, {n.Translation, 3}, {n.Rotation, 4}, {n.Scale, 3}} {
			if len(x.of) != 0 && len(x.of) != x.count {
				return fmt.Errorf("the glTF's node %d has a transform of %d numbers, want %d", i, len(x.of), x.count)
			}
			for _, v := range x.of {
				if math.Abs(v) > modelReachMax {
					return fmt.Errorf("the glTF's node %d has the number %g in its transform, at most %d", i, v, modelReachMax)
				}
			}
		}
		if n.Mesh != nil {
			if err := g.mesh(*n.Mesh); err != nil {
				return fmt.Errorf("the glTF's mesh %d: %w", *n.Mesh, err)
			}
		}
		if err := g.nodes(n.Children, drawn, depth-1); err != nil {
			return err
		}
	}
	return nil
}

func (g *gltf) mesh(i int) error {
	if i < 0 || i >= len(g.Meshes) || len(g.Meshes[i].Primitives) > modelListMax {
		return fmt.Errorf("it is missing, or has more than %d parts", modelListMax)
	}
	for _, p := range g.Meshes[i].Primitives {
		if p.Mode != nil && *p.Mode != 4 {
			return errors.New("a part is not made of triangles")
		}
		if p.Material != nil && (*p.Material < 0 || *p.Material >= len(g.Materials)) {
			return fmt.Errorf("material %d is missing", *p.Material)
		}
		at, ok := p.Attributes["POSITION"]
		if !ok {
			return errors.New("a part has no positions")
		}
		points, err := g.accessor(at, "VEC3", 5126)
		if err != nil {
			return fmt.Errorf("positions: %w", err)
		}
		count := g.Accessors[at].Count
		for _, b := range points {
			for k := 0; k < 12; k += 4 {
				if v := math.Float32frombits(binary.LittleEndian.Uint32(b[k:])); !(math.Abs(float64(v)) <= modelReachMax) {
					return fmt.Errorf("a position is %g, at most %d", v, modelReachMax)
				}
			}
		}
		for name, x := range p.Attributes { // the client may read them all
			if x < 0 || x >= len(g.Accessors) {
				return fmt.Errorf("%.40q: accessor %d is missing", name, x)
			}
			if _, err := g.accessor(x, g.Accessors[x].Type, g.Accessors[x].Component); err != nil {
				return fmt.Errorf("%.40q: %w", name, err)
			}
			if g.Accessors[x].Count != count {
				return fmt.Errorf("%.40q has %d values for %d vertices", name, g.Accessors[x].Count, count)
			}
		}
		drawn := count
		if p.Indices != nil {
			if drawn, err = g.indices(*p.Indices, count); err != nil {
				return fmt.Errorf("indices: %w", err)
			}
		}
		if g.vertices += drawn; drawn%3 != 0 || g.vertices > modelVerticesMax {
			return fmt.Errorf("%d vertices; want threes, and at most %d of the whole model", drawn, modelVerticesMax)
		}
	}
	return nil
}

func (g *gltf) indices(i, vertices int) (int, error) {
	if i < 0 || i >= len(g.Accessors) {
		return 0, fmt.Errorf("accessor %d is missing", i)
	}
	size := g.Accessors[i].Component
	if size != 5121 && size != 5123 && size != 5125 {
		return 0, fmt.Errorf("numbers of kind %d", size)
	}
	all, err := g.accessor(i, "SCALAR", size)
	for _, b := range all {
		n := uint32(b[0])
		switch size {
		case 5123:
			n = uint32(binary.LittleEndian.Uint16(b))
		case 5125:
			n = binary.LittleEndian.Uint32(b)
		}
		if n >= uint32(vertices) {
			return 0, fmt.Errorf("number %d of %d vertices", n, vertices)
		}
	}
	return len(all), err
}

var componentBytes = map[int]int{5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
var typeComponents = map[string]int{"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}

// accessor returns the bytes of each element, all within the binary chunk.
func (g *gltf) accessor(i int, form string, component int) ([][]byte, error) {
	if i < 0 || i >= len(g.Accessors) {
		return nil, fmt.Errorf("accessor %d is missing", i)
	}
	a := &g.Accessors[i]
	size := componentBytes[component] * typeComponents[form]
	if a.Type != form || a.Component != component || size == 0 || a.View == nil || len(a.Sparse) > 0 {
		return nil, fmt.Errorf("accessor %d has the form %.10q of kind %d; want %s of kind %d, not sparse", i, a.Type, a.Component, form, component)
	}
	if *a.View < 0 || *a.View >= len(g.Views) {
		return nil, fmt.Errorf("buffer view %d is missing", *a.View)
	}
	v := &g.Views[*a.View]
	stride := size
	if v.Stride != 0 {
		stride = v.Stride
	}
	if a.Count < 1 || a.Count > modelVerticesMax || v.Buffer != 0 || v.Offset < 0 || v.Length < 0 || a.Offset < 0 ||
		v.Offset > len(g.bin) || v.Length > len(g.bin)-v.Offset || stride < size || stride > 252 ||
		a.Offset > v.Length || (a.Count-1)*stride+size > v.Length-a.Offset {
		return nil, fmt.Errorf("accessor %d reads %d elements past its bytes, or has more than %d", i, a.Count, modelVerticesMax)
	}
	out := make([][]byte, a.Count)
	for k := range out {
		at := v.Offset + a.Offset + k*stride
		out[k] = g.bin[at : at+size]
	}
	return out, nil
}
