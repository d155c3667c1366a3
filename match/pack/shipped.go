package pack

import (
	"embed"
	"fmt"
	"io/fs"
	"sync"
)

//go:embed all:shipped
var shipped embed.FS

// Shipped returns the pack of missions that every server has.
var Shipped = sync.OnceValues(func() (*Pack, error) {
	src, err := shippedSource()
	if err != nil {
		return nil, err
	}
	p, err := check(src, nil)
	if err != nil {
		return nil, fmt.Errorf("the shipped missions: %w", err)
	}
	return p, nil
})

func shippedSource() (*source, error) {
	dir, err := fs.Sub(shipped, "shipped/missions")
	if err != nil {
		return nil, err
	}
	return readFolder(dir)
}
