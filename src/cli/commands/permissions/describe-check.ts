import type { CommandCheck, PathCheck, UrlCheck } from "../../../permissions/checker.ts";
import { neutralizeText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";

type Styles = Pick<Terminal, "style">;

export function describeCommandCheck(check: CommandCheck, terminal: Styles): string {
  const { verdict, reasons, findings, readOnly, rule } = check;
  const colour = { safe: "green", danger: "red", unknown: "yellow" } as const;
  const remark = verdict === "safe" ? (readOnly ? ", read-only" : ", not proved to be read-only") : "";
  const lines = [`${terminal.style(colour[verdict], verdict)}${remark}`];
  if (rule)
    lines.push(`  The rule ${rule.effect} ${neutralizeText(rule.rule)} ${rule.sure ? "covers" : "could cover"} it.`);
  const others = reasons.filter((reason) => !findings.some((finding) => finding.reason === reason));
  lines.push(...others.map((reason) => `  ${neutralizeText(reason)}`));
  for (const { rule: id, reason, command } of findings) {
    lines.push(
      `  ${reason} (${id})`,
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
