import { usage, type Usage, type UsageSettings } from "./read-only-options.ts";

/**
 * Programs none of whose options writes, runs, connects or reads a file that is not named by a word of its own: any words do.
 * Checked against GNU, BSD and busybox.
 */
export const harmless: ReadonlySet<string> = new Set(
  (
    "ls cat head cut tr basename dirname realpath readlink stat id uname whoami groups logname pwd true false : echo seq " +
    "nl tac rev fold paste join comm cmp expr factor nproc tty users expand unexpand fmt pr tsort numfmt column od " +
    "sleep exit return break continue printenv sw_vers"
  ).split(" "),
);

/**
 * Programs that only look as long as they are given these options. Left out on purpose: what writes (`sort -o`), runs (`rg --pre`,
 * `rg -z`), follows links (`du -L`, `tree -l`, `grep -R`), takes names of files from a file (`wc --files0-from`, `file -f`,
 * `md5sum -c`), or never ends (`tail -f`).
 */
export const usages: ReadonlyMap<string, Usage> = new Map([
  ...row(
    "grep egrep fgrep",
    "E|extended-regexp F|fixed-strings G|basic-regexp P|perl-regexp e|regexp= f|file=! i|ignore-case y no-ignore-case " +
      "v|invert-match w|word-regexp x|line-regexp c|count color|colour=? L|files-without-match l|files-with-matches " +
      "m|max-count= o|only-matching q|quiet|silent s|no-messages b|byte-offset H|with-filename h|no-filename label= " +
      "n|line-number T|initial-tab Z|null A|after-context= B|before-context= C|context= a|text binary-files= D|devices= " +
      "d|directories= exclude= exclude-from=! exclude-dir= I include= r|recursive line-buffered U|binary z|null-data " +
      "V|version help",
    { numbers: true },
  ),
  ...row(
    "rg",
    "e|regexp= f|file=! i|ignore-case S|smart-case s|case-sensitive w|word-regexp x|line-regexp v|invert-match F|fixed-strings " +
      "P|pcre2 U|multiline multiline-dotall c|count count-matches l|files-with-matches files-without-match o|only-matching " +
      "q|quiet n|line-number N|no-line-number H|with-filename I|no-filename column no-column heading no-heading p|pretty " +
      "vimgrep json stats no-stats files type-list color= colors= A|after-context= B|before-context= C|context= " +
      "context-separator= m|max-count= M|max-columns= max-columns-preview d|max-depth|maxdepth= max-filesize= g|glob= " +
      "iglob= glob-case-insensitive t|type= T|type-not= type-add= type-clear= r|replace= sort= sortr= j|threads= E|encoding= " +
      "a|text binary u|unrestricted hidden . no-hidden no-ignore no-ignore-vcs no-ignore-parent no-ignore-dot " +
      "no-ignore-global no-ignore-files no-ignore-messages no-require-git no-messages no-config no-follow no-pre " +
      "one-file-system trim passthru 0|null null-data crlf mmap no-mmap line-buffered block-buffered engine= b|byte-offset " +
      "dfa-size-limit= regex-size-limit= include-zero path-separator= no-unicode V|version h help",
  ),
  ...row(
    "find gfind",
    "P name= iname= path= ipath= wholename= iwholename= regex= iregex= lname= ilname= regextype= type= xtype= size= empty " +
      "mtime= mmin= atime= amin= ctime= cmin= newer= anewer= cnewer= newermt= newerat= newerct= newermm= user= group= uid= " +
      "gid= perm= links= inum= samefile= executable readable writable nouser nogroup maxdepth= mindepth= depth xdev mount " +
      "prune print print0 printf= ls quit not a and o or true false noleaf warn nowarn daystart fstype=",
    { singleDash: true },
  ),
  ...row(
    "fd fdfind",
    "H|hidden I|no-ignore no-ignore-vcs no-ignore-parent u|unrestricted s|case-sensitive i|ignore-case g|glob regex " +
      "F|fixed-strings a|absolute-path p|full-path d|max-depth= min-depth= exact-depth= E|exclude= t|type= e|extension= " +
      "S|size= changed-within= changed-before= o|owner= c|color= 0|print0 1 max-results= q|quiet j|threads= no-follow prune " +
      "one-file-system strip-cwd-prefix show-errors V|version h help",
  ),
  ...row(
    "tree",
    "a d f x q N Q p u g s h D F v t c U r n C i S A J X L=! P=! I=! inodes device du si dirsfirst filesfirst prune noreport " +
      "gitignore ignore-case matchdirs metafirst filelimit=! charset=! timefmt=! sort=! version help",
  ),
  ...row("tail", "n|lines= c|bytes= b= q|quiet|silent v|verbose z|zero-terminated r help version", { numbers: true }),
  ...row(
    "sort",
    "b|ignore-leading-blanks d|dictionary-order f|ignore-case g|general-numeric-sort h|human-numeric-sort i|ignore-nonprinting " +
      "M|month-sort n|numeric-sort R|random-sort r|reverse V|version-sort sort= c C check=? debug k|key= m|merge s|stable " +
      "S|buffer-size= t|field-separator= u|unique z|zero-terminated parallel= batch-size= help version",
  ),
  ...row("shuf", "e|echo i|input-range= n|head-count= r|repeat z|zero-terminated help version"),
  // A second operand is the file that they write; elsewhere than in GNU also one that looks like an option.
  ...row(
    "uniq",
    "c|count d|repeated D all-repeated=? group=? f|skip-fields= i|ignore-case s|skip-chars= u|unique w|check-chars= " +
      "z|zero-terminated help version",
    { stops: true, maxOperands: 1 },
  ),
  ...row(
    "xxd",
    "a autoskip b bits C capitalize c= cols= d E EBCDIC e g= groupsize= i include l= len= n= name= o= p ps plain postscript " +
      "r revert s= seek= u uppercase R= v version h help",
    { singleDash: true, stops: true, maxOperands: 1 },
  ),
  ...row(
    "base64 base32 basenc",
    "d|decode D i|ignore-garbage w|wrap= base64 base64url base32 base32hex base16 z85 help version",
    {
      stops: true,
      maxOperands: 1,
    },
  ),
  ...row("iconv", "f|from-code= t|to-code= l|list c s|silent help version"),
  ...row("wc", "c|bytes m|chars l|lines L|max-line-length w|words total= help version"),
  ...row(
    "du",
    "a|all apparent-size B|block-size= b|bytes c|total d|max-depth= h|human-readable si k l|count-links m P|no-dereference " +
      "s|summarize S|separate-dirs t|threshold= time=? time-style= x|one-file-system 0|null exclude= help version",
  ),
  ...row(
    "df",
    "a|all B|block-size= h|human-readable H|si i|inodes k l|local m no-sync output=? P|portability t|type= T|print-type " +
      "x|exclude-type= total v help version",
  ),
  // `-r` follows links in the folders unless told not to: see the check.
  ...row(
    "diff",
    "normal q|brief s|report-identical-files c C|context=? u U|unified=? e|ed n|rcs y|side-by-side W|width= left-column " +
      "suppress-common-lines p|show-c-function F|show-function-line= label= L= t|expand-tabs T|initial-tab tabsize= " +
      "r|recursive no-dereference N|new-file unidirectional-new-file ignore-file-name-case x|exclude= S|starting-file= " +
      "i|ignore-case E|ignore-tab-expansion Z|ignore-trailing-space b|ignore-space-change w|ignore-all-space " +
      "B|ignore-blank-lines I|ignore-matching-lines= a|text strip-trailing-cr D|ifdef= d|minimal horizon-lines= " +
      "speed-large-files color=? palette= help v|version",
    { numbers: true },
  ),
  ...row(
    "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum",
    "b|binary t|text tag untagged z|zero l|length= a|algorithm= base64 raw debug r s|sysv help version",
  ),
  ...row("shasum", "a|algorithm= b|binary t|text U|UNIVERSAL 0|01 p|portable h|help v|version"),
  ...row("md5", "q r s="),
  ...row(
    "file",
    "b|brief i|mime mime-type mime-encoding k|keep-going h|no-dereference N|no-pad r|raw 0|print0 E F|separator= e|exclude= extension apple v|version help",
  ),
  ...row("hexdump hd", "b c C d e= n= o s= v x L|color=?"),
  ...row(
    "strings",
    "a|all f|print-file-name n|bytes= t|radix= e|encoding= o w|include-all-whitespace d|data s|output-separator= v|version help",
  ),
  ...row(
    "nm",
    "A|print-file-name o a|debug-syms C|demangle=? D|dynamic f|format= g|extern-only n|numeric-sort v p|no-sort P|portability r|reverse-sort S|print-size s|print-armap u|undefined-only defined-only size-sort V|version",
  ),
  ...row("size", "A B d o x f|format= t|totals radix= V|version"),
  ...row(
    "readelf",
    "a|all h|file-header l|program-headers|segments S|section-headers|sections g t e|headers s|syms|symbols dyn-syms n|notes r|relocs u|unwind d|dynamic V|version-info A|arch-specific W|wide T C|demangle=? x|hex-dump= p|string-dump= v|version",
  ),
  ...row(
    "objdump",
    "a|archive-headers f|file-headers p|private-headers h|headers|section-headers x|all-headers d|disassemble D|disassemble-all r|reloc R|dynamic-reloc s|full-contents t|syms T|dynamic-syms j|section= M|disassembler-options= C|demangle=? w|wide no-show-raw-insn show-raw-insn z|disassemble-zeroes V|version",
  ),
  ...row("zcat bzcat xzcat", ""),
  ...row(
    "jq",
    "n|null-input r|raw-output raw-output0 j|join-output a|ascii-output s|slurp c|compact-output C|color-output " +
      "M|monochrome-output S|sort-keys R|raw-input e|exit-status tab indent= unbuffered stream stream-errors seq arg== argjson== " +
      "args jsonargs h|help V|version",
  ),
  ...row(
    "yq",
    "P|prettyPrint o|output-format= p|input-format= r|raw-output N|no-doc j C|colors M|no-colors I|indent= e|exit-status V|version h",
  ),
  ...row("date", "d|date= r|reference= I|iso-8601=? R|rfc-email rfc-3339= u|utc|universal resolution help version", {
    maxOperands: 1,
  }),
  ...row("hostname", "s|short I|all-ip-addresses", { maxOperands: 0 }),
  ...row("arch", "", { maxOperands: 0 }),
  ...row("cal", "1 3 y j s m"),
  ...row(
    "who",
    "a|all b|boot d|dead H|heading l|login m p|process q|count r|runlevel s|short t|time T|w|mesg|message u|users",
    {
      maxOperands: 0,
    },
  ),
  ...row("w", "h s f o u", { maxOperands: 1 }),
  ...row("uptime", "p|pretty s|since V|version", { maxOperands: 0 }),
  ...row("free", "b|bytes k|kibi m|mebi g|gibi h|human si l|lohi t|total w|wide V|version", { maxOperands: 0 }),
  ...row(
    "lsblk",
    "a|all b|bytes d|nodeps D|discard e|exclude= f|fs i|ascii I|include= J|json l|list m|perms n|noheadings o|output= O|output-all p|paths P|pairs r|raw s|inverse S|scsi t|topology x|sort=",
  ),
  ...row("lscpu", "a|all b|online c|offline J|json e|extended=? p|parse=? x|hex y|physical B|bytes", {
    maxOperands: 0,
  }),
  ...row("lsusb", "t|tree s= d= V|version", { maxOperands: 0 }),
  ...row("lspci", "v n k m t D b s= d=", { maxOperands: 0 }),
  ...row(
    "pgrep",
    "a|list-full l|list-name c|count d|delimiter= f|full g|pgroup= G|group= i|ignore-case n|newest o|oldest P|parent= s|session= t|terminal= u|euid= U|uid= v|inverse w|lightweight x|exact V|version",
  ),
  ...row("pidof", "s c q w x o= S="),
  // `-u xe` falls back to the other dialect, where `e` shows the environment of every process.
  ...row(
    "ps",
    "A a d e f F H j l L y w T N c o=! p=! q=! u=! U=! C=! g=! G=! t=! s=! sort=! ppid=! pid=! user=! no-headers headers cols=! columns=! width=! forest format=!",
  ),
  ...row(
    "ss",
    "t|tcp u|udp l|listening n|numeric p|processes a|all x|unix 4|ipv4 6|ipv6 s|summary i|info m|memory o|options e|extended H|no-header",
    {
      maxOperands: 0,
    },
  ),
  ...row(
    "netstat",
    "t|tcp u|udp l|listening n|numeric p|program a|all r|route i|interfaces s|statistics 4 6 x|unix e|extend W|wide",
    {
      maxOperands: 0,
    },
  ),
  ...row("getconf", "a"),
  ...row("locale", "a|all-locales m|charmaps c|category-name k|keyword-name"),
  ...row("which", "a|all"),
  ...row("type", "a f p t P"),
  ...row("whereis", "b m s u l"),
  ...row("tokei", "f|files e|exclude= o|output= s|sort= t|type= l|languages C|compact hidden no-ignore V|version"),
  ...row("cd", "L P e", { maxOperands: 1 }),
]);

function row(names: string, options: string, settings: UsageSettings = {}): [string, Usage][] {
  const table = usage(options, settings);
  return names.split(" ").map((name) => [name, table]);
}

/**
 * Asking for the version, and with which words. Not those that first look at the folder they are in: a toolchain or a package
 * manager that it names would be fetched or run (cargo, rustc, go, yarn, pnpm, composer, terraform).
 */
export const versions: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    node: "--version -v",
    npm: "--version -v",
    npx: "--version",
    bun: "--version",
    deno: "--version",
    python: "--version -V",
    python3: "--version -V",
    pip: "--version -V",
    pip3: "--version -V",
    ruby: "--version -v",
    gem: "--version",
    perl: "--version -v",
    java: "--version -version",
    javac: "--version -version",
    gcc: "--version",
    "g++": "--version",
    clang: "--version",
    cmake: "--version",
    make: "--version",
    docker: "--version",
    bash: "--version",
    zsh: "--version",
    curl: "--version -V",
    wget: "--version -V",
    psql: "--version -V",
    sqlite3: "--version",
    mysql: "--version -V",
    ffmpeg: "-version",
    sed: "--version",
    awk: "--version",
    gawk: "--version",
  }).map(([name, words]) => [name, new Set(words.split(" "))]),
);
