// The functions that mutated sources call: they tell which mutant is on, and note the mutants that the program came to.
// A page and a test worker load this before anything else.

(() => {
  /** A mutant that keeps its test for longer loops. */
  const PATIENCE_MS = 15_000;
  const now = performance.now.bind(performance);
  let on = Number(globalThis.sessionStorage?.getItem("mutant") ?? -1);
  let hits = 0;
  let untilMs = now() + PATIENCE_MS;
  const reached = new Set();
  const is = (id) => {
    if (on < 0) {
      reached.add(id);
      return false;
    }
    if (id !== on) return false;
    if ((++hits & 1023) === 0 && now() > untilMs) throw new Error("the mutant loops");
    return true;
  };
  Object.assign(globalThis, {
    __m: is,
    __not: (id, a) => (is(id) ? !a : a),
    __lt: (edge, not, a, b) => (is(edge) ? a <= b : is(not) ? a >= b : a < b),
    __le: (edge, not, a, b) => (is(edge) ? a < b : is(not) ? a > b : a <= b),
    __gt: (edge, not, a, b) => (is(edge) ? a >= b : is(not) ? a <= b : a > b),
    __ge: (edge, not, a, b) => (is(edge) ? a > b : is(not) ? a < b : a >= b),
    __add: (id, a, b) => (is(id) ? a - b : a + b),
    __sub: (id, a, b) => (is(id) ? a + b : a - b),
    __mul: (id, a, b) => (is(id) ? a + b : a * b),
    __div: (id, a, b) => (is(id) ? a * b : a / b),
    __rem: (id, a, b) => (is(id) ? a / b : a % b),
    __and: (id, a, b) => (is(id) ? a | b : a & b),
    __or: (id, a, b) => (is(id) ? a & b : a | b),
    __xor: (id, a, b) => (is(id) ? a | b : a ^ b),
    __shl: (id, a, b) => (is(id) ? a >> b : a << b),
    __shr: (id, a, b) => (is(id) ? a << b : a >> b),
    __ushr: (id, a, b) => (is(id) ? a << b : a >>> b),
    __mutation: {
      /** Turns a mutant on; -1: all stay off, and the program notes the mutants that it comes to. */
      turn(id, patienceMs = PATIENCE_MS) {
        on = id;
        hits = 0;
        untilMs = now() + patienceMs;
      },
      /** The mutants that were come to since the last call. */
      reached() {
        const list = [...reached];
        reached.clear();
        return list;
      },
    },
  });
})();
