import { relative, resolve } from "node:path";
import type { SandboxView } from "./sandbox-view.ts";

/**
 * One sentence on what the sandbox refused, when the output of a failed command looks like it; otherwise null. A guess, for
 * somebody who has to choose what to do next.
 */
export function explainRefusal(view: SandboxView, output: string): string | null {
  const hidden = view.hidden.find((path) => names(output, path));
  if (hidden !== undefined && unseen.test(output)) return `${hidden} is hidden from commands by the sandbox.`;
  if (!view.network && unreachable.test(output)) {
    return 'Commands have no network in this sandbox: the person can allow it with the setting "sandbox.network".';
  }
  const isNamed = (path: string): boolean => {
    const whole = resolve(view.workdir, path);
    return names(output, whole) || names(output, relative(view.workdir, whole));
  };
  const denied = view.denied?.find(isNamed);
  if (denied !== undefined && refused.test(output))
    return `${relative(view.workdir, denied)} is read-only for commands: a deny rule covers it.`;
  const kept = view.readOnly.find(isNamed);
  if (kept !== undefined && refused.test(output)) {
    return `${kept} is protected: commands can't change it. Ask the person, or use write or edit, which ask.`;
  }
  if (!unwritable.test(output)) return null;
  const places = [view.workdir, "/tmp", ...view.writable].join(", ");
  return `The sandbox lets commands write only to ${places}: the person can allow more with the setting "sandbox.writable".`;
}

const unwritable = /Read-only file system|\bEROFS\b/i;
const refused =
  /Read-only file system|\bEROFS\b|Device or resource busy|\bEBUSY\b|Is a directory|\bEISDIR\b|cross-device/i;
const unseen = /No such file|\bENOENT\b|Permission denied|\bEACCES\b|Read-only file system|not found/i;
const unreachable =
  /Network is unreachable|\bENETUNREACH\b|Could not resolve|Couldn't resolve|name resolution|Name or service not known|\bEAI_AGAIN\b|\bENOTFOUND\b|getaddrinfo|Connection refused|\bECONNREFUSED\b|Failed to connect|Couldn't connect|no such host/i;

/** As a whole name: `.git/config` is neither in `.git/config.bak` nor in `other/.git/config`. */
function names(output: string, path: string): boolean {
  for (let at = output.indexOf(path); at !== -1; at = output.indexOf(path, at + 1)) {
    const before = output.slice(Math.max(0, at - 2), at);
    const begins = before.endsWith("./") || !/[\w./-]$/.test(before);
    if (begins && !/[\w.-]/.test(output[at + path.length] ?? " ")) return true;
  }
  return false;
}
