package rules

// fireModes reads a weapon's burst and its alternate fire.
func (r *rulesReader) fireModes(n *node, w *Weapon, weapons []string) {
	w.Burst, w.Alternate = int32(r.whole(n, "burst", 1, 1, BurstMax)), -1
	w.BurstMs = r.ms(n, "burst_interval", 100, 10)
	if i, ok := r.ref(n, "alternate", "weapon", weapons); ok {
		w.Alternate = int16(i)
	}
	if v := r.get(n, "burst_interval"); v != nil && w.Burst < 2 {
		r.fail(v, "weapon %q: burst_interval is for weapons with a burst of several shots", w.Name)
	}
}
