import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe finds on the page as it stands, by all its rules, each with its first place. */
export async function findViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResult>('axe.run({ resultTypes: ["violations"] })');
  return violations.map(({ id, impact, help, nodes }) => `${impact} ${id}: ${help} (${nodes[0]?.html.slice(0, 200)})`);
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}
