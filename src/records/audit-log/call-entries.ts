import { clipText, cutText } from "../../core/text.ts";
import type { Execution } from "../../core/call.ts";
import { cleanValue } from "./clean-value.ts";
import { escapeInvisible } from "./log-line.ts";
import type { Draft } from "./log-writer.ts";

/**
 * What one call says in the journal. Everything was masked before: the records come from the ledger. Spelt out as text,
 * because every call pays for it: half the cost of building objects first.
 */

const longestInput = 16_384;
const longestError = 4000;
const longestName = 200;
const auditCharacters = 500;
const workflowCharacters = 2000;
const summaryCharacters = 200;

/** The intent. */
export function callDraft(execution: Execution, at: number): Draft {
  const { attempt, timeoutMs } = execution;
  return draft(
    execution,
    at,
    `"type":"tool_call","id":${json(execution.id)}${namesOf(execution)},"input":${inputOf(execution.toolInput)}` +
      `${placeOf(execution)},"attempt":${json(attempt)},"timeout_ms":${json(timeoutMs)},"permission":${permissionOf(execution)}`,
  );
}

/**
 * The outcome. `whole`: nothing else tells of this call, so its input, and where audit is on its output, is here as well.
 */
export function outcomeDraft(
  execution: Execution,
  at: number,
  options: { readonly whole: boolean; readonly audit: boolean },
): Draft {
  const { result, error, errorType, state, stopCause, stopProof, survivors, sandbox, permission } = execution;
  const isOk = state === "completed";
  let body =
    `"type":"${isOk ? "tool_result" : "tool_error"}","id":${json(execution.id)}${namesOf(execution)},` +
    `"latency_ms":${json(rounded(execution.durationMs))},"status":"${isOk ? "ok" : "error"}","error_type":${json(errorType)},` +
    `"canary_bucket":${json(execution.canaryBucket)},"state":"${state}","run_phase":"${execution.runPhase}"`;
  if (options.whole) body += `,"input":${inputOf(execution.toolInput)}${placeOf(execution)}`;
  else body += `,"conversation_id":${json(execution.conversationId)}`;
  if (options.whole && options.audit) body += outputOf(execution, auditCharacters);
  if (error !== null) body += `,"error":${json(cutText(error, longestError))}`;
  body += `,"output_bytes":${json(execution.outputBytes)},"summary":${json(clipText(result?.output ?? "", summaryCharacters))}`;
  if (stopCause !== null) body += `,"stop_cause":"${stopCause}"`;
  if (stopProof !== null) body += `,"stop_proof":"${stopProof}","survivors":${jsonOf(survivors)}`;
  if (sandbox !== null) body += `,"sandbox":${jsonOf(sandbox)}`;
  if (permission !== null) body += `,"permission":${permissionOf(execution)}`;
  return draft(execution, at, body);
}

/** What went in and came out, shortened. */
export function auditDraft(execution: Execution, at: number): Draft {
  return draft(
    execution,
    at,
    `"type":"audit","id":${json(execution.id)},"conversation_id":${json(execution.conversationId)},` +
      `"door":${json(execution.door)},"tool":${json(nameOf(execution))},"input":${inputOf(execution.toolInput)}` +
      outputOf(execution, auditCharacters),
  );
}

/** The same for whoever follows a conversation. */
export function workflowDraft(execution: Execution, at: number): Draft {
  return draft(
    execution,
    at,
    `"type":"workflow","id":${json(execution.id)},"conversation_id":${json(execution.conversationId)},` +
      `"run":${json(execution.batchId)},"turn":${json(execution.turn)},"tool":${json(nameOf(execution))}` +
      outputOf(execution, workflowCharacters),
  );
}

/** Why it may run or not; undefined when the mode alone let it through, which the intent says in a word. */
export function decisionDraft(execution: Execution, at: number): Draft | undefined {
  const { permission } = execution;
  if (!permission) return undefined;
  const { decision, by, rule, who, dangers, reasons } = permission;
  const isPlain = decision === "allow" && (by === "mode" || by === "order");
  if (isPlain && reasons.length === 0 && dangers.length === 0) return undefined;
  return draft(
    execution,
    at,
    `"type":"decision","id":${json(execution.id)},"tool_name":${json(nameOf(execution))},` +
      `"conversation_id":${json(execution.conversationId)},"decision":"${decision}",` +
      `"by":"${by}","rule":${json(rule)},"who":${json(who)},"dangers":${jsonOf(dangers)},"reasons":${jsonOf(reasons)}`,
  );
}

function draft({ id }: Execution, at: number, body: string): Draft {
  return { at, id, body: escapeInvisible(body) };
}

const plain = /^[\w .,:;@/+-]*$/;

/** Ids, names and numbers mostly need no escaping, and that is told faster than it is done. */
function json(value: string | number | null): string {
  if (typeof value === "string") return value.length < 64 && plain.test(value) ? `"${value}"` : JSON.stringify(value);
  return Number.isFinite(value) ? `${value}` : "null";
}

/** Nobody measures nanoseconds here, and they would be half of the number. */
function rounded(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * 1000) / 1000;
}

/** Of bounded size, whatever it is. */
function jsonOf(value: unknown): string {
  return JSON.stringify(cleanValue(value, unchanged));
}

function nameOf({ toolName, toolId }: Pick<Execution, "toolName" | "toolId">): string {
  return toolId ?? cutText(toolName, longestName);
}

type Named = Pick<Execution, "toolId" | "toolName" | "version" | "route">;
let lastNamed: Named = { toolId: null, toolName: "", version: null, route: null };
let lastNames = "";

/** Calls come in rows of the same tool. Copied, because a record changes. */
function namesOf({ toolId, toolName, version, route }: Execution): string {
  const isSame =
    toolId === lastNamed.toolId &&
    toolName === lastNamed.toolName &&
    version === lastNamed.version &&
    route === lastNamed.route;
  if (isSame && lastNames !== "") return lastNames;
  lastNamed = { toolId, toolName, version, route };
  lastNames = makeNames(lastNamed);
  return lastNames;
}

function makeNames(named: Named): string {
  const { toolName, toolId, version, route } = named;
  const asked = toolId === null || toolId === toolName ? "" : `,"asked_for":${json(cutText(toolName, longestName))}`;
  return `,"tool_name":${json(nameOf(named))}${asked},"tool_version":${json(version)},"route":${json(route)}`;
}

function placeOf({ conversationId, door, turn, batchId, parentId }: Execution): string {
  let place = `,"conversation_id":${json(conversationId)},"door":${json(door)}`;
  if (turn !== null) place += `,"turn":${json(turn)}`;
  if (batchId !== null) place += `,"run":${json(batchId)}`;
  if (parentId !== null) place += `,"parent_id":${json(parentId)}`;
  return place;
}

function permissionOf({ permission }: Execution): string {
  if (!permission) return "null";
  const { decision, by, rule, who } = permission;
  return `{"decision":"${decision}","by":"${by}","rule":${json(rule)},"who":${json(who)}}`;
}

function outputOf({ state, result, error }: Execution, limit: number): string {
  const files = (result?.files ?? []).slice(0, 20);
  const text = cutText(result?.output ?? error ?? "", limit);
  return `,"output":${json(text)},"files":${files.length === 0 ? "[]" : jsonOf(files)},"success":${state === "completed"}`;
}

/** As it was when it is small; else as much of it as says what was asked. */
function inputOf(input: unknown): string {
  try {
    const text = JSON.stringify(input) ?? "null";
    return text.length <= longestInput ? text : JSON.stringify(cleanValue(input, unchanged, longestInput));
  } catch {
    return JSON.stringify(cleanValue(input, unchanged, longestInput));
  }
}

function unchanged(text: string): string {
  return text;
}
