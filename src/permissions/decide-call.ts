import type { Finding } from "../../packages/command-analysis/src/finding.ts";
import type {
  ApprovalAnswer,
  ApprovalRequest,
  Approve,
  GrantScope,
  Permit,
  PermitDecision,
  PermitRequest,
} from "../core/approval.ts";
import type { Execution } from "../core/call.ts";
import type { Clock } from "../core/clock.ts";
import { cutText } from "../core/text.ts";
import { isThenable } from "../core/json.ts";
import type { Mask } from "../core/mask.ts";
import type { DecidedBy, Permission, PermissionMode } from "../core/permission.ts";
import type { Recheck, Tool } from "../core/tool.ts";
import { buildApproval, samePreview } from "./approvals/build-approval.ts";
import { assessCall, type Assessment } from "./assess-call.ts";
import type { Grants } from "./grants.ts";
import type { BeforeHooks } from "./hooks/hooks.ts";
import type { Judges } from "./open-decide.ts";
import { askMode } from "./mode.ts";
import { findAllowing, findRestricting } from "./rules/match-rule.ts";
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

interface Asking {
  readonly approve: Approve;
  readonly grants: Grants;
  readonly clock: Clock;
  readonly mask: Required<Pick<Mask, "text" | "value">>;
}

/** How often a person is asked again because what was shown is no longer what would happen. */
const mostRounds = 3;

/** Only a yes to exactly what would happen is a yes. */
async function askPerson(
  asking: Asking,
  request: PermitRequest,
  { found, reasons }: { readonly found: Assessment; readonly reasons: readonly string[] },
): Promise<PermitDecision> {
  const { dangers } = found;
  const build = async (): Promise<ApprovalRequest> =>
    withoutSecretRules(asking.mask, request, await buildApproval(request, found, reasons));
  let asked = await build();
  for (let round = 0; round < mostRounds; round += 1) {
    const answer = await asking.approve(asked, request.signal);
    if (answer.decision === "deny") {
      const permission = toPermission("deny", "person", { reasons, dangers, who: answer.who });
      return { decision: "deny", by: "person", reason: answer.reason ?? "", permission };
    }
    if (answer.decision === "unanswered")
      return refuse("rule", unanswered(answer, found, reasons), { reasons, dangers });
    // Whoever answers may be a program: whatever is not a yes is a no.
    if ((answer.decision as unknown) !== "allow")
      return refuse("rule", "the answer was neither yes nor no", { dangers });
    const now = await build();
    if (samePreview(asked, now)) {
      keepGrant(asking, asked, answer);
      return allow("person", { reasons, dangers, who: answer.who });
    }
    asked = { ...now, reasons: ["it changed while you were looking at it", ...now.reasons] };
  }
  return refuse("rule", "what it would change kept changing while it was shown", { dangers });
}

/** A yes for longer is written down as it was given: whatever holds a secret is allowed once. */
function withoutSecretRules(
  mask: Asking["mask"],
  { input, execution: { conversationId } }: PermitRequest,
  approval: ApprovalRequest,
): ApprovalRequest {
  const { rules, scopes } = approval;
  // With the input: what one place of it gives away as a secret is one in a rule as well.
  const shown = mask.value({ input, rules }).rules;
  if (rules.some((rule, index) => rule !== shown[index])) return { ...approval, scopes: ["once"], rules: [] };
  if (conversationId === null || mask.text(conversationId) === conversationId) return approval;
  return { ...approval, scopes: scopes.filter((scope) => scope !== "conversation") };
}

function keepGrant(
  { grants, clock, mask }: Asking,
  { scopes, rules, conversationId }: ApprovalRequest,
  { scope, who }: { readonly scope: GrantScope; readonly who: string },
): void {
  // Whoever answers may be a program: what was not offered is not granted.
  if (scope === "once" || !scopes.includes(scope)) return;
  const at = clock.now();
  const conversation = scope === "always" ? null : conversationId;
  grants.add(rules.map((rule) => ({ rule, scope, conversationId: conversation, who: mask.text(who), at })));
}

function unanswered(
  { reason }: Extract<ApprovalAnswer, { decision: "unanswered" }>,
  { dangers }: Assessment,
  reasons: readonly string[],
): string {
  const what = dangers.length > 0 ? "it is dangerous" : "it needs a person's yes";
  const who = reason === "nobody" ? "nobody is there to ask" : "nobody answered";
  return `${what}, and ${who}${reasons.length > 0 ? `: ${reasons.join("; ")}` : ""}`;
}

export type Facts = Partial<Pick<Permission, "rule" | "who" | "reasons">> & { readonly dangers?: readonly Finding[] };

function allow(by: DecidedBy, facts: Facts = {}): PermitDecision {
  return { decision: "allow", permission: toPermission("allow", by, facts) };
}

/** No rule and no mode lets it through; `reason` is what the caller is told. */
function refuse(by: "rule" | "mode", reason: string, facts: Facts = {}): PermitDecision {
  return {
    decision: "deny",
    by: "rule",
    reason,
    permission: toPermission("deny", by, { reasons: [reason], ...facts }),
  };
}

function toPermission(decision: Permission["decision"], by: DecidedBy, facts: Facts): Permission {
  const { rule = null, who = null, reasons = [], dangers = [] } = facts;
  return { decision, by, rule, who, reasons, dangers: [...new Set(dangers.map((finding) => finding.rule))] };
}

/** The usual answers, made once. */
const ordered = allow("order");
const byMode = allow("mode");
