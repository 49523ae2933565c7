import { cutWord } from "./parse-options.ts";
import type { SimpleCommand, Word } from "./simple-command.ts";

/** Programs in which `-o` is a pattern, a format, a setting or an operator. */
const otherMeaning =
  /^(?:e?grep|fgrep|[rzp]g|rg|ag|ack|ps|ls|find|gfind|fd|test|\[|set|shopt|ssh|scp|sftp|mount|su|sudo|kubectl|oc|k|helm|aws|az|gcloud|docker|podman|echo|printf|apt|apt-get|useradd|install|chown|column|xargs|exa|eza|lsblk|nmcli|busctl|systemctl|journalctl|ip|ss|lsof|date|id|git|zgrep)$/;
const longOption =
  /^--?(?:out|output|outfile|outdir|out-file|out-dir|output-file|output-dir|output-directory|output-path|output-document|outputfile|outputdir|result-file|dest|destination|save-to|save-dir|log-file|logfile|[a-z_]+_out)$/i;

/** What nearly every program calls its output: `-o FILE`, `-oFILE`, `--output FILE`, `--out-dir=FOLDER`. */
export function findOutputOptions({ name, words }: SimpleCommand): Word[] {
  if (otherMeaning.test(name)) return [];
  const found: Word[] = [];
  for (let index = 1; index < words.length; index++) {
    const { prefix, kind } = words[index]!;
    if (kind === "literal" && prefix === "--") break;
    if (!prefix.startsWith("-")) continue;
    const equals = prefix.indexOf("=");
    const option = equals < 0 ? prefix : prefix.slice(0, equals);
    const next = words[index + 1];
    if (option === "-o" || longOption.test(option)) {
      if (equals >= 0) found.push(cutWord(words[index]!, equals + 1));
      else if (next !== undefined) found.push(next);
    } else if (/^-o[/~$]/.test(prefix)) found.push(cutWord(words[index]!, 2));
  }
  return found;
}
