package match

import "testing"

// Matches of a service on the same map share its ground.
func TestMatchesShareGround(t *testing.T) {
	t.Parallel()
	s := newSpeedMatch(t, 2)
	other := s.spec
	other.ID = "01890000-0000-7000-8000-00000000aaaa"
	if err := s.service.Start(other); err != nil {
		t.Fatal(err)
	}
	if a, b := s.live.world.Ground(), s.service.find(other.ID).world.Ground(); a != b {
		t.Error("the second match has a ground of its own")
	}
}
