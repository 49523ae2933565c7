import { cutWord, type OptionTable, optionTable, parseOptions } from "../parse-options.ts";
import { locate } from "../paths.ts";
import type { Place } from "../place.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";

interface Loader {
  readonly table: OptionTable;
  readonly names: readonly string[];
  /** Only values that look so are files. */
  readonly looks: RegExp;
}

const loaders = new Map<string, Loader>();

function define(programs: string, spec: string, settings: { long?: boolean; names: string; looks?: RegExp }): void {
  const { long: singleDashLong = false, names, looks = /./ } = settings;
  const loader: Loader = { table: optionTable(spec, { singleDashLong }), names: names.split(" "), looks };
  for (const program of programs.split(" ")) loaders.set(program, loader);
}

const path = /^<\(|[/\\]|\.\w+$/;

define("bash sh zsh dash ksh", "rcfile|init-file= c o= O= s i l x e u", { names: "rcfile" });
define("make gmake", "f|file|makefile= C|directory= I= j=? eval= o= W=", { names: "f" });
define("ninja samu", "f= C= j= k= l= t=", { names: "f" });
define("just rake", "f|justfile|rakefile= d= T=", { names: "f" });
define("task", "t|taskfile= d=", { names: "t" });
define("ant mvn", "f|file|buildfile= s|settings= P= D=", { names: "f s" });
define("gradle gradlew", "I|init-script= b|build-file= p= P= D=", { names: "I b" });
define("bazel bazelisk", "bazelrc= output_base=", { names: "bazelrc" });
define("cmake", "P= S= B= G= D= E= C=", { names: "P C" });
define("nmap", "script= p= o= i=", { long: true, names: "script", looks: path });
define("tcpdump", "z= w= i= G= C= W= r= c=", { names: "z", looks: path });
define("wget", "use-askpass= O= P= o=", { names: "use-askpass", looks: path });
define("ssh scp sftp", "F= o= i= p= P= l= J= S=", { names: "F S" });
define("vim vi nvim ex view gvim", "S= u= l= c= cmd=", { names: "S u l", looks: path });
define("emacs", "l|load= script= eval= f= batch Q q", { long: true, names: "l script", looks: path });
define("gdb", "x|command= ex= p= args batch", { long: true, names: "x" });
define("lldb", "s|source= S= o= O= k= K= p=", { names: "s S" });
define("awk gawk mawk nawk", "f|file= E|exec= l|load= i|include= F= v=", { names: "f E l i", looks: path });
define("sed gsed", "f|file= e= i=? n E r", { names: "f" });
define("node nodejs tsx ts-node bun", "r|require= import= loader= experimental-loader= e= p=", {
  long: true,
  names: "r import loader experimental-loader",
  looks: /^(?:\.{0,2}\/|data:|https?:)/,
});
define("ruby", "r= e= I= n p l a", { names: "r", looks: /^[./]/ });
define("php", "d= f= r= n", { names: "d", looks: /prepend_file=|append_file=|extension=\// });
define("openssl", "engine= provider-path= provider= in= out=", {
  long: true,
  names: "engine provider-path",
  looks: path,
});
define("gcc g++ cc c++ clang clang++", "B= fplugin= specs= o= I= L= l= D=", { long: true, names: "B fplugin specs" });
define("ld ld.gold ld.lld ld.bfd", "plugin= o=", { long: true, names: "plugin" });
define("rustc", "C= o= L=", { names: "C", looks: /^linker=/ });
define("go", "toolexec= vettool= exec= o=", { long: true, names: "toolexec vettool", looks: path });
define("pandoc", "F|filter= L|lua-filter= o= t= f=", { names: "F L", looks: path });
define("npm pnpm yarn", "script-shell= use-yarnrc= userconfig= prefix=", {
  names: "script-shell use-yarnrc userconfig",
});
define("sqlite3", "init= cmd=", { long: true, names: "init" });
define("redis-cli", "eval= h= p= n=", { names: "eval", looks: /^(?:<\(|[./])/ });

/** Programs whose operand is a file or a folder with commands in it. */
const operandLoaders = /^(?:run-parts|logrotate|anacron|supervisord|monit|ansible-playbook)$/;

/** Files that a program runs or loads because an option says so, besides the script that an interpreter is called with. */
export function findLoadedFiles({ name, words }: SimpleCommand): Word[] {
  const args = words.slice(1);
  if (operandLoaders.test(name)) return args.filter((word) => !word.text.startsWith("-"));
  if (name === "java") return args.flatMap((word) => cutAgent(word));
  const loader = loaders.get(name);
  if (loader === undefined) return [];
  const options = parseOptions(args, loader.table);
  return loader.names
    .flatMap((option) => options.values(option))
    .filter((word) => loader.looks.test(word.text))
    .map((word) => (/^[a-z_]+=/.test(word.prefix) ? cutWord(word, word.prefix.indexOf("=") + 1) : word));
}

/** Neither the project's, nor the system's, nor one of the user's own: nobody has looked at it. */
export function isForeignFile(word: Word, place: Place): boolean {
  if (/^(?:<\(|data:|https?:)/.test(word.text)) return true;
  const location = locate(word, place);
  if (location !== "outside") return location === "temporary" && !/^\/dev\/(?:null|stdin|fd\/0)$/.test(word.text);
  const isOwn =
    /^(?:~|\$HOME|\$\{HOME\})/.test(word.text) || (place.home !== undefined && word.text.startsWith(`${place.home}/`));
  return !isOwn && word.text.startsWith("/");
}

function cutAgent(word: Word): Word[] {
  const start = /^-(?:javaagent|agentpath):/.exec(word.prefix)?.[0];
  return start === undefined ? [] : [cutWord(word, start.length)];
}
