import { openGrants } from "../permissions/grants.ts";
import { openQuarantineFile } from "../permissions/trust/quarantine-file.ts";
import { countOf } from "../tools/failure.ts";
import { listNewNames } from "../permissions/trust/new-names.ts";
import { projectFile } from "../config/load-configuration.ts";
import { createTrust } from "../permissions/trust/open-trust.ts";
import { ok, problem, warning, type Check } from "./doctor-check.ts";
import type { Subject } from "./doctor-subject.ts";

/** What the folder brings along that could run code or widen what is allowed. */
export function checkTrust({ folders, env }: Subject): Check {
  const trust = createTrust(folders.workdir, env);
  // Settings that only narrow count without anybody's trust.
  const narrows = trust.widening().length === 0;
  const files = trust.files().filter(({ path }) => !(narrows && path === projectFile));
  if (files.length === 0) return ok("trust", "The folder brings nothing that would need trust.");
  const strange = files.filter(({ status }) => status !== "trusted").map(({ path, status }) => `${path} (${status})`);
  if (strange.length === 0) return ok("trust", `You trust what needs it here: ${countOf(files.length, "file")}.`);
  return warning(
    "trust",
    `Not trusted, so it runs nothing and widens nothing: ${listed(strange)}.`,
    "Look at them, then run `deckhand trust`.",
  );
}

/** Tool files whose change waits for an approval. */
export function checkQuarantine({ folders }: Subject): readonly Check[] {
  let files: readonly string[];
  try {
    files = openQuarantineFile(folders.quarantine)
      .list()
      .map(({ file }) => file);
  } catch {
    const what = `${folders.quarantine} can't be understood, so no tool file counts as approved.`;
    return [problem("quarantine", what, "Look at the tool files, remove that file, and run `deckhand trust`.")];
  }
  if (files.length === 0) return [];
  const what = `Changed tool files that wait for your approval: ${listed(files)}.`;
  return [warning("quarantine", what, "Look at the change and approve it: `deckhand trust`.")];
}

/** Protected names that were made while calls ran. */
export function checkNewNames({ folders }: Subject): readonly Check[] {
  const names = listNewNames(folders);
  if (names.length === 0) return [];
  const told = names.map(({ path, movedTo }) => (movedTo === null ? path : `${path} (moved aside)`));
  const what = `New files that other programs act on, made while calls ran: ${listed(told)}.`;
  return [warning("new names", what, "Look at them; `deckhand restore PATH` puts one back, or keeps it.")];
}

/** What was said yes to for good. */
export function checkGrants({ folders }: Subject): Check {
  const grants = openGrants(folders.grants).list();
  const always = grants.filter(({ scope }) => scope === "always").length;
  if (always === 0) return ok("grants", "Nothing is allowed for always.");
  return ok("grants", `${countOf(always, "rule")} allowed for always; \`deckhand grants\` lists them.`);
}

const mostListed = 5;

function listed(names: readonly string[]): string {
  const rest = names.length - mostListed;
  return [...names.slice(0, mostListed), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}
