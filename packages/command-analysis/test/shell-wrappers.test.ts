import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { analyseCommand } from "../src/analyse-command.ts";
import { count } from "../../../test/support/counts.ts";

const argumentsFirst =
  "env|env -i A=1|timeout 5|timeout -k 1 -s KILL 5s|nice -n 5|ionice -c 2 -n 7|chrt -f 10|taskset -c 0|setsid|stdbuf -oL|nohup|command|command -p|exec|builtin command|time|sudo|sudo -u root --|doas|unshare -r|chroot /|nsenter -t 1 -m|setpriv --no-new-privs|flock /tmp/lock|strace -f|busybox|watch -x|xargs|xargs -0 -n 1|find . -exec|docker exec c|docker run --rm -it image|kubectl exec pod --|npx|npm exec --|uv run|systemd-run --user|tmux new -d|screen -dmS s|xterm -e|dbus-run-session --|firejail|bwrap --ro-bind / / --|parallel|ssh host|unheard-of-program --option --";
const textInQuotes =
  "bash -c|sh -exc|bash -lc|env -S|eval|su -c|script -qc|ssh host|watch|git submodule foreach|trap -- |npx -c|nix-shell --run|hyperfine|tmux send-keys";

const wrap = fc.oneof(
  fc
    .constantFrom(...argumentsFirst.split("|"))
    .map((wrapper) => (inner: string) => `${wrapper} ${/^[\w ./=-]+$/.test(inner) ? inner : `sh -c ${quote(inner)}`}`),
  fc.constantFrom(...textInQuotes.split("|")).map((wrapper) => (inner: string) => {
    const end = wrapper.startsWith("trap") ? " EXIT" : "";
    return `${wrapper} ${quote(inner)}${end}`;
  }),
  fc.constantFrom<(inner: string) => string>(
    (inner) => `( ${inner} )`,
    (inner) => `{ ${inner}; }`,
    (inner) => `if true; then ${inner}; fi`,
    (inner) => `for x in a b; do ${inner}; done`,
    (inner) => `f() { ${inner}; }`,
    (inner) => `echo "$( ${inner} )"`,
    (inner) => `cat <( ${inner} )`,
    (inner) => `true && ${inner} || true`,
    (inner) => `true | ${inner} &`,
    (inner) => `bash <<'E'\n${inner}\nE\n`,
    (inner) => `printf '%s' ${quote(inner)} | sh`,
    (inner) => `echo ${Buffer.from(inner).toString("base64")} | base64 -d | sh`,
    (inner) => `{ X=${quote(inner)}; eval "$X"; }`,
  ),
);

test("a dangerous command stays found in any wrappers around one another [L8]", () => {
  fc.assert(
    fc.property(fc.array(wrap, { minLength: 1, maxLength: 5 }), (wrappers) => {
      const text = wrappers.reduce((inner, around) => around(inner), "rm -rf src");
      assert.notEqual(analyseCommand(text).verdict, "safe", text);
    }),
    { numRuns: count({ quick: 1500, full: 100_000 }) },
  );
});

test("a text for a shell that can't be read is not safe behind a program that nobody knows [L8]", () => {
  for (const text of [`sh -c 'echo "'`, "sh -c 'bash <<E\necho \"\nE\n'", `bash -lc "if true; then rm"`]) {
    assert.equal(analyseCommand(`unheard-of-program --option -- ${text}`).verdict, "unknown", text);
  }
});

test("a harmless command in harmless wrappers stays safe", () => {
  for (const wrapper of "env|env -i A=1|timeout 5|nice -n 5|stdbuf -oL|command|time|flock /tmp/lock|npx|uv run|docker exec c|ssh host".split(
    "|",
  )) {
    assert.equal(analyseCommand(`${wrapper} ls -la`).verdict, "safe", wrapper);
  }
});

test("quotes inside the name of a program change nothing [L8]", () => {
  const spell = fc.constantFrom<(letter: string) => string>(
    (letter) => letter,
    (letter) => `'${letter}'`,
    (letter) => `"${letter}"`,
    (letter) => `\\${letter}`,
    (letter) => `$'\\x${letter.charCodeAt(0).toString(16)}'`,
    (letter) => `$'\\${letter.charCodeAt(0).toString(8).padStart(3, "0")}'`,
    (letter) => `${letter}""`,
    (letter) => `\\\n${letter}`,
    (letter) => `$(echo ${letter})`,
    (letter) => `\`printf ${letter}\``,
    (letter) => `\${nothing-${letter}}`,
  );
  const names = fc.constantFrom("rm -rf src", "sudo ls", "shutdown now", "mkfs.ext4 x");
  fc.assert(
    fc.property(names, fc.array(spell, { minLength: 12, maxLength: 12 }), (command, spellings) => {
      const [name = "", ...rest] = command.split(" ");
      const spelled = [...name.matchAll(/./g)].map(([letter], n) =>
        /\w/.test(letter) ? (spellings[n]?.(letter) ?? letter) : letter,
      );
      const text = [spelled.join(""), ...rest].join(" ");
      assert.equal(analyseCommand(text).verdict, "danger", text);
    }),
    { numRuns: count({ quick: 1000, full: 100_000 }) },
  );
});

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
