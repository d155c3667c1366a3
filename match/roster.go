package match

// roster knows in which matches each account has, or had, a seat. The service's
// mutex guards it.
type roster struct {
	at     map[string]map[string]bool // ids by account
	epochs map[string]int64
}

// epochsMax bounds the epochs that are remembered. They only have to outlast the
// admissions that run at the moment: after that an [Admitter] knows better.
const epochsMax = 1 << 16

func (r *roster) add(account, match string) {
	if r.at[account] == nil {
		r.at[account] = map[string]bool{}
	}
	r.at[account][match] = true
}

// begin notes the seats that a match begins with.
func (r *roster) begin(m *live) {
	for _, st := range m.seats.all {
		if st.account != "" {
			r.add(st.account, m.spec.ID)
		}
	}
}

// end forgets a match.
func (r *roster) end(match string) {
	for account, in := range r.at {
		if delete(in, match); len(in) == 0 {
			delete(r.at, account)
		}
	}
}
