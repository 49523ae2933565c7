import type { Finding } from "./finding.ts";
import { authorises, judgeExfiltration } from "./judge-exfiltration.ts";
import { judgeKills } from "./judge-kills.ts";
import { judgeWrittenFiles } from "./code/judge-written-files.ts";
import { judgeProgram } from "./code/judge-program.ts";
import { judgeSecretStores } from "./rules/secret-stores.ts";
import { locate, normalisePath } from "./paths.ts";
import type { Place } from "./place.ts";
import type { SimpleCommand } from "./simple-command.ts";

/** What several commands of one script do together although each alone looks harmless. */
export function judgeTogether(commands: readonly SimpleCommand[], place: Place): Finding[] {
  return [
    ...judgeExfiltration(commands, place),
    ...judgeWrittenFiles(commands, place),
    ...judgeNamedPipes(commands),
    ...judgeKills(commands),
    ...judgeElsewhere(commands, place),
    ...judgeSecretStores(commands, (command) =>
      commands.some((user) => user.substitutions.includes(command) && authorises(user)),
    ),
    ...judgeFoundFolders(commands, place),
  ];
}

/** `find / -exec chown x {} +`: what is found lies where it looks. */
function judgeFoundFolders(commands: readonly SimpleCommand[], place: Place): Finding[] {
  return commands.flatMap((command): Finding[] => {
    if (!/^g?find$/.test(command.name)) return [];
    const texts = command.words.slice(1);
    const inner = texts.findIndex(({ text }) => /^-(?:exec|execdir|ok|okdir)$/.test(text));
    if (inner < 0 || !/^(?:.*\/)?(?:chmod|chown|chgrp|setfacl|chattr)$/.test(texts[inner + 1]?.text ?? "")) return [];
    const first = texts.findIndex(({ text }) => /^[-(!]/.test(text));
    const isElsewhere = texts
      .slice(0, first)
      .some((word) => ["system", "home", "protected", "outside", "unknown"].includes(locate(word, place)));
    if (!isElsewhere) return [];
    const reason = "It changes who may use everything in a folder outside the workdir.";
    return [{ verdict: "danger", rule: "modes.system", reason, command: command.source }];
  });
}

/** A named pipe joined to a network program is the classic reverse shell. */
function judgeNamedPipes(commands: readonly SimpleCommand[]): Finding[] {
  const hasPipe = commands.some(
    ({ name, words }) => name === "mkfifo" || (name === "mknod" && words.at(-1)?.text === "p"),
  );
  const network = commands.find(
    ({ name, words }) =>
      /^(?:nc|ncat|netcat|telnet|socat)$/.test(name) || (name === "openssl" && words[1]?.text === "s_client"),
  );
  if (!hasPipe || network === undefined) return [];
  const reason = "A named pipe and a network program together hand a shell to another machine.";
  return [{ verdict: "danger", rule: "shell.reverse", reason, command: network.source }];
}

/** After `cd` the same relative names mean other files. */
function judgeElsewhere(commands: readonly SimpleCommand[], place: Place): Finding[] {
  const findings: Finding[] = [];
  let current: Place = place;
  for (const command of commands) {
    if (command.name === "cd" || command.name === "pushd") {
      current = changeFolder(command, current, place);
      continue;
    }
    if (current === place) continue;
    const known = new Set(judgeProgram(command, place).map(({ rule }) => rule));
    const fresh = judgeProgram(command, current).filter(({ rule }) => !known.has(rule) && rule !== "delete.outside");
    findings.push(...fresh.filter(({ rule }) => rule.startsWith("write.") || rule.startsWith("modes.")));
    if (command.name === "rm" && isSystemFolder(current)) {
      findings.push({
        verdict: "danger",
        rule: "delete.outside",
        reason: "It deletes something outside the workdir.",
        command: command.source,
      });
    }
  }
  return findings;
}

function changeFolder(command: SimpleCommand, current: Place, original: Place): Place {
  const target = command.words.slice(1).find((word) => !word.text.startsWith("-"));
  if (target === undefined) return original.home === undefined ? original : { ...original, cwd: original.home };
  if (target.kind !== "literal" && !/^(?:\$HOME|\$\{HOME\})/.test(target.text)) return original;
  const path = normalisePath(target, current);
  return path.startsWith("/") ? { ...original, cwd: path } : original;
}

function isSystemFolder({ cwd, ...rest }: Place): boolean {
  return cwd !== undefined && locate({ text: cwd, kind: "literal", prefix: cwd }, rest) === "system";
}
