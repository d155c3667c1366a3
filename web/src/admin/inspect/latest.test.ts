import { expect, it } from "vitest";
import { Latest } from "./latest";

it("asks one question at a time, and then only the newest", async () => {
  const asked: number[] = [];
  const got: number[] = [];
  const wrong: number[] = [];
  const answers: (() => void)[] = [];
  const l = new Latest<number, number>(
    (q) =>
      new Promise((resolve, reject) => {
        asked.push(q);
        answers.push(() => (q === 4 ? reject(new Error("no")) : resolve(q * 10)));
      }),
    (a) => got.push(a),
    (_, q) => wrong.push(q),
  );
  const turn = () => new Promise((r) => setTimeout(r));
  for (const q of [1, 2, 3, 4]) l.want(q);
  expect(asked).toEqual([1]);
  expect(l.busy).toBe(true);
  answers[0]();
  await turn();
  expect([asked, got]).toEqual([[1, 4], [10]]);
  l.want(5);
  answers[1]();
  await turn();
  expect([asked, wrong]).toEqual([[1, 4, 5], [4]]);
  l.want(6);
  l.drop();
  answers[2]();
  await turn();
  expect([asked, got, l.busy]).toEqual([[1, 4, 5], [10, 50], false]);
  l.want(7);
  l.close();
  answers[3]();
  await turn();
  expect(got).toEqual([10, 50]);
});
