import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { CommandAnalysis } from "../../packages/command-analysis/src/analyse-command.ts";
import type { Finding, Verdict } from "../../packages/command-analysis/src/finding.ts";
import type { PathVerdict } from "../guard/path/judge-path.ts";
import type { Step } from "../guard/url/judge-journey.ts";
import type { RuleFound } from "./check-rules.ts";
import { locateFolders, userFile } from "../config/folders.ts";
import type { Environment } from "../core/process.ts";

/** What the rails would say. Nothing is run, opened or written down, and each part is loaded when it is first asked. */
export interface Checker {
  command(text: string, place?: { readonly cwd?: string | undefined }): Promise<CommandCheck>;
  path(path: string, question: PathQuestion): Promise<PathCheck>;
  url(steps: readonly [Step, ...Step[]]): Promise<UrlCheck>;
  /** The text as a log would have it: secrets masked. */
  text(text: string): Promise<{ readonly text: string }>;
}

export interface CommandCheck {
  readonly verdict: Verdict;
  readonly reasons: readonly string[];
  readonly findings: readonly Finding[];
  readonly readOnly: boolean;
  /** False: there may be more to it than `commands`. */
  readonly complete: boolean;
  readonly commands: readonly { readonly name: string; readonly source: string; readonly via: readonly string[] }[];
  /** The permission rule that speaks of it; danger is asked about whatever it says. */
  readonly rule: RuleFound | null;
}

export interface PathQuestion {
  readonly operation: string;
  /** Where it would be moved or copied to. */
  readonly to?: string | undefined;
  readonly workdir?: string | undefined;
}

export interface PathCheck {
  readonly allowed: boolean;
  /** A person could allow it. */
  readonly ask: boolean;
  readonly kind: PathVerdict["kind"];
  readonly reasons: readonly string[];
  readonly resolved: string | null;
  readonly rule: RuleFound | null;
}

export interface UrlCheck {
  readonly allowed: boolean;
  readonly rule: string | null;
  readonly reasons: readonly string[];
  /** The one that the verdict is about: the last redirect, or the one that was refused. */
  readonly url: string;
}

export interface CheckerOptions {
  readonly workdir: string;
  readonly env: Environment;
  /** Ask the network where a name leads. Otherwise a name is judged by itself, which only a fetch never does. */
  readonly resolvesNames?: boolean;
}

export function createChecker(options: CheckerOptions): Checker {
  const { env } = options;
  const folders = locateFolders(options.workdir, env);
  const home = env["HOME"];
  const loadAnalysis = once(() => import("../../packages/command-analysis/src/analyse-command.ts"));
  const loadPaths = once(() => import("../guard/path/judge-path.ts"));
  const loadUrls = once(async () => ({
    ...(await import("../guard/url/judge-journey.ts")),
    ...(await import("../guard/url/url-policy.ts")),
  }));
  const loadMasker = once(async () => {
    const { createMasker } = await import("../guard/secrets/create-masker.ts");
    const { findEnvironmentSecrets } = await import("../guard/secrets/environment-secrets.ts");
    return createMasker({ values: findEnvironmentSecrets(env), key: maskKey(folders.maskKey) });
  });

  /** Most folders have no settings, and what reads them takes longer to load than all the rest. */
  const loadRules = once(async () => {
    const hasSettings = [join(folders.workdir, "deckhand.json"), userFile(env)].some((file) => existsSync(file));
    return hasSettings ? (await import("./check-rules.ts")).loadRuleCheck(folders, env) : null;
  });

  async function findPrograms(analysis: CommandAnalysis, cwd: string): Promise<readonly string[]> {
    const { wordPaths } = await import("./rules/command-paths.ts");
    const { judgePath } = await loadPaths();
    const { workdir } = folders;
    return wordPaths(analysis, { path: (path) => ({ ...judgePath(path, "read", { workdir }), names: [] }) }, cwd)
      .programs;
  }

  return {
    async command(text, { cwd } = {}) {
      const { analyseCommand } = await loadAnalysis();
      const place = { cwd: resolve(folders.workdir, cwd ?? ""), ...(home === undefined ? {} : { home }) };
      const analysis = analyseCommand(text, place);
      const { verdict, findings, commands, isComplete, isReadOnly } = analysis;
      const isGit = isReadOnly && commands.some(({ name }) => name === "git");
      const programs = isGit ? await findPrograms(analysis, place.cwd) : [];
      return {
        verdict,
        reasons: [
          ...new Set(findings.map(({ reason }) => reason)),
          ...programs.map((program) => `git would run a program: ${program}.`),
        ],
        findings,
        readOnly: isReadOnly && programs.length === 0,
        complete: isComplete,
        commands: commands.map(({ name, source, via }) => ({ name, source, via })),
        rule: (await loadRules())?.command(analysis, place.cwd) ?? null,
      };
    },
    async path(path, { operation, to, workdir }) {
      const { judgePath } = await loadPaths();
      const place = {
        workdir: resolve(folders.workdir, workdir ?? ""),
        ownFolders: [folders.stateHome],
        ...(home === undefined ? {} : { home }),
      };
      const known = synonyms.get(operation) ?? operation;
      const verdicts = [judgePath(path, known, place)];
      if (to !== undefined) verdicts.push(judgePath(to, "write", place));
      const { allowed, ask, kind, resolved } = verdicts.find((verdict) => !verdict.allowed) ?? verdicts[0]!;
      const rule = workdir === undefined ? ((await loadRules())?.path(path, known) ?? null) : null;
      const reasons = verdicts.flatMap(({ reason }) => reason ?? []);
      if (rule?.effect !== "deny") return { allowed, ask, kind, reasons, resolved, rule };
      return {
        allowed: false,
        ask: false,
        kind,
        reasons: [...reasons, `The rule deny ${rule.rule} covers it.`],
        resolved,
        rule,
      };
    },
    async url(steps) {
      const { judgeJourney, defaultUrlPolicy } = await loadUrls();
      const known = options.resolvesNames === true ? await resolveSteps(steps) : steps;
      const verdict = judgeJourney(known, defaultUrlPolicy);
      const [rule, reasons] = verdict.allowed ? [null, []] : [verdict.rule, [verdict.reason]];
      return { allowed: verdict.allowed, rule, reasons, url: verdict.url };
    },
    text: async (text) => ({ text: (await loadMasker()).text(text) }),
  };
}

async function resolveSteps([first, ...rest]: readonly [Step, ...Step[]]): Promise<[Step, ...Step[]]> {
  const { resolveBySystem } = await import("../guard/url/resolve-name.ts");
  const resolveStep = async (step: Step): Promise<Step> => {
    const host = URL.parse(step.url)?.hostname;
    if (step.addresses !== undefined || host === undefined) return step;
    // A name without an answer has no addresses; the verdict says so.
    return { ...step, addresses: await resolveBySystem(host).catch(() => []) };
  };
  return [await resolveStep(first), ...(await Promise.all(rest.map(resolveStep)))];
}

export const pathOperations: readonly string[] = "read write edit delete list move chmod mkdir execute".split(" ");

export function isPathOperation(word: string): boolean {
  return pathOperations.includes(word) || synonyms.has(word);
}

/** Other words for what can be done with a path; one that is not known is judged as a change. */
const synonyms = new Map(
  Object.entries({
    read: "open stat view search grep copy",
    list: "ls glob exists",
    write: "create append touch overwrite",
    delete: "remove rm unlink rmdir",
    move: "rename mv",
    execute: "exec run",
  }).flatMap(([operation, words]) => words.split(" ").map((word): [string, string] => [word, operation])),
);

/** That of this installation, so that marks here and in the log are the same; made by whoever writes first, not by asking. */
function maskKey(path: string): string | Buffer {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return randomBytes(24);
  }
}

function once<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return () => (loaded ??= load());
}
