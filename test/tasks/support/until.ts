import assert from "node:assert/strict";

/** Resolves when the condition holds; fails after a minute and a half. */
export async function until(condition: () => unknown, what: string): Promise<void> {
  const deadline = Date.now() + 90_000;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, `It does not come: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
