// A building site that was asked for. The server decides whether it is one; until
// it has, another click asks nothing, so that one building is not ordered twice.

import type { Answer } from "../sdk/index";

export class PendingBuild {
  private asked: Promise<Answer> | null = null;

  get waits(): boolean {
    return this.asked !== null;
  }

  /** Calls back when the answer is there, unless the site was forgotten meanwhile. */
  ask(answer: Promise<Answer>, then: (accepted: boolean) => void): void {
    this.asked = answer;
    void answer.then((a) => {
      if (this.asked !== answer) return;
      this.asked = null;
      then(a.ok);
    });
  }

  /** The player chose something else. */
  forget(): void {
    this.asked = null;
  }
}
