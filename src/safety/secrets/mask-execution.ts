import type { Execution } from "../../core/execution.ts";

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
  change("toolName", mask.text(execution.toolName));
  change("toolInput", mask.value(execution.toolInput));
  if (execution.result !== null) change("result", mask.value(execution.result));
  if (execution.error !== null) change("error", mask.text(execution.error));
  if (execution.note !== null) change("note", mask.text(execution.note));
  if (execution.killed.length > 0) change("killed", mask.value(execution.killed));
  if (execution.survivors.length > 0) change("survivors", mask.value(execution.survivors));
  if (execution.permission !== null) change("permission", mask.value(execution.permission));
  return isChanged ? { ...execution, ...changed } : execution;
}
