import type { Language } from "./interpreters.ts";
import { type OptionTable, optionTable } from "../parse-options.ts";

interface Entry {
  readonly language: Language;
  readonly options: OptionTable;
  /** Options whose value is code. */
  readonly code: readonly string[];
  /** Options after which neither a script nor stdin is read as code. */
  readonly silent: readonly string[];
  /** The first operand that is code. */
  readonly codeOperand?: number;
  /** The option that names a file with code; operands are then not scripts. */
  readonly script?: string;
  readonly fileOption?: string;
}

export const interpreterTable = new Map<string, Entry>();

type Extra = Pick<Entry, "codeOperand" | "script" | "fileOption"> & { readonly silent?: string };

function define(names: string, entry: { language: Language; options: OptionTable; code: string } & Extra): void {
  const { code, silent, ...rest } = entry;
  const value: Entry = {
    ...rest,
    code: code === "" ? [] : code.split(" "),
    silent: silent === undefined ? [] : silent.split(" "),
  };
  for (const name of names.split(" ")) interpreterTable.set(name, value);
}

const stops = { stopsAtOperand: true } as const;
const words = { stopsAtOperand: true, singleDashLong: true } as const;

export const shellOptions = optionTable(
  "c i l r s D x e u v n f m a b h k p t B C E H P T o= O= rcfile= init-file= norc noprofile posix login restricted command= N no-config private d= interactive",
  { stopsAtOperand: true, plus: true },
);

export const fishOptions = optionTable("c|command= C|init-command= d= o= f= i l n N|no-config P v", stops);

define("sh bash zsh dash ksh ksh93 mksh fish ash rbash csh tcsh yash oksh hush elvish nu xonsh", {
  language: "shell",
  options: shellOptions,
  code: "c",
});
define("python pypy ipython python2w pythonw jython micropython bpython sage", {
  language: "python",
  options: optionTable("c= m= W= X= check-hash-based-pycs= B b d E h i I O q s S u v V|version x P R help", stops),
  code: "c",
  silent: "m V h help",
});
define("node nodejs bun tsx ts-node electron iojs qjs zx", {
  language: "javascript",
  options: optionTable(
    "e|eval= p|print= pe= r|require= import= loader= experimental-loader= C|conditions= env-file= input-type= c|check v|version h|help test cwd= P|project= O= T|transpile-only",
    words,
  ),
  code: "e p pe",
  silent: "v h test",
});
define("perl", {
  language: "perl",
  options: optionTable("e= E= n p i=? l=# 0=# a F= I= M= m= w W X t T u U v V=? s S x=? c d D=# C=# h", stops),
  code: "e E",
  silent: "v V h c",
});
define("ruby jruby irb truffleruby", {
  language: "ruby",
  options: optionTable("e= n p i=? l 0=# a F=? I= r= w W=# s S c x=? C= E= T=# v|version h|help", stops),
  code: "e",
  silent: "v h",
});
define("php php-cgi hhvm", {
  language: "php",
  options: optionTable(
    "r|run= f|file= B|process-begin= R|process-code= E|process-end= d|define= c= n q z= S|server= t= a v|version i|info m|modules l|syntax-check= h|help ini rf= rc=",
    stops,
  ),
  code: "r B R E",
  silent: "v i m S l h",
});
define("lua luajit texlua", { language: "lua", options: optionTable("e= l= i v E W=", stops), code: "e", silent: "v" });
define("awk gawk mawk nawk original-awk goawk", {
  language: "awk",
  options: optionTable(
    "F|field-separator= v|assign= f|file= e|source= i|include= l|load= E|exec= b c O P S h V|version",
    stops,
  ),
  code: "e",
  codeOperand: 0,
  fileOption: "f",
});
define("sed gsed", {
  language: "sed",
  options: optionTable(
    "n|quiet|silent e|expression= f|file= i|in-place=? E r|regexp-extended s|separate u|unbuffered z|null-data l|line-length= posix debug sandbox",
  ),
  code: "e",
  codeOperand: 0,
  fileOption: "f",
});
define("osascript", { language: "applescript", options: optionTable("e= l= s= i", stops), code: "e" });
define("powershell pwsh", { language: "powershell", options: optionTable(""), code: "" });
define("psql usql pgcli cockroach-sql", {
  language: "sql",
  options: optionTable(
    "c|command= f|file= d|dbname= h|host= p|port= U|username= v|set|variable= o|output= P|pset= F|field-separator= R|record-separator= T|table-attr= L|log-file= l|list V|version",
  ),
  code: "c",
  script: "f",
  silent: "l V",
});
define("mysql mariadb mycli litecli", {
  language: "sql",
  options: optionTable(
    "e|execute= h|host= P|port= u|user= p|password=? D|database= S|socket= init-command= default-character-set= defaults-file= defaults-extra-file= ssl-ca= ssl-mode= protocol= V|version",
  ),
  code: "e init-command",
  script: "source-file",
  silent: "V",
});
define("sqlite3 sqlite sqlcipher litestream-sql", {
  language: "sql",
  options: optionTable("cmd= init= separator= newline= nullvalue= vfs= mmap= maxsize= version help", {
    singleDashLong: true,
  }),
  code: "cmd",
  codeOperand: 1,
});
define("duckdb", {
  language: "sql",
  options: optionTable("c= s= cmd= init= separator= nullvalue= readonly f=", { singleDashLong: true }),
  code: "c s cmd",
  codeOperand: 1,
});
define(
  "clickhouse-client clickhouse-local cqlsh sqlcmd snowsql impala-shell hive beeline presto trino isql vsql monetdb bteq spark-sql ksql sqlplus mssql-cli",
  {
    language: "sql",
    options: optionTable(
      "q|query|execute|e= Q= f|file= h|host= p|port= u|user= P= d|database= S= U= k|keyspace= i= o|output= n|multiquery",
    ),
    code: "q Q",
    script: "f",
  },
);
define("mongosh mongo", {
  language: "mongo",
  options: optionTable("eval= f|file= host= port= u|username= p|password= authenticationDatabase= quiet norc version"),
  code: "eval",
  script: "f",
  silent: "version",
});
define("redis-cli valkey-cli keydb-cli", {
  language: "redis",
  options: optionTable("h= p= a= n= u= s= x raw eval= user= pass= r= i= tls no-auth-warning", stops),
  code: "",
});
define(
  "rscript r julia elixir erl ghc ghci runghc runhaskell groovy scala scala-cli swift octave octave-cli matlab kotlin kotlinc clojure clj bb guile racket sbcl clisp ecl ccl chez scheme gsi mit-scheme chibi-scheme janet fennel hy wolframscript maxima gp swipl crystal ocaml raku perl6 nim dart jshell csi csharp dotnet-script gosh gst newlisp picolisp gforth",
  {
    language: "other",
    options: optionTable("e|eval|E|c|execute|-eval|batch|code|g|r|x= l= v|version slave vanilla no-save script", {
      stopsAtOperand: true,
      singleDashLong: true,
    }),
    code: "e",
    silent: "v",
  },
);
define("cypher-shell", {
  language: "sql",
  options: optionTable("a|address= u|username= p|password= d|database= f|file= P|param= format= version"),
  code: "",
  codeOperand: 0,
  fileOption: "f",
});
define("tclsh wish expect jimsh", { language: "tcl", options: optionTable("c= f= b d i n N", stops), code: "c" });
define("emacs emacsclient", {
  language: "other",
  options: optionTable(
    "eval|e|execute= l|load|script= f|funcall= batch Q|q|nw a|alternate-editor= s|socket-name= t c n",
    {
      singleDashLong: true,
    },
  ),
  code: "eval",
  script: "l",
});
