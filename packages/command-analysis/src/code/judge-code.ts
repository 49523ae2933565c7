import { isDatabase, isDataFile } from "../data-files.ts";
import { sinksByLanguage, type Sinks } from "./code-tables.ts";
import { readsEnvironment } from "../environment-readers.ts";
import type { Finding } from "../finding.ts";
import type { Language } from "./interpreters.ts";
import { judgeMongo, judgePowershell, judgeRedis } from "./judge-dialects.ts";
import { judgeTcl } from "./judge-tcl.ts";
import { judgeSql } from "./judge-sql.ts";
import { locate } from "../paths.ts";
import type { Place } from "../place.ts";
import { type ScannedCode, scanCode } from "./scan-code.ts";
import { isSecretPath } from "../secrets.ts";
import { readSedScript } from "../read-only/sed-script.ts";
import { findShellTexts, type ShellCall } from "./shell-texts.ts";

/** What inline code would do, by the calls it makes. A literal command that it hands to a shell is left to `shellTextsIn`. */
export function judgeCode(language: Language, text: string, place: Place): Finding[] {
  if (language === "shell") return [];
  if (language === "sql") return [...judgeSql(text), ...judgeSqlOutput(text, place)];
  if (language === "redis") return judgeRedis(text);
  if (language === "powershell") return judgePowershell(text);
  if (language === "sed") return judgeSed(text, place);
  if (language === "tcl") return judgeTcl(text, place);
  const sinks = sinksByLanguage[language];
  if (sinks === undefined) return [];
  const scanned = scanCode(language, text);
  const findings = judgeCalls(scanned, { language, sinks, place, text });
  return language === "mongo" ? [...findings, ...judgeMongo(scanned.code)] : findings;
}

/** Commands that the code hands to a shell as literal text. */
export function shellTextsIn(language: Language, text: string): string[] {
  if (language === "sed") return [];
  return findShellTexts(language, text).flatMap(({ command }) => (command === null ? [] : [command]));
}

interface Context {
  readonly language: Language;
  readonly sinks: Sinks;
  readonly place: Place;
  readonly text: string;
}

function judgeCalls(scanned: ScannedCode, { language, sinks, place, text }: Context): Finding[] {
  const { code, strings } = scanned;
  const findings: Finding[] = [];
  const add = (verdict: Finding["verdict"], rule: string, reason: string): void => {
    if (!findings.some((finding) => finding.rule === rule)) findings.push({ verdict, rule, reason, command: text });
  };
  const calls = findShellTexts(language, text);
  if (calls.some((call) => call.command === null))
    add("unknown", "code.command", "The code starts a program that is not known beforehand.");
  if (sinks.removeAll.test(code)) add("danger", "code.delete-tree", "The code deletes a folder or many files.");
  if (sinks.remove.test(code) && !removesNamedFiles(scanned, sinks, place))
    add("danger", "code.delete", "The code deletes files that are not known beforehand, or not in the workdir.");
  if (sinks.write.test(code) && strings.some((value) => isForbidden(value, place)))
    add("danger", "code.write", "The code changes a file of the system or one that starts programs.");
  if (sinks.evaluate.test(code)) judgeEvaluation({ scanned, add, language, place });
  if (findLoaded(scanned).some((value) => isAddress(value) || isTemporary(value, place)))
    add("unknown", "code.loaded", "The code runs a file from the network or from a folder that anyone can write to.");
  if (emptiesData(text)) add("danger", "code.emptied", "The code overwrites a file of data with nothing.");
  if (language === "php" && strings.some((value) => callbacks.test(value)))
    add("danger", "code.hidden", "The code hands the name of a dangerous function to another one.");
  if (hidesNames(scanned, sinks, language))
    add("danger", "code.hidden", "The code reaches what it does through values, as code does that hides it.");
  if (joinsSocket(scanned, sinks, calls))
    add("danger", "code.reverse-shell", "The code hands a shell or a program to another machine.");
  if (/\bpty\.spawn\b/.test(code) || calls.some(({ command }) => command !== null && bareShell.test(command)))
    add("danger", "code.shell", "The code starts a shell whose input is not known.");
  if (
    language === "applescript" &&
    /\b(?:shut down|restart|log out|empty (?:the )?trash|delete|keystroke|do (?:shell )?script|sleep)\b/i.test(code)
  )
    add("danger", "code.system-event", "The script controls the machine or deletes things.");
  if (forksForever(code)) add("danger", "code.fork-bomb", "The code starts processes without end.");
  if (sendsSecrets(scanned, sinks, text))
    add("danger", "code.exfiltration", "The code reads secrets and sends data over the network.");
  if (/\b(?:os|process)\.kill(?:pg)?\s*\(\s*-?1\s*[,)]|\bkill(?:pg)?\b\s*\(?[^;\n]{0,40}[\s,(>]-\s*1\b/.test(code))
    add("danger", "code.kill-all", "The code ends every process.");
  if (
    /\.(?:execute|executescript|executemany|exec|query|raw|\$executeRaw\w*|\$queryRaw\w*|execute_sql|connection)\b/.test(
      code,
    )
  ) {
    for (const value of strings) findings.push(...judgeSql(value).filter(({ rule }) => rule !== "sql.client-command"));
  }
  if (
    /\.objects\s*(?:\.\s*\w+\s*\(\s*\)\s*)*\.\s*delete\s*\(|\.drop_all\s*\(|\.drop_database\s*\(|\.delete_many\s*\(\s*\{\s*\}|\.deleteMany\s*\(\s*(?:\{\s*\})?\s*\)|\.dropDatabase\s*\(|\.flushall\s*\(|\.flushdb\s*\(/i.test(
      code,
    )
  ) {
    add("danger", "code.database", "The code deletes a database or all of its data.");
  }
  return findings;
}

const loads =
  /(?<![\w$.-])(?:require|require_once|require_relative|include|include_once|load|do|dofile|loadfile|import|run_path|source)\s*\(?\s*"([0-9]+)"/g;
const callbacks = /^(?:system|exec|shell_exec|passthru|popen|proc_open|assert|eval|unlink|rmdir)$/;

function findLoaded({ code, strings }: ScannedCode): string[] {
  return [...code.matchAll(loads)].map(([, index]) => strings[Number(index)] ?? "");
}

function isTemporary(text: string, place: Place): boolean {
  return text.startsWith("/") && locate({ text, kind: "literal", prefix: text }, place) === "temporary";
}

function isAddress(text: string): boolean {
  return /^(?:https?|ftp|data|php|phar|expect):/.test(text);
}

const bareShell = /^(?:\/(?:usr\/)?bin\/)?(?:env )?(?:ba|z|da|k)?sh(?: -[abefhiklmnprstuvx]+)*$/;

/** `open("data.db", "w").close()`, `truncate "data.db", 0` */
function emptiesData(text: string): boolean {
  const files = [
    ...text.matchAll(
      /\b(?:open|fopen|File\.(?:open|write)|writeFileSync|file_put_contents)\s*\(\s*["']([^"'\n]{1,200})["']\s*,\s*(?:["']w[bt+]*["']\s*\)\s*(?:\.|->)\s*(?:close|truncate)\b|["']["']\s*\))/g,
    ),
    ...text.matchAll(/\btruncate(?:Sync)?\s*\(?\s*["']([^"'\n]{1,200})["']\s*(?:,\s*0)?\s*[);]?/g),
  ];
  return files.some(([, file]) => isDataFile(file!));
}

/** Every call names one file in the workdir. */
function removesNamedFiles({ code, strings }: ScannedCode, sinks: Sinks, place: Place): boolean {
  if (/\b(?:for|while|each|map|forEach|glob|walk|readdir\w*|listdir|grep|finddepth|find)\b/.test(code)) return false;
  const pattern = new RegExp(sinks.remove.source, `g${sinks.remove.flags}`);
  return [...code.matchAll(pattern)].every((call) => {
    const after = /^[\s(]*"([0-9]+)"\s*(?:[,;)}]|$)/.exec(code.slice(call.index + call[0].length));
    const before = /"([0-9]+)"\s*\)$/.exec(code.slice(Math.max(0, call.index - 32), call.index + 1));
    const path = strings[Number((after ?? before)?.[1] ?? -1)];
    if (path === undefined || /[*?]/.test(path) || isDatabase(path)) return false;
    return ["inside", "temporary"].includes(locate({ text: path, kind: "literal", prefix: path }, place));
  });
}

function isForbidden(text: string, place: Place): boolean {
  // Perl and awk write the direction before the name.
  const value = text.replace(/^[+<>|]+\s*/, "");
  if (value.length > 4096 || !/[/~.]/.test(value) || /\s/.test(value)) return false;
  // Only what looks like a path: a relative name inside a text is not worth a question.
  return (
    ["system", "protected", "device"].includes(locate({ text: value, kind: "literal", prefix: value }, place)) &&
    !/^https?:|^\/?$/.test(value)
  );
}

interface Evaluation {
  readonly scanned: ScannedCode;
  readonly add: (verdict: Finding["verdict"], rule: string, reason: string) => void;
  readonly language: Language;
  readonly place: Place;
}

/** A literal is judged as code; anything else is code that nobody has seen. */
function judgeEvaluation({ scanned: { code, strings, commands }, add, language, place }: Evaluation): void {
  const literal =
    /(?<!\w)(?:eval|exec|load|loadstring|assert|setTimeout|setInterval)\s*\(?\s*"([0-9]+)"\s*[,)]?\s*(?:[0-9]*\s*\)|;|$)/.exec(
      code,
    );
  // What backticks print is nobody's literal.
  const index = literal === null ? -1 : Number(literal[1]);
  const inner = commands.includes(index) ? undefined : strings[index];
  if (inner === undefined) {
    add("danger", "code.evaluated", "The code runs text that is not known beforehand.");
    return;
  }
  for (const finding of judgeCode(language, inner.slice(0, 4096), place))
    add(finding.verdict, finding.rule, finding.reason);
  if (findShellTexts(language, inner).length > 0)
    add("danger", "code.evaluated", "The code runs text that starts a program.");
}

const sinkNames =
  /^(?:system|popen|exec|execSync|spawn|spawnSync|eval|child_process|rmtree|remove|unlink|rmSync|__import__|subprocess|os|constructor|Function|shell_exec|passthru)$/;

function hidesNames({ code, strings }: ScannedCode, sinks: Sinks, language: Language): boolean {
  if (language === "lua" && strings.includes("ffi")) return true;
  if (!sinks.hide.test(code)) return false;
  if (language === "ruby" || language === "php")
    return (
      strings.some((value) => sinkNames.test(value)) ||
      /:(?:(?:system|exec|spawn|eval|fork)\b|`)/.test(code) ||
      /chr|pack|decode|reverse|\bFFI\b|\bFiddle\b/.test(code)
    );
  // `getattr(thing, "name")` with a plain name is ordinary.
  if (language === "python" && !/\b(?:ctypes|cffi|__subclasses__|__getattribute__)\b/.test(code)) {
    const isPlain = /\bgetattr\s*\(\s*[\w.]+\s*,\s*"([0-9]+)"/.exec(code);
    const others = code.replace(/\bgetattr\s*\(\s*[\w.]+\s*,\s*"[0-9]+"/g, "");
    if (!sinks.hide.test(others) && isPlain !== null) return strings.some((value) => sinkNames.test(value));
  }
  return true;
}

function joinsSocket({ code, strings, commands }: ScannedCode, sinks: Sinks, calls: readonly ShellCall[]): boolean {
  const connects =
    sinks.connect.test(code) ||
    strings.some((value) => /^(?:socket|net|tls|IO::Socket.*|\/inet[46]?\/.*)$/.test(value));
  if (!connects) return false;
  const starts =
    calls.length > 0 || commands.length > 0 || /\bdup2?\b|\bpty\b|\bSTDIN\b|\bpopen\b|\bspawn\b|\bexec\b/.test(code);
  return (
    starts ||
    strings.some(
      (value) =>
        /^(?:.*\/)?(?:ba|z|da|k)?sh(?:\s+-i)?$|^cmd(?:\.exe)?$|^child_process$/.test(value) ||
        value.startsWith("/inet"),
    )
  );
}

function forksForever(code: string): boolean {
  return /\b(?:fork|pcntl_fork)\b/.test(code) && /\b(?:while|loop|for|until|times|forever)\b/.test(code);
}

function sendsSecrets({ code, strings }: ScannedCode, sinks: Sinks, text: string): boolean {
  const environment = readsEnvironment(text);
  const reads =
    strings.some((value) => value.length < 4096 && isSecretPath(value)) ||
    environment === "everything" ||
    // A token in the header that is meant for it is what it is for.
    (environment === "secret" && !/authorization|bearer|headers|auth\b/i.test(text));
  return reads && (sinks.transfer.test(code) || sinks.connect.test(code));
}

const outputCommands =
  /^[ \t]*\.(?:output|once|backup|save|log|clone|excel)\s+(?:-\S+\s+|main\s+)*(\S+)|^[ \t]*\\(?:o|w|g|out)\s+([^\s|]+)|\\copy\b.{0,400}\bto\s+'?([^'\s]+)/gim;

/** `.output FILE` of sqlite, `\o FILE` of psql. */
function judgeSqlOutput(text: string, place: Place): Finding[] {
  const paths = [...text.matchAll(outputCommands)].map((match) => (match[1] ?? match[2] ?? match[3])!);
  if (!paths.some((path) => isForbidden(path.replace(/["']/g, ""), place))) return [];
  const reason = "The database client changes a file of the system or one that starts programs.";
  return [{ verdict: "danger", rule: "code.write", reason, command: text }];
}

function judgeSed(text: string, place: Place): Finding[] {
  const { runs, written } = readSedScript(text);
  const findings: Finding[] = [];
  if (runs)
    findings.push({
      verdict: "danger",
      rule: "code.command",
      reason: "The script runs text as a command.",
      command: text,
    });
  if (written.some((path) => isForbidden(path, place))) {
    findings.push({
      verdict: "danger",
      rule: "code.write",
      reason: "The script changes a file of the system or one that starts programs.",
      command: text,
    });
  }
  return findings;
}
