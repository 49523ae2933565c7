import type { Execution } from "../../core/execution.ts";
import type { Permission } from "../../core/permission.ts";
import type { ToolResult } from "../../core/tool.ts";

export interface ExecutionMask {
  text(text: string): string;
  value<Value>(value: Value): Value;
}

/** The record without secrets; the very same object when there are none. */
export function maskExecution(execution: Execution, mask: ExecutionMask): Execution {
  const changed: { -readonly [Key in keyof Execution]?: Execution[Key] } = {};
  let isChanged = false;
  function change<Key extends keyof Execution>(key: Key, masked: Execution[Key]): void {
    if (masked === execution[key]) return;
    changed[key] = masked;
    isChanged = true;
  }
  // The name of a tool holds nothing; what was asked for instead of one may.
  if (execution.toolId === null) change("toolName", mask.text(execution.toolName));
  change("toolInput", mask.value(execution.toolInput));
  if (execution.result !== null) change("result", maskResult(execution.result, mask));
  if (execution.error !== null) change("error", mask.text(execution.error));
  if (execution.note !== null) change("note", mask.text(execution.note));
  if (execution.killed.length > 0) change("killed", mask.value(execution.killed));
  if (execution.survivors.length > 0) change("survivors", mask.value(execution.survivors));
  if (execution.permission !== null) change("permission", maskPermission(execution.permission, mask));
  return isChanged ? { ...execution, ...changed } : execution;
}

/** Every call passes here: most results are one text, and are not walked through. */
function maskResult(result: ToolResult, mask: ExecutionMask): ToolResult {
  const isPlain = result.ok && result.data === undefined && result.files === undefined;
  if (!isPlain || typeof result.output !== "string") return mask.value(result);
  const output = mask.text(result.output);
  return output === result.output ? result : { ...result, output };
}

function maskPermission(permission: Permission, mask: ExecutionMask): Permission {
  const { rule, reasons, dangers } = permission;
  return rule === null && reasons.length === 0 && dangers.length === 0 ? permission : mask.value(permission);
}
