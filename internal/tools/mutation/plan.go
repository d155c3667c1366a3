package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"
)

// mutant is one small change of a source file.
type mutant struct {
	id   int
	pkg  string // directory in the module
	file string // name in the directory
	line int
	fn   string // the function that it is in
	what string // what is changed, in words
	text string // what it is changed in: source text on one line
}

// key names the mutant in survivors.txt. It has no line number, so that it
// stays the same when code above it changes.
func (m *mutant) key() string {
	return fmt.Sprintf("%s/%s %s: %s: %s", m.pkg, m.file, m.fn, m.what, m.text)
}

// insert is text that goes into a source file at an offset. At one offset, what
// ends an expression comes before what begins one, and the inner ends before the
// outer.
type insert struct {
	at, drop int // drop: this many bytes at the offset are left out
	order    int
	text     string
}

// plan finds the mutants of one file and makes its switched source.
type plan struct {
	pkg     string
	name    string
	src     []byte
	fset    *token.FileSet
	info    *types.Info
	next    int // number of the next mutant
	dropped map[int]bool

	fn      string
	depth   int
	inserts []insert
	mutants []mutant
}

// file plans the mutants of every function of f.
func (p *plan) file(f *ast.File) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || !worthChanging(fn.Name.Name) {
			continue
		}
		p.fn = fn.Name.Name
		if fn.Recv != nil && len(fn.Recv.List) == 1 {
			p.fn = receiver(fn.Recv.List[0].Type) + "." + p.fn
		}
		p.block(fn.Body.List, false)
	}
}

// worthChanging says whether a function decides anything: what only writes
// texts for people is left alone.
func worthChanging(name string) bool {
	switch name {
	case "String", "GoString", "Error", "init":
		return false
	}
	return true
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

// block plans statements that stand in a list. follow says whether code of the
// function comes after the list, so that a return in it can be left out.
func (p *plan) block(list []ast.Stmt, follow bool) {
	for i, s := range list {
		p.stmt(s, follow || i+1 < len(list), true)
	}
}

func (p *plan) stmt(s ast.Stmt, follow, inList bool) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok && isPanic(call) {
			return // what cannot happen, no test makes happen
		}
		p.leaveOut(s, inList, "call left out")
		p.expr(s.X)
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE {
			p.leaveOut(s, inList, "assignment left out")
		}
		for _, e := range s.Lhs {
			p.expr(e)
		}
		for _, e := range s.Rhs {
			p.value(e)
		}
	case *ast.IncDecStmt:
		p.leaveOut(s, inList, "count left out")
		p.expr(s.X)
	case *ast.DeferStmt:
		p.leaveOut(s, inList, "defer left out")
		p.expr(s.Call)
	case *ast.GoStmt:
		p.expr(s.Call)
	case *ast.SendStmt:
		p.expr(s.Chan)
		p.value(s.Value)
	case *ast.BranchStmt:
		if s.Tok == token.BREAK || s.Tok == token.CONTINUE {
			p.leaveOut(s, inList, s.Tok.String()+" left out")
		}
	case *ast.ReturnStmt:
		if follow {
			p.leaveOut(s, inList, "return left out")
		}
		for _, e := range s.Results {
			p.value(e)
		}
	case *ast.BlockStmt:
		p.block(s.List, follow)
	case *ast.IfStmt:
		if s.Init != nil {
			p.stmt(s.Init, false, false)
		}
		if len(s.Body.List) == 1 && s.Else == nil {
			if x, ok := s.Body.List[0].(*ast.ExprStmt); ok {
				if call, ok := x.X.(*ast.CallExpr); ok && isPanic(call) {
					return
				}
			}
		}
		p.condition(s.Cond)
		// A function must still end in a return: only what more code follows is left out.
		p.block(s.Body.List, follow && s.Else == nil)
		if s.Else != nil {
			p.stmt(s.Else, false, false)
		}
	case *ast.ForStmt:
		if s.Init != nil {
			p.stmt(s.Init, false, false)
		}
		if s.Cond != nil {
			p.condition(s.Cond)
		}
		p.block(s.Body.List, s.Cond != nil && follow)
	case *ast.RangeStmt:
		p.expr(s.X)
		p.block(s.Body.List, follow)
	case *ast.SwitchStmt:
		if s.Init != nil {
			p.stmt(s.Init, false, false)
		}
		if s.Tag != nil {
			p.expr(s.Tag)
		}
		for _, c := range s.Body.List {
			c := c.(*ast.CaseClause)
			if s.Tag == nil {
				for _, e := range c.List {
					p.condition(e)
				}
			}
			p.block(c.Body, false)
		}
	case *ast.TypeSwitchStmt:
		for _, c := range s.Body.List {
			p.block(c.(*ast.CaseClause).Body, false)
		}
	case *ast.SelectStmt:
		for _, c := range s.Body.List {
			p.block(c.(*ast.CommClause).Body, false)
		}
	case *ast.LabeledStmt:
		p.stmt(s.Stmt, follow, false)
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
			for _, spec := range d.Specs {
				for _, e := range spec.(*ast.ValueSpec).Values {
					p.value(e)
				}
			}
		}
	}
}

func isPanic(call *ast.CallExpr) bool {
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == "panic"
}

// leaveOut adds a mutant without the statement s.
func (p *plan) leaveOut(s ast.Stmt, inList bool, what string) {
	if !inList {
		return
	}
	if n, ok := p.mutant(s, what); ok {
		p.around(s.Pos(), s.End(), fmt.Sprintf("if !mutation(%d) { ", n), " }")
	}
}

// value plans an expression whose value is used; a truth value can be negated.
func (p *plan) value(e ast.Expr) {
	if p.isBool(e) {
		p.condition(e)
		return
	}
	p.expr(e)
}

// condition plans a truth value.
func (p *plan) condition(e ast.Expr) {
	switch x := ast.Unparen(e).(type) {
	case *ast.BinaryExpr, *ast.FuncLit:
		p.expr(x)
		return
	}
	p.negate(e)
	p.expr(e)
}

// negate adds a mutant with the opposite of a truth value.
func (p *plan) negate(e ast.Expr) {
	if p.constant(e) && !isTruth(e) {
		return
	}
	if n, ok := p.mutant(e, "negated"); ok {
		p.around(e.Pos(), e.End(), fmt.Sprintf("(mutation(%d) != (", n), "))")
	}
}

func isTruth(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && (id.Name == "true" || id.Name == "false")
}

// expr plans the inside of an expression.
func (p *plan) expr(e ast.Expr) {
	p.depth++
	defer func() { p.depth-- }()
	switch e := e.(type) {
	case *ast.ParenExpr:
		p.expr(e.X)
	case *ast.UnaryExpr:
		p.expr(e.X)
	case *ast.StarExpr:
		p.expr(e.X)
	case *ast.SelectorExpr:
		p.expr(e.X)
	case *ast.IndexExpr:
		if tv, ok := p.info.Types[e.Index]; !ok || !tv.IsType() {
			p.expr(e.X)
			p.expr(e.Index)
		}
	case *ast.SliceExpr:
		p.expr(e.X)
		for _, x := range []ast.Expr{e.Low, e.High, e.Max} {
			if x != nil {
				p.expr(x)
			}
		}
	case *ast.TypeAssertExpr:
		p.expr(e.X)
	case *ast.CallExpr:
		p.expr(e.Fun)
		for _, a := range e.Args {
			if tv, ok := p.info.Types[a]; !ok || !tv.IsType() {
				p.value(a)
			}
		}
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				x = kv.Value
			}
			p.value(x)
		}
	case *ast.FuncLit:
		p.block(e.Body.List, false)
	case *ast.BinaryExpr:
		p.binary(e)
	}
}

// replacements has the operator that takes the place of another, and the name of
// the function of switchSource that does either.
var replacements = map[token.Token]struct {
	by   token.Token
	name string
}{
	token.ADD: {token.SUB, "mutationAdd"}, token.SUB: {token.ADD, "mutationSub"},
	token.MUL: {token.ADD, "mutationMul"}, token.QUO: {token.MUL, "mutationQuo"},
	token.REM: {token.QUO, "mutationRem"},
	token.AND: {token.OR, "mutationAnd"}, token.OR: {token.AND, "mutationOr"},
	token.XOR: {token.OR, "mutationXor"}, token.AND_NOT: {token.AND, "mutationAndNot"},
	token.SHL: {token.SHR, "mutationShl"}, token.SHR: {token.SHL, "mutationShr"},
}

var comparisons = map[token.Token]string{
	token.LSS: "mutationLess", token.LEQ: "mutationLessEqual",
	token.GTR: "mutationGreater", token.GEQ: "mutationGreaterEqual",
}

func (p *plan) binary(e *ast.BinaryExpr) {
	if p.constant(e) {
		return
	}
	switch {
	case e.Op == token.LAND || e.Op == token.LOR:
		for _, side := range []struct {
			e    ast.Expr
			name string
		}{{e.X, "left"}, {e.Y, "right"}} {
			n, ok := p.mutant(e, side.name+" side of "+e.Op.String()+" left out")
			if !ok {
				continue
			}
			if e.Op == token.LAND {
				p.around(side.e.Pos(), side.e.End(), "((", fmt.Sprintf(") || mutation(%d))", n))
			} else {
				p.around(side.e.Pos(), side.e.End(), "((", fmt.Sprintf(") && !mutation(%d))", n))
			}
		}
	case e.Op == token.EQL || e.Op == token.NEQ:
		p.negate(e)
	case comparisons[e.Op] != "":
		if !p.plain(e.X, e.Y) {
			p.negate(e)
			break
		}
		edge, ok1 := p.mutant(e, "boundary of "+e.Op.String())
		opposite, ok2 := p.mutant(e, "negated")
		if ok1 || ok2 {
			p.call(e, fmt.Sprintf("%s(%d, %d, ", comparisons[e.Op], edge, opposite))
		}
	default:
		r, ok := replacements[e.Op]
		if !ok || !p.number(e) || !p.plain(e, e.Y) || !p.plain(e.X, e.Y) {
			break
		}
		if n, ok := p.mutant(e, e.Op.String()+" becomes "+r.by.String()); ok {
			p.call(e, fmt.Sprintf("%s(%d, ", r.name, n))
		}
	}
	p.expr(e.X)
	p.expr(e.Y)
}

// call makes a binary expression a call of a function of switchSource.
func (p *plan) call(e *ast.BinaryExpr, head string) {
	p.around(e.Pos(), e.End(), head, ")")
	at := p.offset(e.OpPos)
	p.inserts = append(p.inserts, insert{at: at, drop: len(e.Op.String()), text: ","})
}

// plain says whether the operands can be the arguments of a function that takes
// two of one type: not a constant that gets its type from where it stands.
func (p *plan) plain(x, y ast.Expr) bool {
	ok := !p.constant(x) || !p.constant(y)
	for _, e := range []ast.Expr{x, y} {
		ast.Inspect(e, func(n ast.Node) bool {
			if b, is := n.(*ast.BinaryExpr); is && (b.Op == token.SHL || b.Op == token.SHR) && p.constant(b.X) && !p.constant(b) {
				ok = false
			}
			return ok
		})
	}
	return ok
}

func (p *plan) constant(e ast.Expr) bool {
	tv, ok := p.info.Types[e]
	return ok && tv.Value != nil
}

func (p *plan) isBool(e ast.Expr) bool {
	tv, ok := p.info.Types[e]
	if !ok || tv.Type == nil {
		return false
	}
	b, ok := tv.Type.(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

func (p *plan) number(e ast.Expr) bool {
	tv, ok := p.info.Types[e]
	if !ok || tv.Type == nil {
		return false
	}
	b, ok := tv.Type.Underlying().(*types.Basic)
	if _, isParam := tv.Type.(*types.TypeParam); isParam {
		return false
	}
	return ok && b.Info()&types.IsInteger != 0
}

// mutant adds a mutant, unless its number is among the ones without a compilation.
// Numbers are used up either way, so that they stay the same.
func (p *plan) mutant(n ast.Node, what string) (int, bool) {
	id := p.next
	p.next++
	if p.dropped[id] {
		return 0, false
	}
	from, to := p.offset(n.Pos()), p.offset(n.End())
	text := strings.Join(strings.Fields(string(p.src[from:to])), " ")
	if len(text) > 100 {
		text = text[:97] + "..."
	}
	p.mutants = append(p.mutants, mutant{id: id, pkg: p.pkg, file: p.name, line: p.fset.Position(n.Pos()).Line, fn: p.fn, what: what, text: text})
	return id, true
}

func (p *plan) offset(at token.Pos) int { return p.fset.Position(at).Offset }

// around puts text before and after the code between two positions.
func (p *plan) around(from, to token.Pos, before, after string) {
	n := len(p.inserts) + 1
	p.inserts = append(p.inserts,
		insert{at: p.offset(from), order: n, text: before},
		insert{at: p.offset(to), order: -n, text: after})
}

// source returns the file with every mutant behind its switch.
func (p *plan) source() []byte {
	ins := append([]insert(nil), p.inserts...)
	sort.SliceStable(ins, func(i, k int) bool {
		if ins[i].at != ins[k].at {
			return ins[i].at < ins[k].at
		}
		return ins[i].order < ins[k].order
	})
	var out bytes.Buffer
	at := 0
	for _, in := range ins {
		out.Write(p.src[at:in.at])
		out.WriteString(in.text)
		at = in.at + in.drop
	}
	out.Write(p.src[at:])
	return out.Bytes()
}
