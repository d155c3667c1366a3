package script

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// guard walks over a parsed script. It refuses the parts of Starlark that are not deterministic or not bounded, and
// replaces operations whose result can be large, or take long, by calls of the functions of guards. Their names
// begin with a character that no name in a script has.
type guard struct {
	name   string
	faults []*Fault
}

func (g *guard) fail(at syntax.Position, format string, args ...any) {
	g.faults = append(g.faults, &Fault{Script: g.name, Line: int(at.Line), Why: fmt.Sprintf(format, args...)})
}

func (g *guard) file(f *syntax.File) { g.block(f.Stmts) }

func (g *guard) block(list []syntax.Stmt) {
	for i := range list {
		list[i] = g.stmt(list[i])
	}
}

func (g *guard) stmt(s syntax.Stmt) syntax.Stmt {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		g.assign(s)
	case *syntax.DefStmt:
		g.params(s.Params)
		g.named(s.Name)
		g.block(s.Body)
	case *syntax.ExprStmt:
		s.X = g.expr(s.X)
	case *syntax.IfStmt:
		s.Cond = g.expr(s.Cond)
		g.block(s.True)
		g.block(s.False)
	case *syntax.ForStmt:
		g.target(s.Vars)
		s.X = g.expr(s.X)
		g.block(s.Body)
	case *syntax.ReturnStmt:
		if s.Result != nil {
			s.Result = g.expr(s.Result)
		}
	case *syntax.LoadStmt:
		g.fail(s.Load, "a script loads no other")
	}
	return s // while is refused by Starlark itself
}

// assign turns x += y into x = x + y: so a list is not extended in place.
func (g *guard) assign(s *syntax.AssignStmt) {
	if s.Op != syntax.EQ {
		op := s.Op - syntax.PLUS_EQ + syntax.PLUS
		left := s.LHS
		switch x := left.(type) {
		case *syntax.Ident:
			left = &syntax.Ident{NamePos: x.NamePos, Name: x.Name}
		case *syntax.IndexExpr:
			key, ok := copied(x.Y)
			list, isName := x.X.(*syntax.Ident)
			if !ok || !isName {
				g.fail(s.OpPos, "write out the sum: the left side of %s is a name, or a name with a name or number in brackets", s.Op)
				return
			}
			left = &syntax.IndexExpr{X: &syntax.Ident{NamePos: list.NamePos, Name: list.Name}, Lbrack: x.Lbrack, Y: key, Rbrack: x.Rbrack}
		default:
			g.fail(s.OpPos, "the left side of %s is a name, or a name with a name or number in brackets", s.Op)
			return
		}
		s.RHS, s.Op = &syntax.BinaryExpr{X: left, OpPos: s.OpPos, Op: op, Y: s.RHS}, syntax.EQ
	}
	s.RHS = g.expr(s.RHS)
	g.target(s.LHS)
}

func copied(x syntax.Expr) (syntax.Expr, bool) {
	switch x := x.(type) {
	case *syntax.Ident:
		return &syntax.Ident{NamePos: x.NamePos, Name: x.Name}, true
	case *syntax.Literal:
		return x, true
	}
	return nil, false
}

// target guards the left side of an assignment.
func (g *guard) target(x syntax.Expr) {
	switch x := x.(type) {
	case *syntax.Ident:
		g.named(x)
	case *syntax.ParenExpr:
		g.target(x.X)
	case *syntax.TupleExpr:
		for _, m := range x.List {
			g.target(m)
		}
	case *syntax.ListExpr:
		for _, m := range x.List {
			g.target(m)
		}
	case *syntax.IndexExpr:
		x.X, x.Y = g.expr(x.X), g.key(g.expr(x.Y))
	default:
		start, _ := x.Span()
		g.fail(start, "this cannot be assigned to")
	}
}

// named refuses a name that would hide a function of all scripts.
func (g *guard) named(x *syntax.Ident) {
	if common.Has(x.Name) || starlark.Universe.Has(x.Name) {
		g.fail(x.NamePos, "the name %q is taken", x.Name)
	}
}

func (g *guard) params(list []syntax.Expr) {
	for _, p := range list {
		switch p := p.(type) {
		case *syntax.Ident:
			g.named(p)
		case *syntax.BinaryExpr:
			g.target(p.X)
			p.Y = g.expr(p.Y)
		case *syntax.UnaryExpr:
			g.fail(p.OpPos, "a function has no parameters with *")
		}
	}
}

// methods are the methods of lists, dictionaries and texts that scripts can call.
var methods = []string{"append", "get", "startswith", "endswith"}

// unbounded are the other methods, and hidden the functions of Starlark that scripts lack.
var unbounded = func() (out []string) {
	for _, v := range []starlark.HasAttrs{&starlark.List{}, &starlark.Dict{}, starlark.String("")} {
		for _, name := range v.AttrNames() {
			if !slices.Contains(methods, name) {
				out = append(out, name)
			}
		}
	}
	return out
}()

func (g *guard) exprs(list []syntax.Expr) {
	for i := range list {
		list[i] = g.expr(list[i])
	}
}

func (g *guard) expr(x syntax.Expr) syntax.Expr {
	switch x := x.(type) {
	case *syntax.Literal:
		switch {
		case x.Token == syntax.FLOAT:
			g.fail(x.TokenPos, "%s: there are whole numbers only", x.Raw)
		case x.Token == syntax.INT && !small(x):
			g.fail(x.TokenPos, "%s: a number in a script is below 2147483648", x.Raw)
		case x.Token == syntax.BYTES:
			g.fail(x.TokenPos, "there are texts, and no bytes")
		case x.Token == syntax.STRING && len(x.Value.(string)) > TextMax:
			g.fail(x.TokenPos, "a text of %d bytes, at most %d", len(x.Value.(string)), TextMax)
		}
	case *syntax.Ident:
		if starlark.Universe.Has(x.Name) && !common.Has(x.Name) && !slices.Contains([]string{"None", "True", "False", "len", "bool"}, x.Name) {
			g.fail(x.NamePos, "scripts have no %s", x.Name)
		}
	case *syntax.ParenExpr:
		x.X = g.expr(x.X)
	case *syntax.CallExpr:
		g.call(x)
	case *syntax.DotExpr:
		x.X = g.expr(x.X)
		if slices.Contains(methods, x.Name.Name) {
			g.fail(x.Name.NamePos, "%s has to be called", x.Name.Name)
		}
		g.method(x)
	case *syntax.Comprehension:
		g.comprehension(x)
	case *syntax.DictExpr:
		for _, e := range x.List {
			g.entry(e.(*syntax.DictEntry))
		}
	case *syntax.LambdaExpr:
		g.params(x.Params)
		x.Body = g.expr(x.Body)
	case *syntax.ListExpr:
		g.exprs(x.List)
	case *syntax.TupleExpr:
		g.exprs(x.List)
	case *syntax.CondExpr:
		x.Cond, x.True, x.False = g.expr(x.Cond), g.expr(x.True), g.expr(x.False)
	case *syntax.UnaryExpr:
		if x.X = g.expr(x.X); x.Op == syntax.TILDE {
			g.fail(x.OpPos, "scripts have no operator ~")
		}
	case *syntax.BinaryExpr:
		return g.binary(x)
	case *syntax.SliceExpr:
		g.fail(x.Lbrack, "scripts have no slices: use a comprehension")
	case *syntax.IndexExpr:
		x.X, x.Y = g.expr(x.X), g.key(g.expr(x.Y))
	}
	return x
}

func (g *guard) entry(e *syntax.DictEntry) { e.Key, e.Value = g.key(g.expr(e.Key)), g.expr(e.Value) }

func (g *guard) comprehension(x *syntax.Comprehension) {
	for _, c := range x.Clauses {
		switch c := c.(type) {
		case *syntax.ForClause:
			g.target(c.Vars)
			c.X = g.expr(c.X)
		case *syntax.IfClause:
			c.Cond = g.expr(c.Cond)
		}
	}
	if e, ok := x.Body.(*syntax.DictEntry); ok {
		g.entry(e)
		return
	}
	x.Body = g.expr(x.Body)
}

func (g *guard) method(x *syntax.DotExpr) {
	if slices.Contains(unbounded, x.Name.Name) {
		g.fail(x.Name.NamePos, "scripts have no method %s; there are %v", x.Name.Name, methods)
	}
}

func (g *guard) call(x *syntax.CallExpr) {
	dot, isMethod := x.Fn.(*syntax.DotExpr)
	if isMethod {
		dot.X = g.expr(dot.X)
		g.method(dot)
	} else {
		x.Fn = g.expr(x.Fn)
	}
	for i, a := range x.Args {
		switch a := a.(type) {
		case *syntax.UnaryExpr:
			if a.Op == syntax.STAR || a.Op == syntax.STARSTAR {
				g.fail(a.OpPos, "a call has no arguments with *")
				continue
			}
			x.Args[i] = g.expr(a)
		case *syntax.BinaryExpr:
			if a.Op == syntax.EQ { // a named argument
				a.Y = g.expr(a.Y)
				continue
			}
			x.Args[i] = g.expr(a)
		default:
			x.Args[i] = g.expr(a)
		}
	}
	if isMethod && dot.Name.Name == "get" && len(x.Args) > 0 {
		x.Args[0] = g.key(x.Args[0])
	}
}

// small reports whether an expression is a whole number below 2^31.
func small(x syntax.Expr) bool {
	l, ok := x.(*syntax.Literal)
	if !ok || l.Token != syntax.INT {
		return false
	}
	n, ok := l.Value.(int64)
	return ok && n < 1<<31
}

func (g *guard) binary(x *syntax.BinaryExpr) syntax.Expr {
	x.X, x.Y = g.expr(x.X), g.expr(x.Y)
	switch x.Op {
	case syntax.AND, syntax.OR:
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE:
		if !plain(x.Y) {
			x.X = g.key(x.X)
		}
	case syntax.IN, syntax.NOT_IN:
		call := guarded("·in", x.OpPos, x.X, x.Y)
		if x.Op == syntax.NOT_IN {
			return &syntax.UnaryExpr{OpPos: x.OpPos, Op: syntax.NOT, X: call}
		}
		return call
	case syntax.PLUS, syntax.MINUS, syntax.SLASHSLASH, syntax.PERCENT:
		if small(x.Y) && x.Op != syntax.PERCENT {
			break // a sum of so few steps stays small
		}
		fallthrough
	case syntax.STAR:
		return guarded(arithmetic[x.Op], x.OpPos, x.X, x.Y)
	case syntax.SLASH:
		g.fail(x.OpPos, "/ makes fractions, and there are whole numbers only: use //")
	default:
		g.fail(x.OpPos, "scripts have no operator %s", x.Op)
	}
	return x
}

var arithmetic = map[syntax.Token]string{syntax.PLUS: "·add", syntax.MINUS: "·sub", syntax.STAR: "·mul", syntax.SLASHSLASH: "·div", syntax.PERCENT: "·mod"}

// SimpleParts are names of parts that are no lists, whichever object has them. A comparison with one needs no check.
var SimpleParts = []string{
	"alive", "bot", "built", "energy", "hp", "hurt", "kind", "leader", "max", "ms", "name", "radius", "range", "score",
	"self", "since", "slot", "source", "stacks", "target", "team", "tick", "type", "x", "y",
}

// plain reports whether a guarded expression can only be a simple value.
func plain(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.Literal:
		return true
	case *syntax.ParenExpr:
		return plain(x.X)
	case *syntax.DotExpr:
		return slices.Contains(SimpleParts, x.Name.Name)
	case *syntax.CallExpr:
		f, ok := x.Fn.(*syntax.Ident)
		return ok && slices.Contains([]string{"·key", "·sub", "·mul", "·div", "·mod", "len", "abs"}, f.Name)
	}
	return false
}

// key guards a key of a dictionary or one side of a comparison: it has to be simple, because the hash of nested tuples,
// and the comparison of nested lists, can take very long.
func (g *guard) key(x syntax.Expr) syntax.Expr {
	if plain(x) {
		return x
	}
	at, _ := x.Span()
	return guarded("·key", at, x)
}

func guarded(name string, at syntax.Position, args ...syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: args, Rparen: at}
}
