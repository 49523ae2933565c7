import { RuntimeError } from "../../../core/errors.ts";
import { writeNewToolFile, type NewToolFile } from "../../../tool-files/manage/new-tool-file.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { chooseWorkdir } from "../../open-runtime.ts";
import { refuseInsideCall } from "../agent/agent-flags.ts";
import type { Terminal } from "../../terminal/terminal.ts";

const languages = ["ts", "js", "py"] as const;

/** `deckhand tools new NAME` */
export function runToolsNew(invocation: Invocation, terminal: Terminal): Promise<number> {
  refuseInsideCall(terminal);
  const name = invocation.positionals[0]!;
  const asked = invocation.value("language") ?? "ts";
  const language = languages.find((each) => each === asked);
  if (!language) throw new UsageError(`--language takes ts, js or py; got "${asked}".`);
  const workdir = chooseWorkdir(invocation, terminal.env);
  let made: NewToolFile;
  try {
    made = writeNewToolFile({ workdir, env: terminal.env, name, language });
  } catch (thrown) {
    if (thrown instanceof RuntimeError && thrown.code === "INVALID_TOOL") throw new UsageError(thrown.message);
    throw thrown;
  }
  const { files, input, test } = made;
  if (invocation.has("json")) terminal.printJson({ name, files, input: JSON.parse(input) as unknown, test });
  else {
    terminal.print(`${files.join("\n")}\n`);
    terminal.tell(`It works already: deckhand tool ${name} '${input}'`);
    terminal.tell(`Its test: ${test}`);
    terminal.tell("Change it; the next call takes what you saved.");
  }
  return Promise.resolve(exitCode.done);
}
