import { messageOf } from "../core/errors.ts";
import { createId } from "../core/ids.ts";
import type { Recheck, Resource, Tool, ToolResult } from "../core/tool.ts";
import type { ToolCall } from "../core/call.ts";
import { CallControl } from "./call-control.ts";
import type { Conversation } from "./conversations.ts";
import { callSignature } from "./failure-guard.ts";
import { ignoredInput, invalidInput, unknownTool, unreadableInput } from "./input-errors.ts";
import type { Draft, EngineOptions } from "./engine-deps.ts";
import { resourcesOf } from "./resources-of.ts";
import type { Slots } from "./slots.ts";

type Failure = Extract<ToolResult, { ok: false }>;

/** A call on its way, from its arrival to its final state. */
export interface ActiveCall {
  readonly record: Draft;
  readonly call: ToolCall;
  readonly control: CallControl;
  readonly conversation: Conversation;
  /** Set when steps 1 and 2 already decided: it will fail without running. */
  readonly failure: Failure | null;
  /** Null when there is no such tool. */
  readonly tool: Tool | null;
  /** As checked; what the tool receives. */
  input: unknown;
  /** From the permission: where its paths may lead. */
  recheck: Recheck | undefined;
  readonly signature: () => string;
  /** What it will touch; a tool that does not say, or can't, touches everything. */
  readonly resources: () => readonly Resource[];
  /** Counts the outcome in the conversation; a batch delays it so that calls count in the model's order. */
  commit: () => void;
  /** Where calls on its behalf take turns; made for the first of them. */
  childSlots: Slots | null;
}

/** Steps 1 and 2: which tool, and is the input what it takes? Decides nothing that needs another call's outcome. */
export function prepareCall(
  options: EngineOptions,
  call: ToolCall,
  place: Pick<ActiveCall, "conversation" | "commit"> & Pick<Draft, "batchId" | "parentId" | "door">,
): ActiveCall {
  const tool = findTool(options, call);
  const read = readInput(call);
  const { failure, input, note } = judge(options, tool, { ...read, call });
  const record = createRecord(options, call, {
    toolId: tool?.name ?? null,
    toolInput: read.value,
    batchId: place.batchId,
    parentId: place.parentId,
    door: place.door,
  });
  record.note = note ?? null;
  let signature: string | undefined;
  let known: { readonly input: unknown; readonly resources: readonly Resource[] } | undefined;
  const active: ActiveCall = {
    record,
    call,
    control: new CallControl(),
    conversation: place.conversation,
    failure,
    tool,
    input,
    recheck: undefined,
    // Of what was asked, not of what a hook made of it: that is what would be repeated.
    signature: () => (signature ??= callSignature(record.toolId ?? call.tool, read.value)),
    resources() {
      if (!known || known.input !== active.input) {
        known = { input: active.input, resources: touches(options, tool, active.input) };
      }
      return known.resources;
    },
    commit: place.commit,
    childSlots: null,
  };
  const { id, toolName, toolId, toolInput, door, conversationId, batchId } = options.mask.execution(record);
  options.emit("execution:created", { id, toolName, toolId, toolInput, door, conversationId, batchId });
  return active;
}

function touches({ mayChangeInput }: EngineOptions, tool: Tool | null, input: unknown): readonly Resource[] {
  return tool && mayChangeInput?.(tool.name) ? everything : resourcesOf(tool, input);
}

const everything: readonly Resource[] = [{ kind: "everything", access: "write" }];

interface ReadInput {
  readonly value: unknown;
  readonly problem: string | null;
}

function readInput(call: ToolCall): ReadInput {
  if (call.inputText === undefined) return { value: call.input ?? {}, problem: null };
  if (call.inputText.trim() === "") return { value: {}, problem: null };
  try {
    return { value: JSON.parse(call.inputText), problem: null };
  } catch (thrown) {
    return { value: call.inputText, problem: messageOf(thrown) };
  }
}

interface Judged {
  readonly failure: Failure | null;
  readonly input: unknown;
  /** Worth telling although it is fine. */
  readonly note?: string;
}

function findTool({ catalog }: EngineOptions, { tool, pinned, offered }: ToolCall): Tool | null {
  const found = pinned ?? catalog.resolve(tool);
  return found && offered?.has(found.name) !== false ? found : null;
}

function judge(options: EngineOptions, tool: Tool | null, read: ReadInput & { readonly call: ToolCall }): Judged {
  if (!tool) {
    const { call, value: input } = read;
    const isThere = options.catalog.resolve(call.tool) !== undefined;
    const reason = isThere ? undefined : options.whyMissing?.(call.tool);
    return { failure: unknownTool(call, options.catalog, reason), input };
  }
  if (read.problem !== null) return { failure: unreadableInput(tool, read.problem), input: read.value };
  return checkInput(tool, read.value);
}

/** Step 2 alone; also for an input that a hook changed. */
export function checkInput(tool: Tool, value: unknown): Judged {
  try {
    const checked = tool.check(value);
    if (checked.ok) {
      const { input, ignored } = checked;
      return ignored?.length ? { failure: null, input, note: ignoredInput(tool, ignored) } : { failure: null, input };
    }
    return { failure: invalidInput(tool, value, checked.problems), input: value };
  } catch (thrown) {
    const error = `The check of ${tool.name}'s input broke: ${messageOf(thrown)}`;
    return { failure: { ok: false, error, errorType: "invalid_input" }, input: value };
  }
}

function createRecord(
  options: EngineOptions,
  call: ToolCall,
  known: Pick<Draft, "toolId" | "toolInput" | "batchId" | "parentId" | "door">,
): Draft {
  const createdAt = options.clock.now();
  return {
    id: call.id ?? createId("call", createdAt),
    toolName: call.tool,
    toolId: known.toolId,
    toolInput: known.toolInput,
    state: "pending",
    runPhase: "not_started",
    result: null,
    error: null,
    errorType: null,
    note: null,
    createdAt,
    startedAt: null,
    completedAt: null,
    durationMs: null,
    attempt: 1,
    timeoutMs: null,
    idleMs: null,
    version: null,
    route: null,
    canaryBucket: null,
    door: known.door,
    conversationId: call.conversationId ?? null,
    turn: call.turn ?? null,
    parentId: known.parentId,
    batchId: known.batchId,
    outputBytes: 0,
    stopCause: null,
    stopProof: null,
    killed: [],
    survivors: [],
    owner: options.owner,
    permission: null,
    sandbox: null,
  };
}
