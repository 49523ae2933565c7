import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { relative, resolve } from "node:path";
import type { CommandAnalysis } from "../../packages/command-analysis/src/analyse-command.ts";
import type { Finding } from "../../packages/command-analysis/src/finding.ts";
import type { Configuration } from "../config/configuration.ts";
import type { Folders } from "../config/folders.ts";
import type { Approve, Permit, PermitRequest } from "../core/approval.ts";
import type { AfterRun } from "../core/call-observer.ts";
import type { Clock } from "../core/clock.ts";
import { isThenable } from "../core/json.ts";
import type { PermissionMode } from "../core/permission.ts";
import type { Tool } from "../core/tool.ts";
import type { Catalog } from "../engine/catalog.ts";
import { judgePath, type PathOperation, type PathVerdict } from "../guard/path/judge-path.ts";
import type { Processes } from "../process/processes.ts";
import type { Analysis } from "./analyse-once.ts";
import { assessCall } from "./assess-call.ts";
import { createGate, type GateOptions, isOwnClaim } from "./decide-call.ts";
import { openGrants } from "./grants.ts";
import { type BeforeHooks, createAfterHooks, createBeforeHooks, toHook } from "./hooks/hooks.ts";
import type { HookParts } from "./hooks/run-hook.ts";
import { askMode } from "./mode.ts";
import { findAllowing, findRestricting } from "./rules/match-rule.ts";
import { parseRule, type Rule } from "./rules/permission-rule.ts";

export interface GateParts {
  readonly configuration: Configuration;
  readonly folders: Folders;
  readonly catalog: Catalog;
  readonly analysis: Analysis;
  readonly processes: Processes;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly mask: GateOptions["mask"];
  readonly mode: () => PermissionMode;
  readonly approve: Approve;
  readonly confirmed: readonly string[];
  readonly who: string;
  readonly rulesOf?: NonNullable<GateOptions["rulesOf"]>;
  readonly protectedPaths: readonly string[];
}

export interface OpenGate {
  readonly permit: Permit;
  readonly afterRun: AfterRun | null;
  readonly mayChangeInput: ((toolId: string) => boolean) | null;
  /** It only reads, and passes without a question, a hook or a danger. */
  readonly foreseeQuietRead: (call: ForeseenCall) => boolean;
  /** Would this rule let the call through? */
  readonly fitsRule: (rule: string, request: PermitRequest) => Promise<boolean>;
  /** Rules that say two things at once, or more than their writer may have meant. */
  readonly warnings: readonly string[];
}

/** Step 4 of a call and the hooks around it, as configured. Throws CONFIG_INVALID for a rule that can't be used. */
export function openGate(parts: GateParts): OpenGate {
  const { configuration, folders, catalog, analysis, processes } = parts;
  const { workdir } = folders;
  const canonicalName = (name: string): string | undefined => catalog.canonicalName(name);
  const parse = (texts: readonly string[]): Rule[] => texts.map((text) => parseRule(text, canonicalName));
  const { permissions, hooks } = configuration;
  const rules = { deny: parse(permissions.deny), ask: parse(permissions.ask), allow: parse(permissions.allow) };
  const hookParts: HookParts = { processes, env: parts.env, workdir, clock: parts.clock };
  const before = hooks.before.map((setting) => toHook(setting, "before", { workdir, canonicalName }));
  const after = hooks.after.map((setting) => toHook(setting, "after", { workdir, canonicalName }));
  const beforeHooks: BeforeHooks | null = before.length === 0 ? null : createBeforeHooks(before, hookParts);
  const place = {
    workdir,
    protectedPaths: parts.protectedPaths,
    ownFolders: [folders.stateHome, ...realPathIfAny(folders.stateHome)],
    home: parts.env["HOME"] || homedir(),
  };
  const options: GateOptions = {
    ...parts,
    rules,
    canonicalName,
    grants: openGrants(folders.grants),
    hooks: beforeHooks,
    judges: {
      command: (text, cwd) => analysis.command(text, cwd),
      code: (language, text, cwd) => analysis.code(language, text, cwd),
      path(path, operation) {
        const verdict = judgePath(path, operation, place);
        return { ...verdict, names: namesOf(workdir, path, verdict.resolved) };
      },
      isInherited: (name) => Object.hasOwn(parts.env, name),
    },
    isSandboxed: async () => (await processes.sandbox()).kind !== "none",
  };
  return {
    permit: createGate(options),
    foreseeQuietRead: (call) => foreseeQuietRead(options, call),
    fitsRule: (rule, request) => fitsRule(options, rule, request),
    afterRun: after.length === 0 ? null : createAfterHooks(after, hookParts),
    mayChangeInput: beforeHooks && ((toolId) => beforeHooks.matches(toolId)),
    warnings: warnAboutRules(rules),
  };
}

function realPathIfAny(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

function warnAboutRules({ deny, ask, allow }: Record<"deny" | "ask" | "allow", readonly Rule[]>): string[] {
  const warnings: string[] = [];
  const stricter = [...deny.map((rule) => ["deny", rule] as const), ...ask.map((rule) => ["ask", rule] as const)];
  for (const { text, tool, spec } of allow) {
    const stronger = stricter.find(([, rule]) => rule.text === text);
    if (stronger)
      warnings.push(`The permission rule "${text}" stands under allow and under ${stronger[0]}: ${stronger[0]} wins.`);
    else if (tool.endsWith("*") || (tool === "bash" && spec === null)) {
      warnings.push(
        `The permission rule allow "${text}" lets everything through that is not dangerous; danger is still asked about.`,
      );
    }
  }
  return warnings;
}

/** Would a rule such as `bash(git *)` let this very call through? One that is no rule lets nothing through. */
async function fitsRule(options: GateOptions, text: string, request: PermitRequest): Promise<boolean> {
  let rule: Rule;
  try {
    rule = parseRule(text, options.canonicalName);
  } catch {
    return false;
  }
  const { subject } = await assessCall(request, options.judges);
  // What needs no rule otherwise (a command that only reads) has to fit this one all the same.
  const whole = subject.kind === "command" ? { ...subject, toAllow: subject.commands } : subject;
  return findAllowing([rule], request.tool.name, whole) !== undefined;
}

interface ForeseenCall {
  readonly tool: Tool;
  /** Checked against the tool's schema. */
  readonly input: unknown;
  readonly workdir: string;
}

/**
 * Would a model's call pass without a question, a hook or a danger, and only read? Says it now, and no when that takes
 * longer: the call may start before the reply that asks for it is whole, so nobody may be bothered by it.
 */
function foreseeQuietRead(options: GateOptions, call: ForeseenCall): boolean {
  const { tool } = call;
  if (!tool.traits.readOnly && tool.name !== "bash") return false;
  if (options.hooks?.matches(tool.name)) return false;
  const found = assessCall(call, options.judges);
  if (isThenable(found)) return false;
  const { kind, subject, dangers, doubts } = found;
  if (kind !== "read" || dangers.length > 0 || doubts.length > 0) return false;
  const { deny, ask } = options.rules;
  if (findRestricting(deny, tool.name, subject) || findRestricting(ask, tool.name, subject)) return false;
  return askMode(options.mode(), "read") === "allow" && !isOwnClaim(options.mode(), tool, kind);
}

export type JudgedPath = PathVerdict & {
  /** Relative to the workdir: as written, and where links lead when that is another place. */
  readonly names: readonly string[];
};

/** The judgement that the gate asks for. What is costly to load is loaded when first needed. */
export interface Judges {
  command(text: string, cwd: string): CommandAnalysis | Promise<CommandAnalysis>;
  code(language: "python", text: string, cwd: string): readonly Finding[] | Promise<readonly Finding[]>;
  path(path: string, operation: PathOperation): JudgedPath;
  /** Whether commands get this variable from the start: then setting it, without a word of export, reaches what they start. */
  isInherited(name: string): boolean;
}

export function namesOf(workdir: string, given: string, resolved: string | null): string[] {
  const names = [relative(workdir, resolve(workdir, given))];
  if (resolved !== null) names.push(relative(workdir, resolved));
  return [...new Set(names)];
}
