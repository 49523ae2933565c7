type Id = string | number;

interface Batch {
  readonly answers: object[];
  readonly waitsFor: Set<Id>;
}

/** More in one line would be answered with more than anyone reads. */
export const mostInBatch = 1000;

/**
 * Several messages in one line, which revision 2025-03-26 allows and every server of it has to take. What answers them goes back in
 * one line as well, once all of it is there; where nothing is to be answered, nothing goes back.
 */
export interface Batches {
  /** `answers`: what can be said of it already. To be called before any of its requests is passed on. */
  open(waitsFor: ReadonlySet<Id>, answers: readonly object[]): void;
  /** What there is to be sent now: the answer itself if it belongs to no batch, the whole batch, or nothing yet. */
  answer(id: Id | undefined, answer: object): object | undefined;
  /** No answer will come to this request. */
  forget(id: Id): void;
}

export function createBatches(send: (answers: readonly object[]) => void): Batches {
  const byId = new Map<Id, Batch>();

  function take(id: Id): Batch | undefined {
    const batch = byId.get(id);
    batch?.waitsFor.delete(id);
    byId.delete(id);
    return batch;
  }

  function sendIfWhole({ answers, waitsFor }: Batch): void {
    if (waitsFor.size === 0 && answers.length > 0) send(answers);
  }

  return {
    open(waitsFor, answers) {
      const batch: Batch = { waitsFor: new Set(waitsFor), answers: [...answers] };
      for (const id of waitsFor) byId.set(id, batch);
      sendIfWhole(batch);
    },
    answer(id, answer) {
      const batch = id === undefined ? undefined : take(id);
      if (!batch) return answer;
      batch.answers.push(answer);
      return batch.waitsFor.size === 0 ? batch.answers : undefined;
    },
    forget(id) {
      const batch = take(id);
      if (batch) sendIfWhole(batch);
    },
  };
}
