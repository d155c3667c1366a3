package sim

// eyesState saves the masks.
func (w *World) eyesState(a *archive) {
	for i := range w.teams {
		h := w.eyes.Hash(w.teams[i].team)
		a.u32(&h)
	}
}
