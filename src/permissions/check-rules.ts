import { resolve } from "node:path";
import type { PermissionMode } from "../core/permission.ts";
import { createCatalog } from "../engine/catalog.ts";
import { wordPaths } from "./rules/command-paths.ts";
import { namesOf, type Judges } from "./open-decide.ts";
import { findAllowing, findRestricting } from "./rules/match-rule.ts";
import { partsToAllow } from "./approvals/parts-to-allow.ts";
import { parseRule, type Rule } from "./rules/permission-rule.ts";
import type { Subject } from "./assess-call.ts";
import { openTrust } from "./trust/trust.ts";
import { childEnvironment } from "../process/run/child-environment.ts";
import type { CommandAnalysis } from "../../packages/command-analysis/src/analyse-command.ts";
import { judgePath } from "../guard/path/judge-path.ts";
import type { Folders } from "../config/folders.ts";
import { loadConfiguration } from "../config/load-configuration.ts";
import { type Environment } from "../core/process.ts";

/** The rule that speaks of something, the strictest first. */
export interface RuleFound {
  readonly effect: "deny" | "ask" | "allow";
  readonly rule: string;
  /** False: it depends on a value that is not known. */
  readonly sure: boolean;
}

export interface RuleCheck {
  readonly mode: PermissionMode;
  command(analysis: CommandAnalysis, cwd: string): RuleFound | null;
  path(path: string, operation: string): RuleFound | null;
}

/** The permission rules as they count in this workdir. Throws CONFIG_INVALID for settings that can't be used. */
export function loadRuleCheck(folders: Folders, env: Environment): RuleCheck {
  const { workdir } = folders;
  const trust = openTrust({ workdir, path: folders.trust, toolFolders: [], now: Date.now });
  const isTrusted = (file: string): boolean => trust.isTrusted(file);
  const { permissions, tools } = loadConfiguration({ workdir, env, overrides: {}, isTrusted }).configuration;
  const inherited = childEnvironment(env, { add: tools.environment });
  const names = createCatalog([]);
  const parse = (texts: readonly string[]): Rule[] =>
    texts.map((text) => parseRule(text, (name) => names.canonicalName(name)));
  const rules = { deny: parse(permissions.deny), ask: parse(permissions.ask), allow: parse(permissions.allow) };
  const judge: Judges["path"] = (path, operation) => {
    const verdict = judgePath(path, operation, { workdir });
    return { ...verdict, names: namesOf(workdir, path, verdict.resolved) };
  };

  function find(toolId: string, subject: Subject): RuleFound | null {
    for (const effect of ["deny", "ask"] as const) {
      const found = findRestricting(rules[effect], toolId, subject);
      if (found) return { effect, rule: found.rule.text, sure: found.isSure };
    }
    const allowing = findAllowing(rules.allow, toolId, subject);
    return allowing ? { effect: "allow", rule: allowing.text, sure: true } : null;
  }

  return {
    mode: permissions.mode,
    command(analysis, cwd) {
      const judges = { path: judge, isInherited: (name: string) => Object.hasOwn(inherited, name) };
      const place = { cwd: resolve(workdir, cwd), workdir };
      const { outside, secrets, programs, ...touched } = wordPaths(analysis, judges, place.cwd);
      const isProved = outside.length === 0 && secrets.length === 0 && programs.length === 0;
      const toAllow = partsToAllow(analysis, { ...place, judges, isProved });
      return find("bash", { kind: "command", commands: analysis.commands, toAllow, ...touched });
    },
    path(path, operation) {
      const isRead = operation === "read" || operation === "list";
      const { names: all } = judge(path, "read");
      const touched = { given: path, access: isRead ? "read" : "write", names: all } as const;
      return find(isRead ? "read" : operation === "edit" ? "edit" : "write", { kind: "paths", paths: [touched] });
    },
  };
}
