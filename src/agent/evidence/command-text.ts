const programs = new Set(
  `npm npx pnpm yarn node bun deno tsc tsx git gh python python3 pip pip3 uv poetry pytest tox ruff mypy black cargo rustc go gofmt make cmake
  ctest docker podman kubectl helm terraform curl wget ls cat grep rg find sed awk rm mv cp mkdir touch chmod chown ln bash sh zsh eslint
  oxlint prettier jest vitest mocha ava playwright cypress java javac mvn gradle ruby bundle rake rspec php composer phpunit dotnet swift
  gcc g++ clang psql sqlite3 mysql redis-cli jq ssh scp rsync tar unzip zip echo head tail wc diff sort which env ps kill sudo systemctl brew
  apt apt-get deckhand alembic flask django-admin rails mix elixir`.split(/\s+/),
);

/** `sure`: it can be nothing else; `maybe`: it could be code as well; `no`: it is none. */
export function commandShape(text: string): "sure" | "maybe" | "no" {
  const plain = text.replace(/^\$\s+/, "").trim();
  if (plain === "" || plain.length > 400 || plain.includes("\n")) return "no";
  const [first = "", ...others] = plain.replace(/^(?:[A-Z_][A-Z0-9_]*=\S*\s+)+/, "").split(/\s+/);
  if (programs.has(first)) return others.length > 0 || runners.has(first) ? "sure" : "maybe";
  if (/^(?:\.{1,2}\/|\/)[\w./-]+$/.test(first)) return others.length > 0 || first.endsWith(".sh") ? "sure" : "no";
  if (/^[\w.-]+\/[\w./-]+$/.test(first)) return others.length > 0 ? "maybe" : "no";
  return others.length > 0 && /^[a-z][\w.-]*$/.test(first) && /(?:^|\s)--?[a-z]/.test(plain) ? "maybe" : "no";
}

const runners = new Set("pytest make tsc jest vitest mocha tox rspec ctest phpunit eslint oxlint ruff mypy".split(" "));

/** Without what two people write differently: quotes, spaces, the `$` of a prompt. */
export function normalizeCommand(text: string): string {
  return text
    .replace(/^\s*\$\s+/, "")
    .replaceAll(/["'\\]/g, "")
    .replaceAll(/\s+/g, " ")
    .replace(/^(npm|pnpm|bun) (?:i|add) /, "$1 install ")
    .replace(/^npm (?:t|run test)\b/, "npm test")
    .replace(/[\s;]+$/, "")
    .trim();
}

export interface CommandPart {
  readonly text: string;
  /** It stands behind `&&` or `||`: whether it ran depends on what is before it. */
  readonly isConditional: boolean;
}

/** The commands that a line of the shell is made of, itself first when it is more than one. */
export function partsOfCommand(command: string): CommandPart[] {
  const whole = { text: normalizeCommand(command), isConditional: false };
  const parts = splitCommand(command)
    .map(({ from, to, isConditional }) => ({ text: normalizeCommand(command.slice(from, to)), isConditional }))
    .filter(({ text }) => text !== "" && text !== whole.text);
  return [whole, ...parts];
}

const printers = new Set(
  "echo printf cat head tail less more grep rg sed awk cut sort uniq tee cd ls true false : export set sleep wc tr jq".split(
    " ",
  ),
);

/** The commands of the line that do more than print or look for text. */
export function workingParts(command: string): string[] {
  const [whole, ...parts] = partsOfCommand(command).map(({ text }) => text);
  return (parts.length === 0 ? [whole!] : parts).filter((part) => !printers.has(part.split(" ", 1)[0]!));
}

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly isConditional: boolean;
}

/** Where the parts are: operators inside quotes separate nothing. */
function splitCommand(command: string): Piece[] {
  const masked = command.replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (quoted) => "x".repeat(quoted.length));
  const parts: Piece[] = [];
  let from = 0;
  let isConditional = false;
  for (const { index, 0: operator } of masked.matchAll(/&&|\|\||[;|\n]|(?<!>)&(?![>&])/g)) {
    parts.push({ from, to: index, isConditional });
    from = index + operator.length;
    // A pipe, and what it leads to, is of one condition.
    if (operator !== "|") isConditional = operator === "&&" || operator === "||";
  }
  return [...parts, { from, to: command.length, isConditional }];
}
