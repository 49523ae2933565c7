import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { layOut, type LaidOut } from "./lay-out.ts";
import { commandClasses, type Corpus, type PathCase, type TextCase, type UrlCase } from "./read-corpus.ts";

/** What is examined. A judge that throws gave no answer, which is wrong whatever was expected. */
export interface Judges {
  command(command: string): "safe" | "danger" | "unknown";
  /** Whether it goes through without a person. */
  path(question: LaidOut & Pick<PathCase, "op">): boolean;
  /** The text with its secrets masked. */
  text(text: string): string;
  url(question: Pick<UrlCase, "url" | "addresses">): boolean;
}

export interface Score {
  readonly name: string;
  readonly right: number;
  readonly of: number;
  /** One line for each wrong answer. */
  readonly misses: readonly string[];
}

export function examineCommands({ commands }: Corpus, judges: Judges): Score[] {
  return commandClasses.map((name) =>
    score(
      name,
      commands.filter((entry) => entry.class === name),
      ({ command, expect, why }) => {
        const verdict = judges.command(command);
        const isRight = expect === "safe" ? verdict === "safe" : verdict !== "safe";
        return isRight ? undefined : `${verdict}: ${JSON.stringify(command)} (${why})`;
      },
    ),
  );
}

/** Lays every case out in a folder of its own under `folder`. */
export function examinePaths({ paths }: Corpus, judges: Judges, folder: string): Score {
  const numbered = paths.map((entry, index) => ({ entry, sandbox: join(folder, String(index)) }));
  return score("paths", numbered, ({ entry, sandbox }) => {
    mkdirSync(sandbox);
    const allowed = judges.path({ ...layOut(entry, sandbox), op: entry.op });
    if (allowed === (entry.expect === "allowed")) return undefined;
    return `${allowed ? "allowed" : "refused"}: ${entry.op} ${JSON.stringify(entry.path.slice(0, 200))} (${entry.why})`;
  });
}

/** Secrets count one by one, clean texts as a whole. */
export function examineTexts({ texts }: Corpus, judges: Judges): Score[] {
  const secrets = texts.flatMap((entry) => entry.secrets.map((secret) => ({ ...entry, secret })));
  return [
    score("secrets", secrets, ({ text, secret, why }) =>
      leaks(judges.text(text), secret) ? `${secret.slice(0, 4)}… remains (${why})` : undefined,
    ),
    score(
      "text around secrets",
      texts.filter((entry) => entry.secrets.length > 0),
      (entry) => lostAround(entry, judges.text(entry.text)),
    ),
    score(
      "clean texts",
      texts.filter((entry) => entry.secrets.length === 0),
      ({ text, why }) => {
        const masked = judges.text(text);
        return masked === text ? undefined : `changed to ${JSON.stringify(masked.slice(0, 200))} (${why})`;
      },
    ),
  ];
}

export function examineUrls({ urls }: Corpus, judges: Judges): Score {
  return score("urls", urls, (entry) => {
    const allowed = judges.url(entry);
    if (allowed === (entry.expect === "allowed")) return undefined;
    const resolved = entry.addresses ? ` → ${entry.addresses.join(", ")}` : "";
    return `${allowed ? "allowed" : "refused"}: ${JSON.stringify(entry.url)}${resolved} (${entry.why})`;
  });
}

export function share({ right, of }: Pick<Score, "right" | "of">): number {
  return of === 0 ? 1 : right / of;
}

export function addUp(scores: readonly Score[], names: readonly string[]): Score {
  const chosen = scores.filter(({ name }) => names.includes(name));
  return {
    name: names.join(" + "),
    right: chosen.reduce((sum, { right }) => sum + right, 0),
    of: chosen.reduce((sum, { of }) => sum + of, 0),
    misses: chosen.flatMap(({ misses }) => misses),
  };
}

export function showScore(result: Score): string {
  const percent = (share(result) * 100).toFixed(1);
  return [`${result.name}: ${result.right}/${result.of} (${percent} %)`, ...result.misses].join("\n  ");
}

function score<Case>(name: string, cases: readonly Case[], findMiss: (entry: Case) => string | undefined): Score {
  const misses = cases.flatMap((entry) => {
    try {
      return findMiss(entry) ?? [];
    } catch (error) {
      return `threw ${String(error)}: ${JSON.stringify(entry)}`.slice(0, 200);
    }
  });
  return { name, right: cases.length - misses.length, of: cases.length, misses };
}

/** A long secret also leaks when a good part of it can be read. */
function leaks(masked: string, secret: string): boolean {
  if (secret.length < 20) return masked.includes(secret);
  for (let at = 0; at + 16 <= secret.length; at++) if (masked.includes(secret.slice(at, at + 16))) return true;
  return false;
}

/** Masking replaces the secret and leaves the lines around it: every line without a secret is still there. */
function lostAround({ text, secrets, why }: TextCase, masked: string): string | undefined {
  const kept = new Set(masked.split("\n"));
  const lost = text.split("\n").find((line) => !kept.has(line) && !secrets.some((secret) => line.includes(secret)));
  return lost === undefined || lost.includes("PRIVATE KEY") ? undefined : `lost ${JSON.stringify(lost)} (${why})`;
}
