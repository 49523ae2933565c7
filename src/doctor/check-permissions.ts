import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { approveNobody } from "../core/approval.ts";
import type { Catalog } from "../engine/catalog.ts";
import { parseRule } from "../permissions/rules/permission-rule.ts";
import { childEnvironment } from "../process/run/child-environment.ts";
import type { Processes } from "../process/processes.ts";
import { createMasker } from "../guard/secrets/create-masker.ts";
import { countOf } from "../tools/failure.ts";
import type { Configuration } from "../config/configuration.ts";
import { projectFile } from "../config/load-configuration.ts";
import { openAnalysis } from "../permissions/analyse-once.ts";
import { openCatalog, tellUnknown } from "../runtime/open-catalog.ts";
import { openGate } from "../permissions/open-decide.ts";
import { toolFolderOf } from "../permissions/trust/open-trust.ts";
import { ok, problem, warning, type Check } from "./doctor-check.ts";
import { listKnownTools } from "./check-tools.ts";
import type { Subject } from "./doctor-subject.ts";

type Permissions = Configuration["permissions"];

export async function checkMode(processes: Pick<Processes, "sandbox">, { configuration }: Subject): Promise<Check> {
  const { mode, unattended } = configuration.permissions;
  const isHeld = mode !== "auto" || (await processes.sandbox()).kind !== "none";
  const danger = mode === "plan" || mode === "never" ? "refused" : "always asked about";
  return ok(
    "mode",
    [
      `${mode}: ${modeWords[mode]}.`,
      ...(isHeld ? [] : ["No sandbox holds here, so commands are asked about."]),
      `Danger is ${danger}.`,
      `A question that nobody is there to answer ${unattended === "inbox" ? "waits in the inbox" : "is refused"}.`,
    ].join(" "),
  );
}

const modeWords = {
  ask: "reads run, everything else is asked about",
  "accept-edits": "reads and edits in the workdir run, commands are asked about",
  auto: "reads, edits in the workdir and commands in a sandbox run",
  plan: "reads run, everything else is refused",
  never: "nobody is asked; reads run, and what a rule allows",
} as const;

/** Put together as a runtime would, so that what it would complain about is told here. A rule that can't be used throws. */
export function checkRules(processes: Processes, { configuration, folders, env, clock }: Subject): Check {
  const { permissions } = configuration;
  const analysis = openAnalysis({ workdir: folders.workdir, home: env["HOME"] || homedir() });
  // The key of the marks would be made by asking for it, and nothing is masked here.
  const masker = createMasker({ values: [], key: "" });
  const desk = (): Promise<never> => Promise.reject(new Error("Nothing is called here."));
  const { catalog, unknown } = openCatalog({ configuration, folders, processes, analysis, masker, config: {}, desk });
  const gate = openGate({
    configuration,
    folders,
    catalog,
    analysis,
    processes,
    env: childEnvironment(env),
    clock,
    mask: masker,
    mode: () => permissions.mode,
    approve: approveNobody,
    confirmed: [],
    who: "",
    protectedPaths: [projectFile, toolFolderOf(folders.workdir, configuration.tools.folder)],
  });
  const known = new Set(listKnownTools({ folders, configuration }).map(({ tool }) => tool));
  const strange = unknown.filter((name) => !known.has(name)).map((name) => tellUnknown(name, catalog));
  const told = [...strange.map(asSentence), ...gate.warnings, ...findIdle(permissions, catalog, known)];
  if (told.length > 0) return warning("rules", told.join(" "), "Correct them in the settings.");
  const counts = (["deny", "ask", "allow"] as const).map((effect) => `${permissions[effect].length} ${effect}`);
  return ok("rules", `${counts.join(", ")}; all of them can be used.`);
}

/** A rule for a tool that is not there may be a slip, and protects nothing. */
function findIdle({ deny, ask, allow }: Permissions, catalog: Catalog, known: ReadonlySet<string>): string[] {
  const canonicalName = (name: string): string | undefined => catalog.canonicalName(name);
  return [...deny, ...ask, ...allow].flatMap((text) => {
    const { tool } = parseRule(text, canonicalName);
    if (tool.includes("*") || known.has(tool) || canonicalName(tool) !== undefined) return [];
    return [`The permission rule "${text}" names a tool that is not here, and has no effect.`];
  });
}

function asSentence(text: string): string {
  return /[.?]$/.test(text) ? text : `${text}.`;
}

/** A before-hook that can't be run refuses every call that it is for. */
export function checkHooks({ configuration, folders }: Subject): readonly Check[] {
  const { before, after } = configuration.hooks;
  const files = [...before, ...after].flatMap(({ module, command }) => {
    if (module !== undefined) return [module];
    return command?.[0].includes("/") ? [command[0]] : [];
  });
  const missing = files.filter((file) => !existsSync(resolve(folders.workdir, file)));
  if (missing.length > 0) {
    const what = `A hook names ${missing.join(", ")}, which is not there.`;
    return [problem("hooks", what, 'Correct "hooks" in the settings.')];
  }
  if (before.length + after.length === 0) return [];
  return [ok("hooks", `${countOf(before.length, "hook")} before and ${after.length} after a call.`)];
}
