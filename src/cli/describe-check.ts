import type { CommandCheck, PathCheck, UrlCheck } from "../runtime/check.ts";
import { neutralizeText } from "./terminal-text.ts";
import type { Terminal } from "./terminal.ts";

type Styles = Pick<Terminal, "style">;

export function describeCommandCheck({ verdict, findings, readOnly }: CommandCheck, terminal: Styles): string {
  const colour = { safe: "green", danger: "red", unknown: "yellow" } as const;
  const remark = verdict === "safe" ? (readOnly ? ", read-only" : ", not proved to be read-only") : "";
  const lines = [`${terminal.style(colour[verdict], verdict)}${remark}`];
  for (const { rule, reason, command } of findings) {
    lines.push(
      `  ${reason} (${rule})`,
      ...neutralizeText(command)
        .split("\n")
        .map((line) => `    ${line}`),
    );
  }
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

export function describePathCheck({ allowed, ask, reasons, resolved }: PathCheck, terminal: Styles): string {
  const word = allowed
    ? terminal.style("green", "allowed")
    : ask
      ? terminal.style("yellow", "asks a person")
      : terminal.style("red", "refused");
  const leads = allowed && resolved !== null ? [`It is ${resolved}.`] : [];
  return [word, ...[...reasons, ...leads].map((line) => `  ${neutralizeText(line)}`), ""].join("\n");
}

export function describeUrlCheck({ allowed, rule, reasons }: UrlCheck, terminal: Styles): string {
  const word = allowed ? terminal.style("green", "allowed") : terminal.style("red", "refused");
  return [word, ...reasons.map((reason) => `  ${neutralizeText(reason)} (${rule})`), ""].join("\n");
}
