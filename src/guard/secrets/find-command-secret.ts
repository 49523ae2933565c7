import { isPlaceholder, isReference } from "./judge-value.ts";
import type { Scan, SecretSpan, Trigger } from "./trigger-index.ts";

/** `[a word of the line, where in the rest of it the secret is]`. The secret is the group `secret`. */
type CommandSecret = readonly [word: string, pattern: RegExp];

const value = `(?:"(?<secret>[^"\\n]{3,256})"|'(?<quoted>[^'\\n]{3,256})'|(?<plain>[^\\s"'\`|;&<>()]{3,256}))`;
const pair = `(?:"[^":\\s]{1,128}:(?<secret>[^"\\n]{2,256})"|'[^':\\s]{1,128}:(?<quoted>[^'\\n]{2,256})'|[^\\s:"']{1,128}:(?<plain>[^\\s"'\`|;&<>()]{2,256}))`;

/** Options that are a secret only behind their program, and sentences of SQL and of shells. */
const commands: readonly CommandSecret[] = [
  command("curl", `\\s(?:-[a-zA-Z]{0,8}u|--user|--proxy-user|-U)(?:\\s+|=)?${pair}`),
  command("wget", `\\s--(?:http-|ftp-|proxy-)?password(?:\\s+|=)${value}`),
  command("httpie", `\\s(?:-a|--auth)(?:\\s+|=)${pair}`),
  command("http ", `\\s(?:-a|--auth)(?:\\s+|=)${pair}`),
  command("mysql", `\\s-p${value}`),
  command("mariadb", `\\s-p${value}`),
  command("sshpass", `\\s-p\\s*${value}`),
  command("redis-cli", `\\s(?:-a|--pass)\\s+${value}`),
  command("mongo", `\\s-p\\s*${value}`),
  command("docker login", `\\s-p\\s*${value}`),
  command("podman login", `\\s-p\\s*${value}`),
  command("helm registry login", `\\s-p\\s*${value}`),
  command("az login", `\\s-p\\s+${value}`),
  command("ldap", `\\s-w\\s*${value}`),
  command("sqlcmd", `\\s-P\\s*${value}`),
  command("smbclient", `\\s-U\\s*[^\\s%]{1,64}%${value}`),
  command("rabbitmqctl", `\\s(?:add_user|change_password|authenticate_user)\\s+\\S{1,64}\\s+${value}`),
  command("htpasswd", `\\s-\\w{0,4}b\\w{0,4}\\s+\\S{1,256}\\s+\\S{1,64}\\s+${value}`),
  command("openssl", `\\s-(?:passin|passout|pass)\\s+["']?pass:(?<secret>[^\\s"'\`|;&<>()]{3,256})`),
  command("openssl", `\\s(?:-k|-K)\\s+${value}`),
  command("zip ", `\\s-P\\s*${value}`),
  command("7z ", `\\s-p${value}`),
  command("gh secret set", `\\s(?:-b|--body)(?:\\s+|=)${value}`),
  command("aws ssm put-parameter", `\\s--value(?:\\s+|=)${value}`),
  command("aws secretsmanager", `\\s--secret-string(?:\\s+|=)${value}`),
  command("az keyvault secret set", `\\s--value(?:\\s+|=)${value}`),
  command("add-generic-password", `\\s-w\\s+${value}`),
  command("add-internet-password", `\\s-w\\s+${value}`),
  command("vault login", `\\s+(?!-)(?:token=)?${value}`),
  command(
    "identified",
    `^identified(?: with \\w{1,40})? by (?:password )?(?:"(?<secret>[^"\\n]{3,256})"|'(?<quoted>[^'\\n]{3,256})')`,
  ),
  command("password '", `^password '(?<secret>[^'\\n]{6,256})'`),
  command("requirepass", `^requirepass\\s+${value}`),
  command("masterauth", `^masterauth\\s+${value}`),
  command("net use", `\\s/user:\\S{1,64}\\s+${value}`),
  command("convertto-securestring", `^convertto-securestring\\s+(?:-string\\s+)?["'](?<secret>[^"'\\n]{3,256})["']`),
  command(
    "echo ",
    `^echo (?:-n )?${value}\\s*\\|\\s*(?:sudo\\s+(?:-\\w+\\s+){0,3}-\\w{0,3}S|docker\\s+login|podman\\s+login|gh\\s+auth\\s+login|passwd\\b|npm\\s+login|cryptsetup|oc\\s+login|helm\\s+registry\\s+login|op\\s+signin|vault\\s+login|gpg\\b[^\\n]{0,60}passphrase-fd)`,
  ),
  command("echo ", `^echo (?:-e )?${pair}["']?\\s*\\|\\s*(?:sudo\\s+)?chpasswd`),
];

export function commandTriggers(): Trigger[] {
  return commands.map(([word, pattern], index) => ({
    word,
    anyCase: true,
    find: (text, at, scan) => findOption(text, at, { pattern, rule: `command${index}`, scan }),
  }));
}

const maxLine = 1024;

interface Rule {
  readonly pattern: RegExp;
  readonly rule: string;
  readonly scan: Scan;
}

function findOption(text: string, at: number, { pattern, rule, scan }: Rule): readonly SecretSpan[] | undefined {
  if (at < (scan.readTo.get(rule) ?? 0)) return undefined;
  const rest = text.slice(at, at + maxLine);
  const isAtOnce = pattern.source.startsWith("^");
  const line = isAtOnce ? rest : rest.slice(0, /(?<!\\)\n|$/.exec(rest)!.index);
  scan.readTo.set(rule, isAtOnce ? at + 1 : at + line.length);
  const spans: SecretSpan[] = [];
  for (const found of line.matchAll(pattern)) {
    const [start, end] = Object.values(found.indices!.groups!).find((range) => range !== undefined)!;
    const secret = line.slice(start, end);
    if (isReference(secret) || isPlaceholder(secret) || /^-|^\d{1,5}(?::\d{1,5})?$|^[~./]/.test(secret)) continue;
    spans.push({ start: at + start, end: at + end, family: "password" });
  }
  return spans;
}

function command(word: string, pattern: string): CommandSecret {
  return [word, new RegExp(pattern, "gid")];
}
