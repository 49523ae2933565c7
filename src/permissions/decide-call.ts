import { cutText } from "../core/cut-text.ts";
import type { Execution } from "../core/call.ts";
import { isThenable } from "../core/is-thenable.ts";
import type { Permit, PermitDecision, PermitRequest } from "../core/permit.ts";
import type { Recheck, Tool } from "../core/tool.ts";
import type { Finding } from "../../packages/command-analysis/src/finding.ts";
import { askPerson, type Asking } from "./approvals/ask-person.ts";
import { assessCall, type Assessment } from "./assess-call.ts";
import { allow, byMode, ordered, refuse, toPermission } from "./decisions.ts";
import type { BeforeHooks } from "./hooks/hooks.ts";
import type { Judges } from "./judges.ts";
import { findAllowing, findRestricting } from "./rules/match-rule.ts";
import { askMode } from "./mode.ts";
import { type PermissionMode } from "../core/permission.ts";
import { parseRule, type CanonicalName, type Rule } from "./rules/permission-rule.ts";

export interface GateOptions extends Asking {
  readonly mode: () => PermissionMode;
  readonly rules: Readonly<Record<"deny" | "ask" | "allow", readonly Rule[]>>;
  readonly judges: Judges;
  readonly hooks: BeforeHooks | null;
  readonly isSandboxed: () => Promise<boolean>;
  readonly canonicalName: CanonicalName;
  /** Dangers that the person named in advance for this very run: rule ids, or exact sub-commands. */
  readonly confirmed: readonly string[];
  /** Whose run this is. */
  readonly who: string;
  /** What a person said beforehand about the calls of a job, which nobody attends. Left out: nothing. */
  readonly rulesOf?: (execution: Pick<Execution, "conversationId" | "door">) => StandingRules | undefined;
}

/** They are for these calls only. Danger is asked about all the same. */
export interface StandingRules {
  readonly allow: readonly Rule[];
  readonly deny: readonly Rule[];
}

type Decided = PermitDecision | Promise<PermitDecision>;

/**
 * Step 4 of a call: hooks before → rules → danger → the mode → a person.
 *
 * Danger is separate from all else: no allow rule, grant or mode removes it, and without a person's yes it is refused.
 */
export function createGate(options: GateOptions): Permit {
  return (request) => {
    if (options.hooks?.matches(request.tool.name)) return decideAfterHooks(options, options.hooks, request);
    return decide(options, request);
  };
}

async function decideAfterHooks(
  options: GateOptions,
  hooks: BeforeHooks,
  request: PermitRequest,
): Promise<PermitDecision> {
  const outcome = await hooks.run(request);
  if (outcome.decision === "deny") {
    const reason = `the hook ${outcome.hook} said no: ${outcome.reason}`;
    return { decision: "deny", by: "hook", reason, permission: toPermission("deny", "hook", { reasons: [reason] }) };
  }
  const { input } = outcome;
  const note = [outcome.note, input === undefined ? undefined : tellChange(request.input)].filter(Boolean).join("\n");
  const checked = input === undefined ? undefined : request.tool.check(input);
  // The engine says what is wrong with it; nothing can be judged before that.
  if (checked && !checked.ok) return { decision: "allow", input };
  const decision = await decide(options, checked ? { ...request, input: checked.input } : request);
  if (decision.decision !== "allow") return decision;
  return { ...decision, ...(input === undefined ? {} : { input }), ...(note === "" ? {} : { note }) };
}

/** The record has the input that ran; what was asked for stays in it, too. */
function tellChange(asked: unknown): string {
  return `A hook changed the input; asked for was: ${cutText(JSON.stringify(asked) ?? "", 500)}`;
}

function decide(options: GateOptions, request: PermitRequest): Decided {
  // Nothing could speak against it, so nothing has to be looked at.
  if (
    isOrder(request) &&
    request.tool.traits.readOnly &&
    request.tool.changed?.(request.input) === undefined &&
    rulesFor(options, request).deny.length === 0
  )
    return ordered;
  const assessed = assessCall(request, options.judges);
  if (isThenable(assessed)) return Promise.resolve(assessed).then((found) => weigh(options, request, found));
  const decided = weigh(options, request, assessed);
  const { recheck } = assessed;
  if (!recheck) return decided;
  return isThenable(decided) ? Promise.resolve(decided).then((each) => bind(each, recheck)) : bind(decided, recheck);
}

/** A yes is to where the paths lead now. */
function bind(decision: PermitDecision, recheck: Recheck): PermitDecision {
  return decision.decision === "allow" ? { ...decision, recheck } : decision;
}

function weigh(options: GateOptions, request: PermitRequest, found: Assessment): Decided {
  const rules = rulesFor(options, request);
  const { tool } = request;
  if (found.refusal !== undefined) return refuse("rule", found.refusal);
  const denying = findRestricting(rules.deny, tool.name, found.subject);
  if (denying?.isSure) {
    const { text } = denying.rule;
    return refuse("rule", `the rule deny ${text} covers it`, { rule: text, dangers: found.dangers });
  }
  if (found.dangers.length > 0)
    return weighDanger(options, request, { found, doubt: denying && couldCover("deny", denying) });
  if (isOrder(request) && !denying) return ordered;

  const asking = findRestricting(rules.ask, tool.name, found.subject);
  const doubts = [...found.doubts];
  if (denying) doubts.push(couldCover("deny", denying));
  if (asking) doubts.push(couldCover("ask", asking));
  if (denying || asking) return weighMode(options, request, { ...found, doubts, isAskedEachTime: true });
  if (askMode(options.mode(), found.kind) === "refuse") return weighMode(options, request, found);
  const isClaimed = isOwnClaim(options.mode(), tool, found.kind);
  const allowing = findAllowing(rules.allow, tool.name, found.subject);
  if (allowing) return allow(rules.standing?.allow.includes(allowing) ? "grant" : "rule", { rule: allowing.text });
  const granted = findGrant(options, request, found);
  if (granted || !isClaimed) return granted ?? weighMode(options, request, found);
  const claim = `in the mode "plan" only reads run, and that ${tool.name} only reads is its own claim`;
  return refuse("mode", `${claim}; if you know that it does, add the rule allow ${tool.name}`);
}

/** A tool file or an MCP server can say of itself whatever it likes. */
export function isOwnClaim(mode: PermissionMode, tool: Tool, kind: Assessment["kind"]): boolean {
  return mode === "plan" && kind === "read" && tool.version !== "builtin";
}

function rulesFor(
  { rules, rulesOf }: GateOptions,
  { execution }: PermitRequest,
): GateOptions["rules"] & { readonly standing?: StandingRules } {
  const standing = rulesOf?.(execution);
  if (!standing) return rules;
  return {
    ...rules,
    deny: [...rules.deny, ...standing.deny],
    allow: [...rules.allow, ...standing.allow],
    standing,
  };
}

/** A person or a program ordered this very call, now or for later: what is not dangerous needs no second word. */
function isOrder({ execution: { door } }: PermitRequest): boolean {
  return door === "cli" || door === "dashboard" || door === "library" || door === "schedule";
}

function couldCover(effect: "deny" | "ask", { rule, isSure }: NonNullable<ReturnType<typeof findRestricting>>): string {
  return `the rule ${effect} ${rule.text} ${isSure ? "covers" : "could cover"} it`;
}

function weighDanger(
  options: GateOptions,
  request: PermitRequest,
  { found, doubt }: { readonly found: Assessment; readonly doubt: string | undefined },
): Decided {
  const { dangers } = found;
  const mode = options.mode();
  const reasons = dangers.map(({ reason, command }) => `${reason} (${command})`);
  if (doubt !== undefined) reasons.push(doubt);
  if (askMode(mode, "danger") === "refuse") {
    return refuse("mode", `it is dangerous, and nobody is asked in the mode "${mode}": ${reasons.join("; ")}`, {
      reasons,
      dangers,
    });
  }
  const isNamed = ({ rule, command }: Finding): boolean =>
    options.confirmed.includes(rule) || options.confirmed.includes(command);
  // A yes in advance was to the danger, not to what a rule may forbid.
  if (doubt === undefined && dangers.every(isNamed)) return allow("person", { who: options.who, reasons, dangers });
  return askPerson(options, request, { found, reasons });
}

function findGrant(options: GateOptions, request: PermitRequest, { subject }: Assessment): PermitDecision | undefined {
  const grants = options.grants.of(request.execution.conversationId);
  if (grants.length === 0) return undefined;
  const rules = grants.flatMap(({ rule }) => parseQuietly(rule, options.canonicalName));
  const found = findAllowing(rules, request.tool.name, subject);
  return found && allow("grant", { rule: found.text, who: grants.find(({ rule }) => rule === found.text)!.who });
}

/** A line of the file that is no rule grants nothing. */
function parseQuietly(text: string, canonicalName: CanonicalName): Rule[] {
  try {
    return [parseRule(text, canonicalName)];
  } catch {
    return [];
  }
}

/** No rule and no grant settled it. */
function weighMode(options: GateOptions, request: PermitRequest, found: Assessment): Decided {
  const { doubts } = found;
  const mode = options.mode();
  const answer = askMode(mode, found.kind);
  if (answer === "refuse") return refuse("mode", `only reading is allowed in the mode "${mode}"`);
  if (doubts.length === 0) {
    if (answer === "allow") return byMode;
    if (answer === "allow-if-sandboxed") return allowIfSandboxed(options, request, found);
  }
  if (mode === "never" || mode === "plan") {
    return refuse("mode", `nobody is asked in the mode "${mode}", and ${doubts.join("; ") || "no rule allows it"}`);
  }
  return askPerson(options, request, { found, reasons: doubts });
}

async function allowIfSandboxed(
  options: GateOptions,
  request: PermitRequest,
  found: Assessment,
): Promise<PermitDecision> {
  if (found.isHeld && (await options.isSandboxed())) return byMode;
  return askPerson(options, request, { found, reasons: ["no sandbox of the operating system holds it here"] });
}
