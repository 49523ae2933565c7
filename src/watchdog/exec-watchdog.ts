import { fileURLToPath } from "node:url";
import { RuntimeError } from "../core/errors.ts";
import { handoverVariable, type Handover } from "./restart-reason.ts";

/** This process is the watchdog from here on. Returns only by throwing. */
export function becomeWatchdog({ settings, asJson, env }: Handover): never {
  if (!process.execve) {
    throw new RuntimeError("CONFIG_INVALID", `The watchdog runs on Linux and macOS; this is ${process.platform}.`);
  }
  const program = fileURLToPath(new URL(isBuilt ? "./watchdog-program.js" : "./watchdog-program.ts", import.meta.url));
  const handedOver = { ...env, [handoverVariable]: JSON.stringify({ settings, asJson }) };
  return process.execve(process.execPath, [process.execPath, ...flags, program], handedOver);
}

const isBuilt = !import.meta.url.endsWith(".ts");
/**
 * It computes nothing that a compiler would make quicker, and is 3 MB smaller without one; what it throws away is little, and
 * need not wait in 16 MB until it is collected. The sources need a compiler: types are stripped by WebAssembly.
 */
const flags = isBuilt ? ["--jitless", "--max-semi-space-size=1"] : [];
