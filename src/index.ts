export { createRuntime, type Runtime, type RuntimeConfig } from "./runtime/create-runtime.ts";
export type {
  AgentEvent,
  AgentEvents,
  AgentEventType,
  AgentStatistics,
  RunEnd,
  RunState,
} from "./core/agent-events.ts";
export type { ApprovalAnswer, ApprovalRequest, Approve, GrantScope } from "./core/approval.ts";
export { defineTool, type ToolDefinition } from "./core/define-tool.ts";
export { RuntimeError, type ErrorCode, type ErrorType } from "./core/errors.ts";
export type { EventType, RuntimeEvent, RuntimeEvents } from "./core/events.ts";
export type { Execution, ExecutionState, FinalState, RunPhase } from "./core/call.ts";
export type { AssistantPart, CallPart, CallResult, Message, UserPart } from "./core/message.ts";
export type { Model, ModelEvent, ModelFailure, ModelRequest, ToolOffer, Usage } from "./core/model.ts";
export type { DecidedBy, Permission } from "./core/permission.ts";
export type { Permit, PermitDecision, PermitRequest } from "./core/permit.ts";
export type { Answer, Ask, Question } from "./core/question.ts";
export type { Access, Resource } from "./core/resource.ts";
export type { SandboxKind, SandboxProfile, SandboxReport } from "./core/sandbox.ts";
export type { ProcessNote, StopProof, StopReport } from "./core/stop-report.ts";
export type { SessionEntry, SessionSummary } from "./core/session.ts";
export type { CallOptions, ToolCall } from "./core/tool-call.ts";
export type { Progress, Tool, ToolContext, ToolResult, ToolTraits } from "./core/tool.ts";
export { executionFromWire, executionToWire } from "./core/wire.ts";
export type { AgentRequest, OpenedAgent } from "./runtime/open-agent.ts";
export type { ChosenModel } from "./runtime/open-named-model.ts";
