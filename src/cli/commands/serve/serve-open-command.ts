import { openSecretLink } from "../../../daemon/open-secret-link.ts";
import type { Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { refuseInsideCall } from "../agent/agent-flags.ts";
import { askDaemon, expectDone, lookForDaemon, tellNone } from "./serve-client.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** `deckhand serve open`: a link that logs a browser in once, within a minute. */
export async function runServeOpen(invocation: Invocation, terminal: Terminal): Promise<number> {
  refuseInsideCall(terminal);
  const view = lookForDaemon(invocation, terminal);
  const { daemon, folders } = view;
  if (!daemon) {
    tellNone(view, terminal);
    return exitCode.failed;
  }
  if (daemon.url.startsWith("unix:")) {
    terminal.tell(
      `deckhand: The daemon listens on ${daemon.url}, which no browser can open; start it with --port instead.`,
    );
    return exitCode.failed;
  }
  const answer = await askDaemon(view, daemon, {
    method: "POST",
    path: `/api/login/code?kind=${invocation.has("read-only") ? "looking" : "owner"}`,
  });
  expectDone(answer, daemon);
  const { code, expires_at: expiresAt } = answer.body as { readonly code: string; readonly expires_at: string };
  const link = `${daemon.url}/#code=${code}`;
  if (invocation.has("json")) terminal.printJson({ url: link, expires_at: expiresAt });
  else terminal.print(`${link}\n`);
  if (
    terminal.isInteractive &&
    !invocation.has("print") &&
    !(await openSecretLink(link, folders.state, terminal.env))
  ) {
    terminal.tell("No browser could be opened here; the link works once, within a minute.");
  }
  return exitCode.done;
}
