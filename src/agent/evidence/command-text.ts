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
    .replace(/[\s;]+$/, "")
    .trim();
}

/** The commands that a line of the shell is made of, itself first. */
export function partsOfCommand(command: string): string[] {
  const parts = maskQuotes(command).flatMap(({ from, to }) => [command.slice(from, to)]);
  const whole = normalizeCommand(command);
  return [whole, ...parts.map(normalizeCommand).filter((part) => part !== "" && part !== whole)];
}

/** Where the parts are: operators inside quotes separate nothing. */
function maskQuotes(command: string): { readonly from: number; readonly to: number }[] {
  const masked = command.replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (quoted) => "x".repeat(quoted.length));
  const parts: { from: number; to: number }[] = [];
  let from = 0;
  for (const { index, 0: operator } of masked.matchAll(/&&|\|\||[;|\n]|(?<!>)&(?![>&])/g)) {
    parts.push({ from, to: index });
    from = index + operator.length;
  }
  return [...parts, { from, to: command.length }];
}
