import type { ApprovalAnswer, ApprovalRequest, Approve, GrantScope } from "../../../core/approval.ts";
import { readLine } from "../../terminal/read-line.ts";
import { styleDiff } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** Asks on this terminal; null when there is none. What is asked goes to stderr: stdout is the result. */
export function approveOnTerminal(terminal: Terminal, who: string): Approve | null {
  if (!terminal.isInteractive) return null;
  let line: Promise<unknown> = Promise.resolve();
  // One question at a time: an answer to one of two would be an answer to neither.
  return (request, signal) => {
    const answer = line.then(() => askOnce(terminal, request, { who, signal }));
    line = answer.catch(() => undefined);
    return answer;
  };
}

async function askOnce(
  terminal: Terminal,
  request: ApprovalRequest,
  asker: { readonly who: string; readonly signal: AbortSignal },
): Promise<ApprovalAnswer> {
  terminal.show(describeApproval(request, terminal));
  for (;;) {
    const typed = await readLine(terminal, promptOf(request), asker.signal);
    if (typed === null) return { decision: "unanswered", reason: "cancelled" };
    const answer = readDecision(typed, request);
    if (answer === "no") return { decision: "deny", who: asker.who };
    if (answer !== undefined) return { decision: "allow", scope: answer, who: asker.who };
    if (typed.trim() !== "") terminal.tell(`"${typed.trim()}" is not one of the answers.`);
  }
}

/** Also what `inbox show` prints. */
export function describeApproval(request: ApprovalRequest, terminal: Pick<Terminal, "styleError">): string {
  const { title, detail, preview, reasons, isDanger } = request;
  const style = (name: Parameters<Terminal["styleError"]>[0], text: string): string => terminal.styleError(name, text);
  const lines = [isDanger ? style(["bold", "red"], `Dangerous: ${title}`) : style("bold", title)];
  if (detail !== null) lines.push(...detail.split("\n").map((each) => `  ${each}`));
  if (preview?.diff !== undefined) lines.push(styleDiff(preview.diff, style));
  else if (preview !== null && preview.text !== detail) lines.push(preview.text);
  for (const reason of reasons) lines.push(style(isDanger ? "red" : "yellow", `! ${reason}`));
  return lines.join("\n");
}

function promptOf({ scopes, rules, isDanger }: ApprovalRequest): string {
  if (isDanger) return 'Type "yes" to run it, anything else to refuse: ';
  const offers: string[] = ["[y]es, once"];
  if (scopes.includes("conversation")) offers.push(`[c] yes, in this conversation: ${rules.join(" ")}`);
  if (scopes.includes("always")) offers.push(`[a]lways: ${rules.join(" ")}`);
  return `${[...offers, "[n]o"].join(" · ")} > `;
}

/** Undefined: not understood, ask again. An empty line is never a yes. */
function readDecision(typed: string, { scopes, isDanger }: ApprovalRequest): GrantScope | "no" | undefined {
  const word = typed.trim().toLowerCase();
  if (isDanger) return word === "yes" ? "once" : "no";
  if (word === "y" || word === "yes") return "once";
  if (word === "n" || word === "no") return "no";
  const scope = word === "c" ? "conversation" : word === "a" ? "always" : undefined;
  return scope !== undefined && scopes.includes(scope) ? scope : undefined;
}
