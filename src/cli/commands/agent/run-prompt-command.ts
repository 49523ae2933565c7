import { resolve } from "node:path";
import { systemClock } from "../../../core/clock.ts";
import type { AgentEvent, RunEnd, RuntimeEvent } from "../../../core/events.ts";
import type { MaskStream } from "../../../core/mask.ts";
import type { UserPart } from "../../../core/message.ts";
import { toWire } from "../../../core/wire.ts";
import type { Runtime, RuntimeConfig } from "../../../runtime/create-runtime.ts";
import type { OpenedAgent } from "../../../runtime/open-agent.ts";
import { openRuntime, tellWarnings } from "../../open-runtime.ts";
import { createMarkdownStream } from "../../output/markdown/markdown-stream.ts";
import { createRunRenderer, type RunRenderer } from "../../output/run-renderer.ts";
import { openScreen } from "../../output/screen.ts";
import { type Invocation, programName, UsageError } from "../../parser/command.ts";
import { codeOfSignal, exitCode } from "../../parser/exit-code.ts";
import { isImageName } from "../../repl/image-name.ts";
import { openPerson, type Person } from "../../repl/open-person.ts";
import { readPrompt } from "../../repl/prompt-parts.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { nameOfSignal, watchSignals } from "../../terminal/watch-signals.ts";
import { personConfig, readAgentSettings } from "./agent-flags.ts";
import { openCliAgent, openCliModel, tellReconciled } from "./open-cli-agent.ts";
import { readTask } from "./read-prompt.ts";

/** `deckhand run "task"` */
export async function runRun(invocation: Invocation, terminal: Terminal): Promise<number> {
  const missing = 'Say what to do: deckhand run "run the tests", or pipe the task into stdin.';
  const task = await readTask(invocation.positionals[0], terminal, missing);
  const { settings, agent: agentSettings } = readAgentSettings(invocation);
  const asJson = invocation.has("json");
  const renderer = asJson ? null : createPlainRenderer({ terminal, quiet: invocation.has("quiet") });
  const { config, person } = reachPerson(invocation, terminal, renderer);
  // From the beginning on: what a call waits for may happen before there is one.
  const onEvent = (event: RuntimeEvent): void => {
    if (event.type === "rollout:replaying") printEvent(event, terminal);
  };
  const merged = mergeSettings(config, settings);
  const runtime = await openRuntime(invocation, terminal, asJson ? { ...merged, onEvent } : merged);
  try {
    reportWarnings(runtime, terminal, asJson);
    const model = await openCliModel(runtime, terminal, { invocation });
    if (!model) return exitCode.wrongUse;
    const agent = await openCliAgent(runtime, { invocation, model, settings: agentSettings });
    try {
      if (!asJson) tellReconciled(agent, (text) => terminal.tell(text));
      const images = await readImages(invocation, runtime, agent);
      return await answer({ runtime, agent, terminal, renderer, task, words: wordsOf(invocation, task), images });
    } finally {
      await agent.close();
    }
  } finally {
    person?.input.close();
    await runtime.close();
  }
}

interface Task {
  readonly runtime: Runtime;
  readonly agent: OpenedAgent;
  readonly terminal: Terminal;
  readonly renderer: RunRenderer | null;
  readonly task: string;
  /** What of the task the person said; the rest is what it is about. */
  readonly words: string;
  readonly images: readonly UserPart[];
}

async function answer({ runtime, agent, terminal, renderer, task, words, images }: Task): Promise<number> {
  const stop = new AbortController();
  const tellJson = maskEvents(runtime, (event) => printEvent(event, terminal));
  const stopAgent = agent.on((event) => (renderer ? renderer.agent(event) : tellJson(event)));
  const stopRuntime = runtime.on("*", (event) => renderer?.runtime(event));
  const watch = watchSignals(terminal, (signal) => stop.abort(new Error(`Stopped by ${nameOfSignal(signal)}`)));
  try {
    const { parts, problems } = await readPrompt(task, {
      runtime,
      conversationId: agent.sessionId,
      acceptsImages: agent.model.acceptsImages,
      signal: stop.signal,
      words,
    });
    for (const problem of problems) {
      if (renderer) renderer.note(problem);
      else terminal.tell(problem);
    }
    const end = await agent.send([...parts, ...images], { signal: stop.signal });
    return codeOfEnd(end, watch.signal && codeOfSignal[watch.signal]);
  } finally {
    renderer?.end();
    reportWarnings(runtime, terminal, renderer === null);
    stopAgent();
    stopRuntime();
    watch.end();
  }
}

/** One line of `--json`. `v`: the version of their format, docs/agent.md. */
function printEvent(event: AgentEvent | RuntimeEvent, terminal: Terminal): void {
  terminal.printJsonLine({ v: 1, ...(toWire(event) as object) });
}

/** On stderr, and for a program that reads the events as events, too. */
function reportWarnings(runtime: Runtime, terminal: Terminal, asJson: boolean): void {
  for (const text of tellWarnings(runtime, terminal)) {
    if (asJson) printEvent({ type: "notice:told", at: Date.now(), level: "warning", text }, terminal);
  }
}

function codeOfEnd({ state }: RunEnd, signalCode: number | undefined): number {
  if (state === "answered") return exitCode.done;
  return state === "cancelled" ? (signalCode ?? exitCode.cancelled) : exitCode.failed;
}

/** On a terminal the person is asked there; what they said in advance and the inbox come first. */
function reachPerson(
  invocation: Invocation,
  terminal: Terminal,
  renderer: RunRenderer | null,
): { readonly config: RuntimeConfig; readonly person: Person | null } {
  const config = personConfig(invocation, terminal);
  if (invocation.has("inbox") || !terminal.isInteractive || !renderer) return { config, person: null };
  // What is typed meanwhile is for the shell: no prompt follows that would take it.
  const person = openPerson(terminal, renderer.screen, { holds: "while_asked", earlyKeys: "dropped" });
  return { config: { ...config, approve: person.approve, ask: person.ask }, person };
}

function mergeSettings(config: RuntimeConfig, settings: NonNullable<RuntimeConfig["settings"]>): RuntimeConfig {
  const permissions = { ...config.settings?.permissions, ...settings.permissions };
  // Nothing that is said need not be checked.
  const said = Object.keys(permissions).length > 0 ? { permissions } : {};
  return { ...config, settings: { ...config.settings, ...settings, ...said } };
}

/** Beside an argument, what came on stdin is a text of others: what looks like the name of a file there is none. */
function wordsOf({ positionals: [argument] }: Invocation, task: string): string {
  return argument === undefined || argument === "-" ? task : argument;
}

async function readImages(invocation: Invocation, runtime: Runtime, agent: OpenedAgent): Promise<readonly UserPart[]> {
  const parts: UserPart[] = [];
  for (const path of invocation.values("image")) {
    if (!agent.model.acceptsImages)
      throw new UsageError(`The model ${agent.model.id} takes no pictures; leave --image out.`);
    if (!isImageName(path))
      throw new UsageError(`--image ${path} is no picture that models take: use png, jpeg, gif or webp.`);
    const image = await runtime.readImage(resolve(path), { door: "cli", conversationId: agent.sessionId });
    if (typeof image === "string") throw new UsageError(`--image ${image}`);
    parts.push(image);
  }
  return parts;
}

type Piece = AgentEvent<"reply:text" | "reply:thinking">;

/**
 * Events as they may leave the process: the words of the model masked, too. They come in pieces, and a secret in two of them
 * is found; so a line of theirs is told when it is whole.
 */
function maskEvents(
  { maskValue, maskStream }: Pick<Runtime, "maskValue" | "maskStream">,
  tell: (event: AgentEvent) => void,
): (event: AgentEvent) => void {
  let open: { readonly type: Piece["type"]; readonly stream: MaskStream } | undefined;

  function tellPiece(piece: Piece): void {
    if (piece.text !== "") tell(piece);
  }

  function endStream(at: number): void {
    const ended = open;
    open = undefined;
    if (ended) tellPiece({ type: ended.type, at, text: ended.stream.end() });
  }

  return (event) => {
    if (event.type !== "reply:text" && event.type !== "reply:thinking") {
      if (endsWords.has(event.type)) endStream(event.at);
      return tell(maskValue(event));
    }
    if (open && open.type !== event.type) endStream(event.at);
    open ??= { type: event.type, stream: maskStream() };
    tellPiece({ ...event, text: open.stream.push(event.text) });
  };
}

/** What else happens meanwhile, such as the end of a call, may fall between two pieces of one word. */
const endsWords: ReadonlySet<AgentEvent["type"]> = new Set([
  "call:announced",
  "reply:finished",
  "reply:discarded",
  "run:ended",
]);

export interface PlainRendererOptions {
  readonly terminal: Terminal;
  /** No commentary, only why there is no answer. */
  readonly quiet: boolean;
  /** Ring when the person is waited for, and at the end of a long run; left out: yes. */
  readonly bell?: boolean;
}

/**
 * For one task: stdout gets the answer and nothing else, stderr what happens meanwhile. Where both are the person's
 * terminal the answer appears there as it comes; otherwise it is printed when it is whole, and to a program unchanged.
 */
export function createPlainRenderer({ terminal, quiet, bell = true }: PlainRendererOptions): RunRenderer {
  const clock = systemClock;
  const screen = openScreen({ stream: terminal.errorStream, clock, termName: terminal.env["TERM"] });
  const isStreamed = terminal.width !== undefined && screen.isLive && !quiet;
  const commentary = createRunRenderer({
    screen,
    terminal,
    clock,
    bell,
    mode: () => null,
    text: isStreamed ? "all" : "before_calls",
    howToGoOn: `${programName(terminal.env)} run -c "go on" continues.`,
    ...(terminal.isInteractive ? {} : { howToAllow }),
  });

  function printAnswer({ state, text, reason }: AgentEvent<"run:ended">): void {
    if (!isStreamed && text !== "") terminal.print(renderAnswer(text, terminal));
    if (quiet && state !== "answered" && reason !== null) terminal.tell(`deckhand: ${reason}`);
  }

  return {
    ...commentary,
    agent(event) {
      if (!quiet) commentary.agent(event);
      if (event.type === "run:ended") printAnswer(event);
    },
    runtime(event) {
      if (!quiet) commentary.runtime(event);
    },
    end() {
      commentary.end();
      screen.close();
    },
  };
}

const howToAllow =
  'To allow refused calls without a terminal: add a rule to permissions.allow, such as "bash(npm test)", choose --mode accept-edits or --mode auto (which needs bubblewrap for commands), name a danger with --yes-danger, or let calls wait for an answer with --inbox.';

function renderAnswer(text: string, { width, style }: Terminal): string {
  if (width === undefined) return text.endsWith("\n") ? text : `${text}\n`;
  const markdown = createMarkdownStream({ width: width - 1, style });
  return markdown.push(text) + markdown.end();
}
