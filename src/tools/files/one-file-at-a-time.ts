/**
 * Lets the work on one key wait for the work that was handed in before it. For reading a file and replacing it as one
 * step within this process; other processes are noticed by comparing the file before it is replaced.
 */
export async function oneAtATime<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const before = waiting.get(key);
  const { promise: turn, resolve: finish } = Promise.withResolvers<void>();
  waiting.set(key, turn);
  try {
    await before;
    return await work();
  } finally {
    if (waiting.get(key) === turn) waiting.delete(key);
    finish();
  }
}

const waiting = new Map<string, Promise<void>>();
