import { readFileSync } from "node:fs";

export const commandClasses = ["plain", "variant", "wrapped", "obfuscated", "safe"] as const;

export interface CommandCase {
  readonly command: string;
  readonly expect: "danger" | "safe";
  readonly class: (typeof commandClasses)[number];
  readonly why: string;
}

/** One step of what lies on disk before the question. Names are relative to the sandbox folder; `to` is the link's own text. */
export type Step =
  | { readonly mkdir: string }
  | { readonly file: string; readonly text: string }
  | { readonly link: string; readonly to: string }
  | { readonly fifo: string };

export interface PathCase {
  readonly setup: readonly Step[];
  /** `work` unless it says otherwise. */
  readonly workdir?: string;
  readonly path: string;
  readonly op: "read" | "write" | "delete" | "list" | "edit";
  readonly expect: "allowed" | "refused";
  readonly why: string;
}

export interface TextCase {
  readonly text: string;
  /** None of them may remain; without any, the text must come back as it was. */
  readonly secrets: readonly string[];
  readonly why: string;
}

export interface UrlCase {
  readonly url: string;
  /** What its name resolves to; missing: it is judged by its text alone. */
  readonly addresses?: readonly string[];
  readonly expect: "allowed" | "refused";
  readonly why: string;
}

export interface Corpus {
  readonly commands: readonly CommandCase[];
  readonly paths: readonly PathCase[];
  readonly texts: readonly TextCase[];
  readonly urls: readonly UrlCase[];
}

/** The four files of a folder. */
export function readCorpus(folder: string): Corpus {
  return {
    commands: readLines<CommandCase>(`${folder}/commands.jsonl`),
    paths: readLines<PathCase>(`${folder}/paths.jsonl`),
    texts: readLines<SplitText>(`${folder}/texts.jsonl`).map(joinParts),
    urls: readLines<UrlCase>(`${folder}/urls.jsonl`),
  };
}

/** A text as it is stored: with its tokens in pieces. */
interface SplitText extends TextCase {
  readonly parts?: readonly (readonly string[])[];
}

function joinParts({ text, secrets, parts = [], why }: SplitText): TextCase {
  const fill = (given: string) =>
    given.replaceAll(/\{\{(\d+)\}\}/g, (placeholder, index) => parts[Number(index)]?.join("") ?? placeholder);
  return { text: fill(text), secrets: secrets.map(fill), why };
}

function readLines<Case>(file: string): Case[] {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Case);
}
