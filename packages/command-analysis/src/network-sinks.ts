import { optionTable, parseOptions } from "./parse-options.ts";
import { isSecretPath, isSecretWord } from "./secrets.ts";
import type { SimpleCommand, Word } from "./simple-command.ts";

const senders = new Set(
  (
    "curl wget nc ncat netcat socat ssh scp sftp rsync ftp lftp tftp telnet mail mailx mutt sendmail msmtp swaks " +
    "ping ping6 dig nslookup host drill traceroute whois http https xh curlie wscat websocat aria2c smbclient " +
    "croc wormhole ffsend ffmpeg httpie logger nmap resolvectl getent invoke-webrequest lynx w3m gsutil rclone " +
    "s3cmd mc telegram-send ntfy slackcat transfer irc mosquitto_pub"
  ).split(" "),
);
const keyOptions = new Set([
  "-i",
  "-E",
  "--cert",
  "--key",
  "--cacert",
  "-F",
  "-K",
  "--config",
  "-b",
  "--netrc-file",
  "--user",
  "-u",
  "-H",
  "--header",
]);
const upload =
  /^(?:-d|--data(?:-binary|-ascii|-urlencode|-raw)?|--json|-F|--form(?:-string)?|-T|--upload-file|--post-data|--post-file|--body-data|--body-file)$/;

/** Something leaves the machine through this command. */
export function isNetworkSink({ name, words }: SimpleCommand): boolean {
  if (words.some((word) => /^(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/.test(word.text)))
    return false;
  if (senders.has(name.toLowerCase())) return true;
  const texts = words.slice(1).map((word) => word.text);
  const operands = texts
    .filter((text) => !text.startsWith("-"))
    .slice(0, 3)
    .join(" ");
  if (name === "aws")
    return /\bs3 (?:cp|mv|sync)\b|\bs3api put-object\b|\bsns publish\b|\bsqs send-message\b|\blambda invoke\b/.test(
      operands,
    );
  if (name === "gcloud") return operands.includes("storage cp") || operands.includes("pubsub topics");
  if (name === "az") return operands.includes("storage blob");
  if (name === "gh" || name === "glab")
    return /^(?:gist create|issue (?:create|comment)|pr comment|api|release upload|snippet create)/.test(operands);
  if (name === "openssl") return texts[0] === "s_client";
  return false;
}

/** Its own words hand a secret file, or a variable named like a secret, to the other side. */
export function sendsOwnSecret(command: SimpleCommand): boolean {
  const words = command.words.slice(1);
  if (transferShells.test(command.name) && putsSecret(command)) return true;
  if (/^(?:scp|rsync|sftp)$/.test(command.name)) return copiesSecretAway(words);
  if (command.name === "socat")
    return words.some(({ text }) => isSecretPath(/^(?:file|open|gopen):([^,]+)/i.exec(text)?.[1] ?? ""));
  if (
    /^(?:http|https|xh|curlie)$/.test(command.name) &&
    words.some(({ text }) => /(?:^|[=:])@/.test(text) && holdsSecretFile(text))
  )
    return true;
  if (/^(?:curl|wget|http|https|xh|curlie)$/.test(command.name))
    return words.some((word, index) => isUploadedSecret(word, words[index - 1]?.text ?? "", command.name));
  if (/^(?:ssh|git|nmap|host|openssl)$/.test(command.name)) return false;
  return words.some((word, index) => isSecretWord(word) && !keyOptions.has(words[index - 1]?.text ?? ""));
}

/** The file that leaves is a placeholder, a variable or a pattern: any file may be meant, one with secrets too. */
export function sendsUnknownFile({ name, words, input, redirects }: SimpleCommand): boolean {
  const rest = words.slice(1);
  const isUnknown = (word: Word | undefined): boolean => word !== undefined && word.kind !== "literal";
  if (/^(?:curl|wget|http|https|xh|curlie|httpie)$/.test(name)) {
    return rest.some((word, index) => {
      if (word.kind === "literal") return false;
      const option = rest[index - 1]?.text ?? "";
      if (/^(?:-T|--upload-file|--post-file|--body-file)$/.test(option)) return word.text !== "-";
      if (/^(?:-T.|--upload-file=|--post-file=|--body-file=)/.test(word.text)) return true;
      const isData =
        upload.test(option) ||
        /^-[dF]|^--(?:data|form|json)/.test(word.text) ||
        /^(?:http|https|xh|httpie)$/.test(name);
      return (
        isData &&
        /[@<](?:[^@<]*)(?:[$`*?[{]|$)/.test(word.text) &&
        /^(?:-[dF])?(?:--[a-z-]+=)?(?:[\w.-]+=?)?[@<]/.test(word.text)
      );
    });
  }
  if (/^(?:scp|rsync|sftp)$/.test(name)) {
    const { operands } = parseOptions(rest, copyOptions);
    const target = operands.at(-1);
    if (target === undefined || !/^[^/]*:|^rsync:/.test(target.text)) return false;
    return operands.slice(0, -1).some((word) => isUnknown(word) && word.prefix === "");
  }
  if (
    !/^(?:nc|ncat|netcat|socat|telnet|mail|mailx|mutt|sendmail|curlie|croc|wormhole|gsutil|rclone|s3cmd|mc)$/.test(name)
  )
    return false;
  if (redirects.some(({ operator, target }) => operator === "<" && (isUnknown(target) || target.text === "{}")))
    return true;
  if (input.kind === "file" && (isUnknown(input.path) || input.path.text === "{}")) return true;
  return (
    input.kind === "commands" &&
    input.commands.some(
      (source) =>
        /^(?:cat|tar|gzip|base64|xxd|zip|head|tail)$/.test(source.name) &&
        source.words.slice(1).some((word) => word.kind === "dynamic"),
    )
  );
}

const transferShells = /^(?:sftp|ftp|lftp|tftp|smbclient|ncftp|ncftpput)$/;

/** `put FILE` among the commands that a program for transfers is given. */
function putsSecret({ words, input }: SimpleCommand): boolean {
  const texts = words.slice(1).map((word) => word.text);
  if (input.kind === "text" || input.kind === "dynamic") texts.push(input.text);
  const puts = texts.join("\n").matchAll(/\b(?:m?put|send|reput|append|mirror\s+-R)\s+(?:-\w+\s+)*([^\s;]+)/g);
  return [...puts].some(([, file]) => isSecretPath(file!));
}

const copyOptions = optionTable(
  "i= e|rsh= P= p F= o= J= l= c= S= exclude= include= filter= exclude-from= password-file= r a v z",
);

function copiesSecretAway(words: readonly Word[]): boolean {
  const { operands } = parseOptions(words, copyOptions);
  const target = operands.at(-1);
  if (target === undefined || !/^[^/]*:/.test(target.text)) return false;
  return operands.slice(0, -1).some((word) => isSecretPath(word.text) && !/^[^/]+:/.test(word.text));
}

function isUploadedSecret(word: Word, option: string, name: string): boolean {
  if (
    /^-[dFT]./.test(word.text) ||
    /^--(?:data[a-z-]*|json|form[a-z-]*|upload-file|post-(?:data|file)|body-(?:data|file))=/.test(word.text)
  ) {
    return isSecretWord({ ...word, text: word.text.replace(/^-[dFT]|^--[a-z-]+=/, "") }) || holdsSecretFile(word.text);
  }
  if (upload.test(option) && !(option === "-F" && name === "wget"))
    return isSecretWord(word) || holdsSecretFile(word.text);
  if (keyOptions.has(option) || word.text.startsWith("-")) return false;
  // A secret in the address itself ends up in somebody's log.
  return (
    word.kind === "dynamic" &&
    /^(?:https?:|[\w.-]+\.[a-z]{2,})/.test(word.text) &&
    isSecretWord(word) &&
    !/^https?:\/\/[^/]*@/.test(word.text)
  );
}

/** `@file`, `name=@file`, `name=<file`. */
function holdsSecretFile(text: string): boolean {
  const file = /[@<]([^;,]+)/.exec(text)?.[1];
  return file !== undefined && isSecretPath(file);
}
