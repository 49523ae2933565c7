import { converters, type Writer } from "./code/converters.ts";
import { findOutputOptions } from "./output-options.ts";
import { cutWord, type OptionTable, optionTable, type ParsedOptions, parseOptions } from "./parse-options.ts";
import type { SimpleCommand, Word } from "./simple-command.ts";

/** The files and folders that a program would create, change or remove by what its arguments say. Redirects are not among them. */
export function findWrittenPaths(command: SimpleCommand): readonly Word[] {
  const writer = writers.get(command.name.toLowerCase()) ?? converters.get(command.name.toLowerCase());
  const found = findOutputOptions(command);
  if (writer !== undefined) found.push(...writer.paths(parseOptions(command.words.slice(1), writer.options)));
  return found.filter((word) => !(word.kind === "literal" && word.text === "-"));
}

const writers = new Map<string, Writer>();

function define(names: string, options: OptionTable, paths: Writer["paths"]): void {
  for (const name of names.split(" ")) writers.set(name, { options, paths });
}

const all = (options: ParsedOptions): readonly Word[] => options.operands;
const last = (options: ParsedOptions): readonly Word[] => options.operands.slice(1).slice(-1);
const values =
  (...names: string[]) =>
  (options: ParsedOptions): readonly Word[] =>
    names.flatMap((name) => options.values(name));

/** `-t DIR`, or the last of several operands. */
const destination = (options: ParsedOptions): readonly Word[] =>
  options.has("t") ? options.values("t") : last(options);

const copyOptions = optionTable(
  "t|target-directory= S|suffix= T|no-target-directory m|mode= o|owner= g|group= strip-program=",
);
define("cp gcp install ginstall", copyOptions, destination);
// What is moved is gone from where it was.
define("mv gmv", copyOptions, (options) =>
  options.has("t") ? [...options.operands, ...options.values("t")] : options.operands,
);
define("ln gln link", copyOptions, (options) => (options.operands.length === 1 ? [] : destination(options)));
define("install ginstall", copyOptions, (options) =>
  options.has("d", "directory") ? options.operands : destination(options),
);
define("tee gtee sponge", optionTable("a|append i|ignore-interrupts p output-error=?"), all);
define("touch gtouch", optionTable("d|date= r|reference= t= time="), all);
define("mkdir gmkdir mkfifo rmdir", optionTable("m|mode= Z|context=?"), all);
define("truncate gtruncate", optionTable("s|size= r|reference="), all);
define("unlink rm grm", optionTable(""), all);
define("shred gshred", optionTable("n|iterations= s|size= random-source="), all);
define("chattr", optionTable("v= p=", { plus: true }), (options) => options.operands.slice(-1));
define("mknod", optionTable("m|mode= Z|context=?"), (options) => options.operands.slice(0, 1));
define("patch", optionTable("p|strip= i|input= d|directory= o|output= r|reject-file="), (options) => [
  ...values("o", "d")(options),
  ...options.operands.slice(0, 1),
]);
define("dd gdd dcfldd", optionTable(""), (options) =>
  options.operands.filter((word) => word.prefix.startsWith("of=")).map((word) => cutWord(word, "of=".length)),
);
define(
  "sort gsort",
  optionTable("o|output= k|key= t|field-separator= S|buffer-size= T|temporary-directory= compress-program="),
  values("o"),
);
define("uniq", optionTable("f|skip-fields= s|skip-chars= w|check-chars="), last);
define("split gsplit", optionTable("b|bytes= C= l|lines= n|number= a|suffix-length= filter= additional-suffix="), last);
define(
  "rsync",
  optionTable("e|rsh= f|filter= exclude= include= T|temp-dir= backup-dir= log-file= password-file= B|block-size= M="),
  last,
);
define("scp", optionTable("c= F= i= J= l= o= P= S= D= X="), last);
define(
  "curl",
  optionTable(
    "o|output= output-dir= D|dump-header= c|cookie-jar= trace= trace-ascii= d|data= data-binary= data-raw= data-urlencode= F|form= H|header= X|request= T|upload-file= u|user= A|user-agent= e|referer= b|cookie= K|config= m|max-time= w|write-out= x|proxy= E|cert= C|continue-at= r|range= retry= connect-timeout= cacert= key= resolve= url= stderr= etag-save= hsts=",
  ),
  values("o", "output-dir", "D", "c", "trace", "trace-ascii", "stderr", "etag-save", "hsts"),
);
define(
  "wget",
  optionTable(
    "O|output-document= P|directory-prefix= o|output-file= a|append-output= i|input-file= U|user-agent= t|tries= T|timeout= header= post-data= post-file= e|execute=",
  ),
  values("O", "P", "o", "a"),
);
define("aria2c", optionTable("d|dir= o|out= l|log= i|input-file= x= s= j="), values("d", "o", "l"));
const tarOptions = optionTable(
  "C|directory= f|file= x|extract|get c|create r|append u|update delete t|list T|files-from= X|exclude-from= b= g= I|use-compress-program= exclude= transform= strip-components= owner= group= mode= to-command= checkpoint-action=",
);
define("tar gtar bsdtar", tarOptions, (options) => {
  if (options.has("t")) return [];
  const isOld = options.operands[0]?.kind === "literal" && !options.has("x", "c", "r", "u", "f");
  if (isOld) return findOldTarPaths(options);
  return [
    ...options.values("C").filter(() => options.has("x")),
    ...options.values("f").filter(() => options.has("c", "r", "u")),
  ];
});
define("unzip", optionTable("d= P= x="), values("d"));
define("zip", optionTable("b= i= x= t= P= n= sf"), (options) => options.operands.slice(0, 1));
define("cpio", optionTable("D|directory= F|file= O= I= E= H="), values("D", "O"));
define(
  "sed gsed",
  optionTable("i|in-place=? e|expression= f|file= n|quiet E r|regexp-extended s z u l|line-length="),
  (options) => (options.has("i") ? options.operands.slice(options.has("e", "f") ? 0 : 1) : []),
);
define("perl", optionTable("i=? e= E= n p l=# 0=# a F= I= M= m= w"), (options) =>
  options.has("i") && options.has("e", "E") ? options.operands : [],
);
define("ruby", optionTable("i=? e= n p l a F= I= r= w"), (options) =>
  options.has("i") && options.has("e") ? options.operands : [],
);
define("awk gawk", optionTable("i|include= f= F= v= e=", { stopsAtOperand: true }), (options) =>
  options.value("i")?.text === "inplace" ? options.operands.slice(options.has("f", "e") ? 0 : 1) : [],
);
define("ed ex vi vim nvim nano emacs pico", optionTable("c= s u= S= cmd= e E"), all);
define("gpg gpg2", optionTable("o|output= r|recipient= u|local-user= passphrase= homedir="), values("o"));
define(
  "openssl",
  optionTable("out= in= keyout= key= days= subj= pass= k=", { singleDashLong: true }),
  values("out", "keyout"),
);
define("ssh-keygen", optionTable("f= t= b= C= N= P= O= I= n= V= R= F= l y"), (options) =>
  options.has("y", "l", "F")
    ? []
    : values("f")(options).filter((word) => !/\/\.ssh\/(?!authorized_keys|config|known_hosts|rc$)/.test(word.text)),
);
define("setfacl setcap", optionTable("m|modify= x|remove= M= X= R b k"), all);
define(
  "find gfind",
  optionTable("fprint= fprint0= fls= fprintf=", { singleDashLong: true }),
  values("fprint", "fprint0", "fls", "fprintf"),
);
define("script", optionTable("c|command= o= E= I= O= B= T= t=?"), all);
define("strace ltrace", optionTable("o= e= p= u= s=", { stopsAtOperand: true }), values("o"));
define("pip pip3", optionTable("t|target= prefix= root= r= i= c="), values("t", "prefix", "root"));
/** `tar xzf a.tar -C /x`: the first word is a cluster without a dash, and its `f` takes the next word. */
function findOldTarPaths(options: ParsedOptions): readonly Word[] {
  const letters = options.operands[0]!.text;
  if (letters.includes("x")) return options.values("C");
  const archive = options.operands[1];
  return /[cru]/.test(letters) && letters.includes("f") && archive !== undefined ? [archive] : [];
}
