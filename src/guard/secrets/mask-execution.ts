import type { Execution } from "../../core/call.ts";
import type { Permission } from "../../core/permission.ts";
import type { ToolResult } from "../../core/tool.ts";
import { maskValue, type ValueMask } from "./mask-value.ts";

/** The record without secrets; the very same object when there are none. */
export function maskExecution(execution: Execution, mask: ValueMask): Execution {
  const changed: { -readonly [Key in keyof Execution]?: Execution[Key] } = {};
  let isChanged = false;
  function change<Key extends keyof Execution>(key: Key, masked: Execution[Key]): void {
    if (masked === execution[key]) return;
    changed[key] = masked;
    isChanged = true;
  }
  // The name of a tool holds nothing; what was asked for instead of one may.
  if (execution.toolId === null) change("toolName", mask.text(execution.toolName, "text"));
  if (execution.conversationId !== null) change("conversationId", mask.text(execution.conversationId, "text"));
  change("toolInput", maskValue(execution.toolInput, mask));
  if (execution.result !== null) change("result", maskResult(execution.result, mask));
  if (execution.error !== null) change("error", mask.text(execution.error, "text"));
  if (execution.note !== null) change("note", mask.text(execution.note, "text"));
  if (execution.killed.length > 0) change("killed", maskValue(execution.killed, mask));
  if (execution.survivors.length > 0) change("survivors", maskValue(execution.survivors, mask));
  if (execution.permission !== null) change("permission", maskPermission(execution.permission, mask));
  return isChanged ? { ...execution, ...changed } : execution;
}

/** Every call passes here: most results are one text, and are not walked through. */
function maskResult(result: ToolResult, mask: ValueMask): ToolResult {
  const isPlain = result.ok && result.data === undefined && result.files === undefined;
  if (!isPlain || typeof result.output !== "string") return maskValue(result, mask);
  const output = mask.text(result.output, "text");
  return output === result.output ? result : { ...result, output };
}

function maskPermission(permission: Permission, mask: ValueMask): Permission {
  const { rule, who, reasons, dangers } = permission;
  const saysNothing = rule === null && who === null && reasons.length === 0 && dangers.length === 0;
  return saysNothing ? permission : maskValue(permission, mask);
}
