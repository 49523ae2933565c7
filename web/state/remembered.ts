/** What pages showed last, so that going back shows it at once. */
const remembered = new Map<string, unknown>();
const mostRemembered = 60;

export function recall<Data>(key: string | null): Data | undefined {
  return key === null ? undefined : (remembered.get(key) as Data | undefined);
}

export function remember(key: string, data: unknown): void {
  remembered.delete(key);
  remembered.set(key, data);
  const [oldest] = remembered.keys();
  if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest);
}

/** Forgets it all: somebody else may have signed in. */
export function forgetAll(): void {
  remembered.clear();
}
