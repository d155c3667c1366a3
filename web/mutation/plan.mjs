// Finds the mutants of a source file and makes the file with all mutants inside, each behind a switch (switch.js): as
// internal/tools/mutation does for Go, and with the same operators. Shaders in template literals are changed too.

import { parseSync } from "vite";

const COMPARISONS = { "<": "__lt", "<=": "__le", ">": "__gt", ">=": "__ge" };
const REPLACED = {
  "+": ["-", "__add"],
  "-": ["+", "__sub"],
  "*": ["+", "__mul"],
  "/": ["*", "__div"],
  "%": ["/", "__rem"],
  "&": ["|", "__and"],
  "|": ["&", "__or"],
  "^": ["|", "__xor"],
  "<<": [">>", "__shl"],
  ">>": ["<<", "__shr"],
  ">>>": ["<<", "__ushr"],
};
const EQUALITIES = new Set(["===", "!==", "==", "!=", "in", "instanceof"]);
/** Of shaders, where no value can be boxed: one operator in place of another. */
const SHADER_TOKENS = {
  "<": ">=",
  ">": "<=",
  "<=": ">",
  ">=": "<",
  "+": "-",
  "-": "+",
  "*": "+",
  "/": "*",
  "&&": "||",
  "||": "&&",
};
const SHADER = /\b(vec[234]|float|gl_\w+|smoothstep)\b/;
const TEXT_MAX = 100;

/**
 * @typedef {{ id: number, file: string, line: number, fn: string, what: string, text: string, shader: boolean }} Mutant
 */

/** The name of a mutant, without a line: it stays the same when code above it changes. */
export const keyOf = (m) => `${m.file} ${m.fn}: ${m.what}: ${m.text}`;

/**
 * Plans a file. Numbers begin with `next`.
 *
 * @returns {{ code: string, mutants: Mutant[] }}
 */
export function plan(code, file, next) {
  const { program, errors } = parseSync(file, code, { sourceType: "module", astType: "ts" });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const p = new Plan(code, file, next);
  p.all(program);
  return { code: p.source(), mutants: p.mutants };
}

class Plan {
  mutants = [];
  inserts = [];
  negated = new Set();
  fn = "";

  constructor(code, file, next) {
    Object.assign(this, { code, file, next });
  }

  /** Visits a node and its children. */
  all(node) {
    if (Array.isArray(node)) {
      for (const n of node) this.all(n);
      return;
    }
    if (!node || typeof node.type !== "string") return;
    const { type } = node;
    if (type.startsWith("TS")) {
      // Types are no code; the code beside them is.
      if (node.expression && type !== "TSInterfaceHeritage" && type !== "TSClassImplements")
        this.all(node.expression);
      return;
    }
    const before = this.fn;
    this.fn = this.nameOf(node) ?? this.fn;
    this.visit(node);
    for (const [key, child] of Object.entries(node)) {
      if (key === "parent" || (typeof child !== "object" && !Array.isArray(child)) || child === null)
        continue;
      if (
        key === "typeAnnotation" ||
        key === "typeArguments" ||
        key === "typeParameters" ||
        key === "returnType"
      )
        continue;
      if (key === "key" && !node.computed) continue;
      this.all(child);
    }
    this.fn = before;
  }

  /** The name for the code inside a node; undefined: as outside. */
  nameOf(node) {
    switch (node.type) {
      case "FunctionDeclaration":
      case "ClassDeclaration":
        return node.id?.name;
      case "MethodDefinition":
      case "PropertyDefinition":
        return `${this.fn}.${node.key.name ?? node.key.value ?? "?"}`;
      case "VariableDeclarator": {
        const inside = node.init?.type;
        const named = inside === "ArrowFunctionExpression" || inside === "FunctionExpression";
        return named && this.fn === "" ? node.id.name : undefined;
      }
    }
    return undefined;
  }

  visit(node) {
    if (node.type === "TemplateLiteral") {
      this.shader(node);
      return;
    }
    if (node.type.endsWith("FunctionExpression") || node.type === "FunctionDeclaration") {
      if (node.body) node.body.ends = true;
      // A function has a name for its mutants, also one that is a value of the module.
      this.fn ||= "function";
    }
    if (this.fn === "") return;
    switch (node.type) {
      case "BlockStatement":
      case "StaticBlock":
        this.list(node.body, node.ends === true);
        return;
      case "SwitchCase":
        this.list(node.consequent, false);
        return;
      case "IfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
      case "ForStatement":
      case "ConditionalExpression":
        this.condition(node.test);
        return;
      case "UnaryExpression":
        if (node.operator === "!") this.negate(node);
        return;
      case "LogicalExpression":
        this.sides(node);
        return;
      case "BinaryExpression":
        this.binary(node);
        return;
    }
  }

  /** `ends`: the list ends with its function. */
  list(body, ends) {
    body.forEach((s, k) => {
      const last = ends && k === body.length - 1;
      if (s.type === "ExpressionStatement" && !s.directive) {
        const e = s.expression.type === "ChainExpression" ? s.expression.expression : s.expression;
        const what = {
          CallExpression: "call",
          AssignmentExpression: "assignment",
          UpdateExpression: "count",
          AwaitExpression: "call",
          UnaryExpression: e.operator === "void" ? "call" : undefined,
        }[e.type];
        if (what && e.callee?.type !== "Super") this.leaveOut(s, what);
      } else if (s.type === "BreakStatement" || s.type === "ContinueStatement") {
        this.leaveOut(s, s.type === "BreakStatement" ? "break" : "continue");
      } else if (s.type === "ReturnStatement" && !(last && s.argument)) this.leaveOut(s, "return");
      // A single statement of an if is in no list.
      if (s.type === "IfStatement") {
        for (const arm of [s.consequent, s.alternate])
          if (arm && arm.type !== "BlockStatement") this.list([arm], false);
      }
      if (/^(For|While)/.test(s.type) && s.body.type !== "BlockStatement") this.list([s.body], false);
    });
  }

  leaveOut(node, what) {
    if (node.planned) return;
    node.planned = true;
    const id = this.mutant(node, `${what} left out`);
    this.around(node.start, node.end, `{ if (!__m(${id})) { `, " } }");
  }

  condition(test) {
    if (!test) return;
    if (test.type !== "BinaryExpression" && test.type !== "LogicalExpression") this.negate(test);
  }

  negate(node) {
    if (this.negated.has(node)) return;
    this.negated.add(node);
    this.call(node, `__not(${this.mutant(node, "negated")}, `);
  }

  /** A side of && and || left out. */
  sides(node) {
    const { operator } = node;
    if (operator === "??") return;
    for (const side of ["left", "right"]) {
      const id = this.mutant(node, `${side} side of ${operator} left out`);
      this.call(node[side], `(__m(${id}) ? ${operator === "&&"} : `);
    }
  }

  binary(node) {
    const { operator, left, right } = node;
    if (left.type === "PrivateIdentifier" || (isNumber(left) && isNumber(right))) return;
    if (EQUALITIES.has(operator)) {
      this.negate(node);
      return;
    }
    let head = "";
    if (COMPARISONS[operator]) {
      const edge = this.mutant(node, `boundary of ${operator}`);
      head = `${COMPARISONS[operator]}(${edge}, ${this.mutant(node, "negated")}, `;
    } else if (REPLACED[operator] && !(operator === "+" && (isText(left) || isText(right)))) {
      const [by, name] = REPLACED[operator];
      head = `${name}(${this.mutant(node, `${operator} becomes ${by}`)}, `;
    }
    if (head === "") return;
    this.call(node, head);
    // The operator stands between the operands, with nothing but space and comments around it.
    const at = this.code.slice(left.end, right.start).search(/[^\s)]/) + left.end;
    this.inserts.push({ at, drop: operator.length, order: 0, text: "," });
  }

  /** Mutants of a template literal that is a shader. */
  shader(node) {
    const whole = node.quasis.map((q) => q.value.raw).join(" ");
    if (!SHADER.test(whole) || !/[;?]/.test(whole)) return;
    for (const q of node.quasis) {
      const at = this.code.indexOf(q.value.raw, q.start);
      const text = q.value.raw.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, (c) => " ".repeat(c.length));
      for (const m of text.matchAll(
        /(?<=^|[{;}]|\)\s|else\s)(\s*)([a-z]\w*(?:\.\w+)?\s(?:[+*/-]?=)\s[^;{}]*;|(?:discard|return);)/g,
      )) {
        const from = at + m.index + m[1].length;
        const id = this.mutant({ start: from, end: from + m[2].length }, "statement left out", true);
        this.around(from, from + m[2].length, `\${__m(${id}) ? ";" : \``, "`}");
      }
      for (const m of text.matchAll(/(?<=\s)(<=?|>=?|[+*/-]|&&|\|\|)(?=\s)/g)) {
        const by = SHADER_TOKENS[m[1]];
        const from = at + m.index;
        // The line around it names it.
        const line = {
          start: at + text.lastIndexOf("\n", m.index) + 1,
          end: at + (text.indexOf("\n", m.index) + 1 || text.length + 1) - 1,
        };
        const id = this.mutant(line, `${m[1]} becomes ${by} at ${from - line.start}`, true);
        this.inserts.push({
          at: from,
          drop: m[1].length,
          order: 0,
          text: `\${__m(${id}) ? "${by}" : "${m[1]}"}`,
        });
      }
    }
  }

  mutant({ start, end }, what, shader = false) {
    const { file, fn } = this;
    let text = this.code.slice(start, end).replace(/\s+/g, " ").trim();
    if (text.length > TEXT_MAX) text = `${text.slice(0, TEXT_MAX - 3)}...`;
    const line = this.code.slice(0, start).split("\n").length;
    this.mutants.push({ id: this.next, file, line, fn: fn || "shader", what, text, shader });
    return this.next++;
  }

  call(node, head) {
    this.around(node.start, node.end, head, ")");
  }

  /** Puts text before and after the text between two places. */
  around(from, to, before, after) {
    const order = this.inserts.length + 1;
    this.inserts.push(
      { at: from, drop: 0, order, text: before },
      { at: to, drop: 0, order: -order, text: after },
    );
  }

  /** The file with every mutant behind its switch. */
  source() {
    // At one place, what ends comes before what begins, and the inner ends before the outer.
    const list = this.inserts
      .map((i, n) => ({ ...i, n }))
      .sort((a, b) => a.at - b.at || a.order - b.order || a.n - b.n);
    let out = "";
    let at = 0;
    for (const i of list) {
      out += this.code.slice(at, i.at) + i.text;
      at = i.at + i.drop;
    }
    return out + this.code.slice(at);
  }
}

const isNumber = (e) => e.type === "Literal" && typeof e.value === "number";
const isText = (e) =>
  e.type === "TemplateLiteral" ||
  (e.type === "Literal" && typeof e.value === "string") ||
  (e.type === "BinaryExpression" && e.operator === "+" && (isText(e.left) || isText(e.right)));
