/**
 * Something that others can wait for. It is ready when all it waits for is done. It is done when it has finished and
 * all it waits for is done as well: a call that was cancelled before its turn must not open the way for those behind
 * it while those before it still run.
 */
export class Step {
  readonly #onReady: () => void;
  readonly #waiters: Step[] = [];
  #waitsFor = 0;
  #finished = false;
  #done = false;

  constructor(onReady: () => void) {
    this.#onReady = onReady;
  }

  get done(): boolean {
    return this.#done;
  }

  get ready(): boolean {
    return this.#waitsFor === 0;
  }

  waitFor(earlier: Step): void {
    if (earlier.#done || earlier === this) return;
    this.#waitsFor += 1;
    earlier.#waiters.push(this);
  }

  finish(): void {
    this.#finished = true;
    // A loop, not a recursion: a chain of waiting steps may be longer than the stack is deep.
    const candidates: Step[] = [this];
    for (let step = candidates.pop(); step; step = candidates.pop()) {
      if (step.#done || !step.#finished || step.#waitsFor > 0) continue;
      step.#done = true;
      for (const waiter of step.#waiters) {
        waiter.#waitsFor -= 1;
        if (waiter.#waitsFor > 0) continue;
        waiter.#onReady();
        candidates.push(waiter);
      }
      step.#waiters.length = 0;
    }
  }
}

/** Stands for several steps, so that many can wait for many without a line between each two. */
export function joinSteps(steps: readonly Step[]): Step {
  const join = new Step(() => undefined);
  for (const step of steps) join.waitFor(step);
  join.finish();
  return join;
}
