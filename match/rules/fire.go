package rules

// fireModes reads a weapon's burst and its alternate fire.
func (r *rulesReader) fireModes(n *node, w *Weapon, weapons []string) {
	w.Burst, w.Alternate = int32(r.whole(n, "burst", 1, 1, BurstMax)), -1
	w.BurstMs = r.ms(n, "burst_interval", 100, 10_000)
	if i, ok := r.ref(n, "alternate", "weapon", weapons); ok {
		w.Alternate = int16(i)
	}
	if v := r.get(n, "burst_interval"); v != nil && w.Burst < 2 {
		r.fail(v, "weapon %q: burst_interval is for weapons with a burst of several shots", w.Name)
	}
}

// manyHits reads how a projectile bounces, pierces, splits, is lobbed or is steered.
func (r *rulesReader) manyHits(n *node, w *Weapon, weapons []string) {
	w.Bounces = int32(r.whole(n, "bounces", 0, 0, HitsMax))
	w.BounceRange = r.tiles(n, "bounce_range", 3, 16)
	w.Pierces = int32(r.whole(n, "pierces", 0, 0, HitsMax))
	switch {
	case w.Bounces > 0 && !w.Homing:
		r.fail(r.get(n, "bounces"), "weapon %q: only a homing projectile bounces", w.Name)
	case w.Pierces > 0 && w.Homing:
		r.fail(r.get(n, "pierces"), "weapon %q: a homing projectile does not pierce", w.Name)
	}
	w.Lob = r.tiles(n, "lob", 0, 16)
	w.Steered = r.boolean(n, "steered", false)
	switch {
	case w.Lob > 0 && (w.Homing || w.Pierces > 0):
		r.fail(r.get(n, "lob"), "weapon %q: a projectile that homes or pierces is not lobbed", w.Name)
	case w.Steered && !w.Homing:
		r.fail(r.get(n, "steered"), "weapon %q: only a homing projectile is steered", w.Name)
	}
	if v := r.get(n, "split"); v != nil {
		w.Splits = int32(r.whole(v, "count", 2, 2, SplitMax))
		into, _ := r.ref(v, "into", "weapon", weapons)
		w.SplitInto = int16(into)
		w.SplitSpread = r.tiles(v, "spread", 1, 8)
		w.SplitMs = r.ms(v, "after", 0, 60_000)
		r.need(v, "into")
		r.done(v, "a split")
	}
}
