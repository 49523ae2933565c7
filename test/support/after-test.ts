type Context = { after(hook: () => Promise<void>): void };

const hooksOf = new WeakMap<Context, (() => Promise<unknown>)[]>();

/** Like `t.after`, but the last one first: what was opened in a folder is closed before the folder goes. */
export function afterTest(t: Context, hook: () => Promise<unknown>): void {
  const known = hooksOf.get(t);
  if (known) {
    known.push(hook);
    return;
  }
  const hooks = [hook];
  hooksOf.set(t, hooks);
  t.after(async () => {
    for (const each of hooks.toReversed()) await each();
  });
}
