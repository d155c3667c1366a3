package db

import "github.com/fogkeep/fogkeep/lobby/model"

const adminColumns = `id, name, password_hash, role, fog, created_at, disabled_at`

func (t *Tx) admins(rest string, args ...any) (list []model.Admin, err error) {
	err = t.each(`SELECT `+adminColumns+` FROM admins WHERE `+rest, args, func(scan func(...any) error) error {
		var a model.Admin
		err := scanAdmin(scan, &a)
		list = append(list, a)
		return err
	})
	return list, err
}

func scanAdmin(scan func(...any) error, a *model.Admin) error {
	var created, disabled int64
	err := scan(&a.ID, &a.Name, &a.PasswordHash, &a.Role, &a.Fog, &created, &disabled)
	a.Created, a.Disabled = fromMs(created), fromMs(disabled)
	return err
}

func (t *Tx) admin(rest string, args ...any) (model.Admin, error) {
	list, err := t.admins(rest, args...)
	if err == nil && len(list) == 0 {
		err = model.ErrNotFound
	}
	if err != nil {
		return model.Admin{}, err
	}
	return list[0], nil
}

func (t *Tx) AddAdmin(a model.Admin) error {
	_, err := t.exec(`INSERT INTO admins (id, name, name_key, password_hash, hash_cost, role, fog, created_at, disabled_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		a.ID, a.Name, model.LoginKey(a.Name), a.PasswordHash, model.HashCost(a.PasswordHash), string(a.Role), a.Fog, ms(a.Created), ms(a.Disabled))
	return err
}

func (t *Tx) Admin(id string) (model.Admin, error) { return t.admin(`id = $1`, id) }

func (t *Tx) AdminByName(key string) (model.Admin, error) { return t.admin(`name_key = $1`, key) }

func (t *Tx) SaveAdmin(a model.Admin) error {
	return t.must(`UPDATE admins SET password_hash = $2, hash_cost = $3, role = $4, fog = $5, disabled_at = $6 WHERE id = $1`,
		a.ID, a.PasswordHash, model.HashCost(a.PasswordHash), string(a.Role), a.Fog, ms(a.Disabled))
}

func (t *Tx) Admins() ([]model.Admin, error) {
	return t.admins(`id <> '' ORDER BY name_key LIMIT 1000`)
}

func (t *Tx) CountAdmins() (n int, err error) {
	err = t.one(`SELECT COUNT(*) FROM admins`, nil, &n)
	return n, err
}
