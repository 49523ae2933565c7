import { systemClock } from "../../core/clock.ts";
import { permissionModes, type PermissionMode } from "../../core/permission.ts";
import type { SessionSummary } from "../../core/session.ts";
import { formatAge } from "../../core/time.ts";
import { renderTable } from "../terminal/table.ts";
import { neutralizeText } from "../terminal/terminal-text.ts";
import { askQuestion } from "./input/question-panel.ts";
import type { ReplContext } from "./repl-context.ts";

const mostListed = 20;
const mostOffered = 9;

/** `/sessions` */
export async function listSessions({ runtime, agent, terminal, show, say }: ReplContext): Promise<void> {
  const sessions = await (await runtime.sessions()).list(mostListed);
  if (sessions.length === 0) return say("There is no conversation here yet.");
  const now = systemClock.now();
  const table = renderTable({
    columns: [
      { title: "SESSION" },
      { title: "AGE", align: "right" },
      { title: "PROMPTS", align: "right" },
      { title: "BEGINS" },
    ],
    rows: sessions.map(({ id, updatedAt, prompts, title, isOpen }) => [
      id.slice(-shortId),
      formatAge(now - updatedAt),
      String(prompts),
      `${title}${id === agent.sessionId ? " (this one)" : isOpen ? " (in use)" : ""}`,
    ]),
    width: terminal.errorStream.columns,
  });
  show(neutralizeText(table.trimEnd()));
}

/** `/resume [SESSION]`: without a name, the person picks one. */
export async function resumeSession(context: ReplContext, rest: string): Promise<void> {
  const { runtime, agent, say } = context;
  const sessions = await runtime.sessions();
  const wanted = rest === "" ? await pickSession(context, await sessions.list(mostListed)) : rest;
  if (wanted === null) return;
  const { id } = await sessions.read(wanted);
  if (id === agent.sessionId) return say("That is the conversation you are in.");
  await context.switchTo(id);
}

/** As much of an id as people type. */
export const shortId = 8;

async function pickSession(
  { agent, input, say, signal }: ReplContext,
  sessions: readonly SessionSummary[],
): Promise<string | null> {
  const others = sessions.filter(({ id, isOpen }) => id !== agent.sessionId && !isOpen).slice(0, mostOffered);
  if (others.length === 0) {
    say("There is no other conversation to go on with.");
    return null;
  }
  const now = systemClock.now();
  const options = others.map(
    ({ id, updatedAt, title }) => `${id.slice(-shortId)} · ${formatAge(now - updatedAt)} ago · ${title}`,
  );
  const answer = await askQuestion(input, { text: "Which conversation do you want to go on with?", options }, signal);
  const [picked] = answer.answered ? (answer.selected ?? []) : [];
  return picked === undefined ? null : (others[options.indexOf(picked)]?.id ?? null);
}

/** `/mode [MODE]` */
export function changeMode({ runtime, say }: ReplContext, rest: string): void {
  if (rest === "") return say(`The mode is ${runtime.permissionMode}; there are: ${permissionModes.join(", ")}.`);
  if (!permissionModes.includes(rest as PermissionMode)) {
    return say(`"${rest}" is no mode; there are: ${permissionModes.join(", ")}.`);
  }
  runtime.permissionMode = rest as PermissionMode;
  say(`The mode is ${rest} now.`);
}

/** `never` is for programs that run alone: nobody comes to it by pressing a key once too often. */
const cycle: readonly PermissionMode[] = ["ask", "accept-edits", "auto", "plan"];

/** Shift-Tab. The row of the status says what it is now. */
export function nextMode({ runtime }: Pick<ReplContext, "runtime">): void {
  runtime.permissionMode = cycle[(cycle.indexOf(runtime.permissionMode) + 1) % cycle.length] ?? "ask";
}
