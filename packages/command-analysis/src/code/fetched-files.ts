import { sinksByLanguage } from "./code-tables.ts";
import { findInterpreter } from "./interpreters.ts";
import { optionTable, parseOptions } from "../parse-options.ts";
import { scanCode } from "./scan-code.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";

/** What a command brings from another machine, by where it puts it. */
interface Fetched {
  readonly files: readonly Word[];
  /** Folders in which everything is fetched. */
  readonly folders: readonly Word[];
}

const nothing: Fetched = { files: [], folders: [] };

export function findFetched(command: SimpleCommand): Fetched {
  const { name, words } = command;
  if (copiers.test(name)) return findCopied(command);
  if (name === "curl" || name === "wget") return { files: findDownloads(command), folders: [] };
  if (/^(?:git|hg|svn|gh|glab)$/.test(name)) return findCheckedOut(command);
  if (/^(?:ftp|lftp|tftp|sftp|smbclient)$/.test(name)) return { files: findGotten(command), folders: [] };
  if (name === "az") return { files: valuesAfter(words, /^(?:-f|--file|--destination)$/), folders: [] };
  const code = findCodeDownloads(command);
  return code.length === 0 ? nothing : { files: code, folders: [] };
}

const copiers = /^(?:scp|rsync|aws|awslocal|gsutil|gcloud|rclone|mc|s3cmd|s5cmd|docker|podman|kubectl|oc|azcopy)$/;
const copyOptions = optionTable(
  "e|rsh= i= P= p F= o= J= l= c= S= exclude= include= filter= profile= region= endpoint-url= n= container= acl= r a v z recursive",
);
const copyVerbs = /^(?:s3|cp|copy|copyto|mv|sync|get|storage)$/;

function findCopied({ name, words }: SimpleCommand): Fetched {
  const { operands } = parseOptions(words.slice(1), copyOptions);
  const places = operands.filter((word, index) => !(index < 3 && copyVerbs.test(word.text)));
  const hasVerb = places.length < operands.length;
  if (!hasVerb && name !== "scp" && name !== "rsync") return nothing;
  const [source] = places;
  const isRemote =
    source !== undefined &&
    (/^[^/]*:/.test(source.text) || name === "mc" || (/^(?:kubectl|oc)$/.test(name) && source.text.includes(":")));
  if (!isRemote) return nothing;
  const target = places.length > 1 ? places.at(-1)! : here;
  if (/^[^/]*:/.test(target.text)) return nothing;
  const copies = places.slice(0, Math.max(1, places.length - 1)).map((word) => within(target, baseOf(word)));
  const isWhole = source.text.endsWith("/") || operands.some(({ text }) => text === "sync");
  return { files: [target, ...copies], folders: isWhole ? [target] : copies };
}

const downloadOptions = optionTable(
  "P|directory-prefix= output-dir= O=? o= d= H= X= u= A= e= b= m= w= x= header= post-data= q s S f L k",
);

/** With a folder of its own for what is fetched. */
function findDownloads({ words }: SimpleCommand): Word[] {
  const options = parseOptions(words.slice(1), downloadOptions);
  const folder = options.value("P") ?? options.value("output-dir");
  if (folder === undefined) return [];
  return options.operands.filter(({ text }) => text.includes("/")).map((word) => within(folder, baseOf(word)));
}

function findCheckedOut({ name, words }: SimpleCommand): Fetched {
  const options = parseOptions(words.slice(1), checkoutOptions);
  const [verb, ...rest] = options.operands;
  if (name === "gh" || name === "glab") {
    if (verb?.text === "repo" && rest[0]?.text === "clone")
      return { files: [], folders: rest[2] ? [rest[2]] : rest.slice(1, 2).map(baseWord) };
    if (verb?.text !== "release" || rest[0]?.text !== "download") return nothing;
    const folder = options.value("D") ?? here;
    return {
      files: [...options.values("O"), ...options.values("p").map((word) => within(folder, word.text))],
      folders: [],
    };
  }
  if (!/^(?:clone|export|checkout|co)$/.test(verb?.text ?? "") || (name === "git" && verb?.text !== "clone"))
    return nothing;
  const [source, target] = rest;
  if (source === undefined || !/:/.test(source.text)) return nothing;
  const place = target ?? baseWord(source);
  return { files: name === "svn" ? [place] : [], folders: [place] };
}

const checkoutOptions = optionTable(
  "C= c= b|branch= o= depth= R|repo= p|pattern= D|dir= O|output= r= reference= filter= j= recursive q",
);

/** `get FILE` among the commands that the program is given. */
function findGotten({ name, words, input }: SimpleCommand): Word[] {
  const texts = words.slice(1).map((word) => word.text);
  if (input.kind === "text" || input.kind === "dynamic") texts.push(...input.text.split("\n"));
  const joined = texts.join("\n");
  const files = [...joined.matchAll(/\b(?:m?get|reget|recv|pget)\s+([^\s;]+)(?:\s+(?:-o\s+)?([^\s;]+))?/g)].flatMap(
    ([, source = "", target]) => [baseName(source), ...(target === undefined ? [] : [target])],
  );
  if (name !== "sftp") return files.map(literal);
  const { operands } = parseOptions(words.slice(1), optionTable("b= o= P= i= F= J= r"));
  const [source, target = here] = operands;
  return source?.text.includes(":")
    ? [target, within(target, baseOf(source)), ...files.map(literal)]
    : files.map(literal);
}

/** Code that fetches something and names files. */
function findCodeDownloads(command: SimpleCommand): Word[] {
  const interpreter = findInterpreter(command);
  const sinks = interpreter === null ? undefined : sinksByLanguage[interpreter.language];
  if (interpreter === null || sinks === undefined) return [];
  return interpreter.codes.flatMap(({ text }) => {
    const { code, strings } = scanCode(interpreter.language, text);
    if (!sinks.transfer.test(code) && !/\burlretrieve\b|\bdownload\b/.test(code)) return [];
    return strings.filter((value) => /^[\w./-]{1,200}$/.test(value)).map(literal);
  });
}

const here: Word = { text: ".", kind: "literal", prefix: "." };

function valuesAfter(words: readonly Word[], option: RegExp): Word[] {
  return words.filter((_, index) => option.test(words[index - 1]?.text ?? ""));
}

function within(folder: Word, name: string): Word {
  const text = `${folder.text.replace(/\/+$/, "")}/${name}`;
  return { ...folder, text, prefix: text };
}

function baseOf(word: Word): string {
  return baseName(word.text.replace(/^[^/]*:/, ""));
}

function baseName(text: string): string {
  return text
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/^.*\//, "");
}

function baseWord(word: Word): Word {
  return literal(baseOf(word).replace(/\.git$/, ""));
}

function literal(text: string): Word {
  return { text, kind: "literal", prefix: text };
}
