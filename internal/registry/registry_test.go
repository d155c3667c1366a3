package registry

import (
	"slices"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	var table Table[int]
	for i, name := range []string{"waves", "king-of-the-hill", "2v2"} {
		if err := table.Add(name, i); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, why := range map[string]string{
		"":      "",
		"Waves": "", "a b": "", "-a": "", "a-": "", "a--b": "", "ä": "", "../x": "", strings.Repeat("a", NameMax+1): "",
		"waves": "already",
	} {
		err := table.Add(name, 9)
		if err == nil || why == "already" && !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if got := table.Names(); !slices.Equal(got, []string{"2v2", "king-of-the-hill", "waves"}) {
		t.Errorf("the names are %v", got)
	}
	rows := table.Rows()
	if delete(rows, "waves"); len(rows) != 2 || rows["2v2"] != 2 || len(table.Rows()) != 3 {
		t.Errorf("a copy of the rows is %v of %v", rows, table.Rows())
	}
	if err := table.Add("more", 3); err != nil {
		t.Errorf("to list the names and rows closes the table: %v", err)
	}
	if v, ok := table.Find("waves"); v != 0 || !ok {
		t.Errorf("waves is %d, %v", v, ok)
	}
	if _, ok := table.Find("nothing"); ok {
		t.Error("nothing is found")
	}
	if err := table.Add("late", 4); err == nil || !strings.Contains(err.Error(), "too late") {
		t.Errorf("after a search: %v", err)
	}
}
