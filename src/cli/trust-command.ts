import { createTrust } from "../runtime/open-trust.ts";
import { UsageError, type Invocation } from "./command.ts";
import { exitCode } from "./exit-code.ts";
import { chooseWorkdir } from "./open-runtime.ts";
import { userName } from "../runtime/user-name.ts";
import { refuseInsideCall } from "./person.ts";
import { readLine } from "./read-line.ts";
import { styleDiff } from "./style-diff.ts";
import { renderTable } from "./table.ts";
import { neutralizeText } from "./terminal-text.ts";
import type { Terminal } from "./terminal.ts";

type OpenTrust = ReturnType<typeof createTrust>;

/** `deckhand trust [FILE…]` */
export async function runTrust(invocation: Invocation, terminal: Terminal): Promise<number> {
  const trust = createTrust(chooseWorkdir(invocation, terminal.env), terminal.env);
  if (invocation.has("status")) return showStatus(trust, invocation, terminal);
  refuseInsideCall(terminal);
  if (invocation.has("revoke")) {
    const had = trust.revoke();
    terminal.tell(had ? "Nothing here is trusted any more." : "Nothing here was trusted.");
    return exitCode.done;
  }
  if (invocation.has("adopt")) {
    if (!(await confirm(invocation, terminal, `Take over ${trust.dataFolder} with all records in it?`)))
      return exitCode.refused;
    trust.adopt();
    terminal.tell(`${trust.dataFolder} is yours now.`);
    return exitCode.done;
  }
  return grant(trust, invocation, terminal);
}

async function grant(trust: OpenTrust, invocation: Invocation, terminal: Terminal): Promise<number> {
  const named = invocation.positionals;
  const all = trust.files();
  const unknown = named.find((path) => !all.some((file) => file.path === path));
  if (unknown !== undefined) {
    const known = all.map(({ path }) => path).join(", ") || "none here";
    throw new UsageError(`"${unknown}" is not a file that needs trust; those are: ${known}.`);
  }
  const wanted = all.filter(({ path, status }) => status !== "trusted" && (named.length === 0 || named.includes(path)));
  const quarantined = trust.quarantined().filter(({ path }) => named.length === 0 || named.includes(path));
  if (wanted.length === 0 && quarantined.length === 0) {
    terminal.tell("There is nothing here that still needs your trust.");
    return exitCode.done;
  }
  for (const { path, status } of wanted) {
    terminal.show(terminal.styleError("bold", `${status}  ${neutralizeText(path)}`));
    terminal.show(excerpt(trust.read(path) ?? "(can't be read)"));
  }
  const widening = trust.widening();
  if (widening.length > 0) terminal.tell(`deckhand.json would then count with: ${widening.join(", ")}.`);
  for (const { path, diff, reason } of quarantined) {
    terminal.show(neutralizeText(`${path}: ${reason}.`));
    terminal.show(styleDiff(neutralizeText(diff), terminal.styleError));
  }
  const question =
    "These can run code or widen what is allowed. Have you looked at them, and do you trust them as they are now?";
  if (!(await confirm(invocation, terminal, question))) {
    terminal.tell("Nothing was trusted.");
    return exitCode.refused;
  }
  trust.grant(userName(), { files: wanted.map(({ path }) => path), quarantined });
  const trusted = new Set([...wanted.map(({ path }) => path), ...quarantined.map(({ path }) => path)]);
  terminal.tell(`Trusted: ${[...trusted].join(", ")}.`);
  return exitCode.done;
}

const mostLines = 60;

/** Enough to know what it is; the rest is for an editor. */
function excerpt(text: string): string {
  const lines = neutralizeText(text).trimEnd().split("\n");
  const more = lines.length - mostLines;
  return [...lines.slice(0, mostLines), ...(more > 0 ? [`… ${more} more lines`] : [])]
    .map((line) => `  ${line}`)
    .join("\n");
}

function showStatus(trust: OpenTrust, invocation: Invocation, terminal: Terminal): number {
  const files = trust.files();
  const quarantined = trust.quarantined();
  if (invocation.has("json")) {
    const waiting = quarantined.map(({ path, executionId, reason }) => ({
      file: path,
      execution_id: executionId,
      reason,
    }));
    terminal.printJson({ files, quarantined: waiting });
    return exitCode.done;
  }
  if (files.length === 0) terminal.tell("This folder brings nothing that would need trust.");
  else {
    terminal.print(
      renderTable({
        columns: [{ title: "STATUS" }, { title: "FILE" }],
        rows: files.map(({ path, status }) => [status, path]),
        width: terminal.width,
      }),
    );
  }
  for (const { path, reason } of quarantined)
    terminal.tell(`${path}: ${reason}. It waits for your approval: deckhand trust.`);
  return exitCode.done;
}

async function confirm(invocation: Invocation, terminal: Terminal, question: string): Promise<boolean> {
  if (invocation.has("yes")) return true;
  if (!terminal.isInteractive) {
    terminal.tell("deckhand: there is no terminal to ask on; say --yes when you have looked at it.");
    return false;
  }
  const typed = await readLine(terminal, `${question} [y/N] `, new AbortController().signal);
  return typed !== null && /^y(es)?$/i.test(typed.trim());
}
