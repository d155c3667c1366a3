// A build order that waits for its answer. Until then another click has no effect, so that one building is not
// ordered twice.

import type { Answer } from "@fogkeep/client";

export class PendingBuild {
  private asked: Promise<Answer> | null = null;

  get waits(): boolean {
    return this.asked !== null;
  }

  /** Calls back with the answer, unless the player chose something else meanwhile. */
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
