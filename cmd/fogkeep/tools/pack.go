package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/fogkeep/fogkeep/match/pack"
)

// packCmd works on packs.
type packCmd struct {
	Check packCheckCmd `cmd:"" help:"Check a pack, and report its oddities."`
	Build packBuildCmd `cmd:"" help:"Write a pack's folder as one file."`
	Add   packAddCmd   `cmd:"" help:"Check a pack and put it into a server's folder of packs."`
	List  packListCmd  `cmd:"" help:"List the packs in a server's folder of packs."`
}

// packsFolder is where a server finds packs.
type packsFolder struct {
	ContentDir string `env:"FOGKEEP_CONTENT_DIR" placeholder:"DIR" help:"The server's folder for maps, rulesets and packs. Default: the data folder."`
	DataDir    string `env:"FOGKEEP_DATA_DIR" default:"data" placeholder:"DIR" help:"The server's data folder (${default})."`
}

func (c *packsFolder) dir() string { return filepath.Join(cmp.Or(c.ContentDir, c.DataDir), "packs") }

// open reads a pack. The packs that it may extend are in the folder.
func (c *packsFolder) open(path string) (*pack.Pack, error) {
	l, _, err := pack.OpenLibrary(c.dir())
	if err != nil {
		return nil, err
	}
	return pack.Open(path, l.Named)
}

// packOf reads a pack for a scenario or ruleset; "": a pack without content.
func (c *packsFolder) packOf(path string) (*pack.Pack, error) {
	if path == "" {
		return &pack.Pack{}, nil
	}
	return c.open(path)
}

// packAround returns the folder of the pack that a file is in: the one above the file's own. "": the file is in no pack.
func packAround(file string) string {
	at, err := filepath.Abs(file)
	if err != nil {
		return ""
	}
	dir := filepath.Dir(filepath.Dir(at))
	if _, err := os.Stat(filepath.Join(dir, pack.ManifestFile)); err != nil {
		return ""
	}
	return dir
}

type packCheckCmd struct {
	packsFolder
	Path string `arg:"" help:"A pack: a folder with pack.json, or NAME.fogpack."`
	JSON bool   `name:"json" help:"Write one JSON object."`
}

// packReport describes a pack, for --json.
type packReport struct {
	Name      string   `json:"name,omitempty"`
	Version   string   `json:"version,omitempty"`
	Licence   string   `json:"licence,omitempty"`
	Hash      string   `json:"hash,omitempty"`
	Bytes     int      `json:"bytes,omitempty"`
	Rulesets  []string `json:"rulesets"`
	Maps      []string `json:"maps"`
	Scenarios []string `json:"scenarios"`
	Warnings  []string `json:"warnings"`
	Errors    []string `json:"errors,omitempty"`
}

func reportOf(p *pack.Pack) packReport {
	r := packReport{p.Name, p.Version, p.Licence, p.Hash, p.Bytes, []string{}, []string{}, []string{}, append([]string{}, p.Warnings...), nil}
	for _, x := range p.Rulesets {
		r.Rulesets = append(r.Rulesets, x.ID)
	}
	for _, x := range p.Maps {
		r.Maps = append(r.Maps, x.Name)
	}
	for _, x := range p.Scenarios {
		r.Scenarios = append(r.Scenarios, x.Name)
	}
	return r
}

// Run checks a pack.
func (c *packCheckCmd) Run(in *Invocation) error {
	p, err := c.open(c.Path)
	if err != nil {
		if c.JSON {
			err = errors.Join(err, json.NewEncoder(in.Stdout).Encode(packReport{Errors: strings.Split(err.Error(), "\n")}))
		}
		return err
	}
	r := reportOf(p)
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(r)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(in.Stdout, "%s: warning: %s\n", c.Path, w)
	}
	_, err = fmt.Fprintf(in.Stdout, "%s: valid, rulesets %v, maps %v, scenarios %v, %d bytes, %d warnings, hash %s\n",
		c.Path, r.Rulesets, r.Maps, r.Scenarios, r.Bytes, len(r.Warnings), r.Hash)
	return err
}

type packBuildCmd struct {
	packsFolder
	Path string `arg:"" help:"A pack's folder."`
	Out  string `short:"o" type:"path" placeholder:"FILE" help:"The file to write; it must not exist. Default: NAME-VERSION.fogpack."`
}

// Run writes a pack as one file.
func (c *packBuildCmd) Run(in *Invocation) error {
	p, err := c.open(c.Path)
	if err != nil {
		return err
	}
	out := cmp.Or(c.Out, p.Name+"-"+p.Version+pack.Ext)
	if err := p.Write(out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(in.Stdout, "%s: hash %s\n", out, p.Hash)
	return err
}

type packAddCmd struct {
	packsFolder
	Path string `arg:"" help:"A pack: a folder with pack.json, or NAME.fogpack."`
}

// Run puts a pack into the folder under a name with its hash, so that earlier versions stay for replays.
func (c *packAddCmd) Run(in *Invocation) error {
	p, err := c.open(c.Path)
	if err != nil {
		return err
	}
	to := filepath.Join(c.dir(), p.FileName())
	if err := p.Write(to); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	_, err = fmt.Fprintf(in.Stdout, "%s: hash %s\n", to, p.Hash)
	return err
}

type packListCmd struct {
	packsFolder
	JSON bool `name:"json" help:"Write one JSON list."`
}

// Run lists the packs of the folder, and names the faulty ones.
func (c *packListCmd) Run(in *Invocation) error {
	l, refused, err := pack.OpenLibrary(c.dir())
	if err != nil {
		return err
	}
	rows := []packReport{}
	for _, p := range l.List() {
		rows = append(rows, reportOf(p))
	}
	if c.JSON {
		return errors.Join(append(refused, json.NewEncoder(in.Stdout).Encode(rows))...)
	}
	t := tabwriter.NewWriter(in.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tVERSION\tLICENCE\tHASH\tRULESETS")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%.12s\t%s\n", r.Name, r.Version, r.Licence, r.Hash, strings.Join(r.Rulesets, ", "))
	}
	return errors.Join(append(refused, t.Flush())...)
}
