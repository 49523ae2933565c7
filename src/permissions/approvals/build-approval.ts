import type { ApprovalRequest, PermitRequest } from "../../core/approval.ts";
import type { Preview } from "../../core/tool.ts";
import type { SimpleCommand } from "../../../packages/command-analysis/src/simple-command.ts";
import { showControls } from "../../guard/terminal-text/show-controls.ts";
import type { Assessment } from "../assess-call.ts";
import { obeysInput } from "../code-runners.ts";
import { allowedOnceOnly } from "../grants.ts";
import { grantableText } from "../rules/match-command.ts";
import { isMove } from "./parts-to-allow.ts";

/** What a person is shown. Everything that others wrote has its control characters made visible. */
export async function buildApproval(
  request: PermitRequest,
  found: Assessment,
  reasons: readonly string[],
): Promise<ApprovalRequest> {
  const { tool, execution } = request;
  const isDanger = found.dangers.length > 0;
  const rules = isDanger || found.isAskedEachTime ? [] : rulesToGrant(tool.name, found);
  const scopes = ["conversation", "always"] as const;
  const offered =
    rules.length === 0 ? [] : scopes.filter((scope) => scope === "always" || execution.conversationId !== null);
  return {
    executionId: execution.id,
    conversationId: execution.conversationId,
    toolId: tool.name,
    title: titleOf(request, found),
    detail: detailOf(request),
    preview: await previewOf(request),
    reasons: reasons.map((reason) => showControls(reason)),
    isDanger,
    scopes: ["once", ...offered],
    rules,
  };
}

/** Whether a yes to the one is a yes to the other. */
export function samePreview(one: ApprovalRequest, other: ApprovalRequest): boolean {
  return one.preview?.text === other.preview?.text && one.preview?.diff === other.preview?.diff;
}

function titleOf({ tool, input }: PermitRequest, { subject }: Assessment): string {
  if (tool.name === "bash") return "Run a command";
  if (tool.name === "run_python") return "Run Python code";
  if (subject.kind === "paths") {
    const paths = subject.paths.map(({ given }) => showControls(given));
    return `${capitalize(tool.name)} ${paths.join(", ")}`;
  }
  return `Call ${tool.name} ${showControls(JSON.stringify(input) ?? "")}`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function detailOf({ input }: PermitRequest): string | null {
  const { command, code, cwd, background, keep_running } = (input ?? {}) as Readonly<Record<string, unknown>>;
  const text = typeof command === "string" ? command : typeof code === "string" ? code : null;
  if (text === null) return null;
  const lines = [showControls(text)];
  if (typeof cwd === "string") lines.push(`(in ${showControls(cwd)})`);
  if (background === true)
    lines.push(
      keep_running === true ? "(in the background; it keeps running when Deckhand ends)" : "(in the background)",
    );
  return lines.join("\n");
}

async function previewOf({ tool, input, workdir, signal }: PermitRequest): Promise<Preview | null> {
  try {
    const preview = await tool.preview?.(input, { workdir, signal });
    if (!preview) return null;
    const text = showControls(preview.text);
    return preview.diff === undefined ? { text } : { text, diff: showControls(preview.diff) };
  } catch {
    // The person still sees what was asked for; what the tool itself would say is a help, not the order.
    return null;
  }
}

/** The rules that let exactly this through again. None: it can only be allowed once. */
function rulesToGrant(toolId: string, { subject, doubts }: Assessment): string[] {
  switch (subject.kind) {
    case "command":
      return commandsToGrant(subject.toAllow).map((words) => `${toolId}(${words})`);
    case "paths": {
      // A search also reads what says which files to leave out; that is not what is asked about.
      const isWrite = subject.paths.some(({ access }) => access === "write");
      const names = (isWrite ? subject.paths : subject.paths.slice(0, 1)).map(({ names: [name] }) => name ?? "");
      // A star in a file's name would make the rule a pattern.
      return names.some((name) => /[*?()\p{Cc}]/u.test(name) || name === "")
        ? []
        : names.map((name) => `${toolId}(${name})`);
    }
    case "url":
      return subject.host === null ? [] : [`${toolId}(domain:${subject.host})`];
    case "other":
      return doubts.length > 0 || allowedOnceOnly.has(toolId) ? [] : [toolId];
  }
}

function commandsToGrant(commands: readonly SimpleCommand[]): string[] {
  // Which program a variable names, and what it finds in another folder or on its stdin, may be something else the next time.
  if (commands.some((command) => command.words[0]?.kind !== "literal" || isMove(command) || isFed(command))) return [];
  return commands.map(grantableText);
}

/** It gets data that no rule would show. */
function isFed({ name, input }: SimpleCommand): boolean {
  if (input.kind === "none") return false;
  return input.kind !== "commands" || obeysInput(name);
}
