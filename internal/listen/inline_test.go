package listen

import "testing"

// The sources of a page are the hashes of its inline elements as browsers compute them, and of
// no others.
func TestInlineSources(t *testing.T) {
	page := "<style>b{}</style><script>alert('Hello, world.');</script><script src=x></script><script>alert('Hello, world.');</script>"
	const hello = "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='" // the example of the standard
	if got := InlineSources(page, "script"); got != hello+" "+hello {
		t.Errorf("scripts: %s", got)
	}
	for _, none := range []string{"", "<p>", "<script>", "<script src=x></script>"} {
		if got := InlineSources(none, "script"); got != "'none'" {
			t.Errorf("%q: %s", none, got)
		}
	}
}
