package db

import (
	"github.com/fogkeep/fogkeep/lobby/model"
)

const adminColumns = `id, name, password_hash, role, fog, created_at, disabled_at`

func (t Admins) admins(rest string, args ...any) ([]model.Admin, error) {
	return list(t, `SELECT `+adminColumns+` FROM admins WHERE `+rest, args, adminInto)
}

func adminInto(a *model.Admin) []any {
	return []any{&a.ID, &a.Name, &a.PasswordHash, &a.Role, &a.Fog, moment{&a.Created}, moment{&a.Disabled}}
}

func (t Admins) admin(rest string, args ...any) (model.Admin, error) {
	return first(t.admins(rest, args...))
}

func (t Admins) Add(a model.Admin) error {
	return t.run(`INSERT INTO admins (id, name, name_key, password_hash, hash_cost, role, fog, created_at, disabled_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		a.ID, a.Name, model.LoginKey(a.Name), a.PasswordHash, model.HashCost(a.PasswordHash), string(a.Role), a.Fog, ms(a.Created), ms(a.Disabled))
}

func (t Admins) Get(id string) (model.Admin, error) { return t.admin(`id = $1`, id) }

func (t Admins) ByName(key string) (model.Admin, error) { return t.admin(`name_key = $1`, key) }

func (t Admins) Save(a model.Admin) error {
	return t.must(`UPDATE admins SET password_hash = $2, hash_cost = $3, role = $4, fog = $5, disabled_at = $6 WHERE id = $1`,
		a.ID, a.PasswordHash, model.HashCost(a.PasswordHash), string(a.Role), a.Fog, ms(a.Disabled))
}

func (t Admins) List() ([]model.Admin, error) {
	return t.admins(`id <> '' ORDER BY name_key LIMIT 1000`)
}

func (t Admins) Count() (n int, err error) {
	err = t.one(`SELECT COUNT(*) FROM admins`, nil, &n)
	return n, err
}
