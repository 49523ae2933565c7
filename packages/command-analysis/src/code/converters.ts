import { type OptionTable, optionTable, type ParsedOptions, parseOptions } from "../parse-options.ts";
import type { Word } from "../simple-command.ts";

export interface Writer {
  readonly options: OptionTable;
  readonly paths: (options: ParsedOptions) => readonly Word[];
}

/** Programs that make one file from another, with the operands and options that name the result. */
export const converters = new Map<string, Writer>();

function define(names: string, options: string | OptionTable, paths: Writer["paths"]): void {
  const table = typeof options === "string" ? optionTable(options) : options;
  for (const name of names.split(" ")) converters.set(name, { options: table, paths });
}

const single = { singleDashLong: true } as const;
const last = ({ operands }: ParsedOptions): readonly Word[] => operands.slice(1).slice(-1);
const final = ({ operands }: ParsedOptions): readonly Word[] => operands.slice(-1);
const values =
  (...names: string[]) =>
  (options: ParsedOptions): readonly Word[] =>
    names.flatMap((name) => options.values(name));

// The last operand is the result.
define("convert magick composite montage mogrify gm", optionTable("", single), last);
define("ffmpeg avconv", optionTable("i= f= c= vf= af= ss= t= to= map= r= s= b= preset= crf= y n", single), final);
define(
  "sox pdftotext pdftohtml pdfunite wkhtmltopdf wkhtmltoimage sass lessc lz4 unlz4 html2text ps2pdf cwebp ditto gdal_translate ogr2ogr ebook-convert unoconv rsvg-convert dvipdf epstopdf svgo exif2 woff2_compress",
  "",
  last,
);
define("objcopy gobjcopy", "O= I= B= F= j= R= K= N= only-section= add-section= set-section-flags= S g x X", final);
define(
  "xxd",
  optionTable(
    "r|revert p|ps|postscript|plain i|include b|bits e u c|cols= l|len= s|seek= g|groupsize= o= n= R=",
    single,
  ),
  (options) => options.operands.slice(1, 2),
);
define("mktemp", "p|tmpdir=? t d u q suffix=", ({ operands }) => operands);
define("javac unsquashfs", "d= cp= f=", values("d"));
define("uudecode", "o=", values("o"));
define("unrar unar", "", (options) => options.operands.slice(2).slice(-1));
define("csplit", "f|prefix= b|suffix-format= n|digits= z s k", values("f"));
define("dos2unix unix2dos ranlib strip gstrip", "o= R= K= N= strip-unneeded g s S x d", (options) =>
  options.has("o") ? [] : options.operands,
);

// The file itself is replaced.
define(
  "gzip gunzip pigz unpigz bzip2 bunzip2 pbzip2 xz unxz lzma unlzma zstd unzstd compress uncompress brotli",
  "c|stdout|to-stdout l|list t|test S|suffix= o= T= k|keep d|decompress f|force q v n r",
  (options) => (options.has("c", "l", "t") ? [] : options.operands),
);
define("yq", "i|inplace|in-place e= P o= p=", (options) => (options.has("i") ? options.operands.slice(1) : []));

// The second of two operands, or the one after a verb.
define("ar gar", "", ({ operands }) => (/^-?[dmqrs]/.test(operands[0]?.text ?? "") ? operands.slice(1, 2) : []));
define("jar", "c|create u|update x|extract t|list f|file= C=", (options) =>
  options.has("c", "u")
    ? options.values("f")
    : /^[cu].*f/.test(options.operands[0]?.text ?? "")
      ? options.operands.slice(1, 2)
      : [],
);
define("qemu-img", "f= O= o= p c q", ({ operands }) => {
  const verb = operands[0]?.text ?? "";
  if (verb === "create" || verb === "resize") return operands.slice(1, 2);
  return verb === "convert" ? operands.slice(2).slice(-1) : [];
});
define("keytool", optionTable("keystore= alias= file= list printcert exportcert storepass=", single), (options) =>
  options.has("list", "printcert", "exportcert") ? [] : options.values("keystore"),
);

// Options of their own.
define("pg_dump pg_dumpall pg_basebackup", "f|file= D|pgdata= F= d= h= p= U= t= n=", values("f", "D"));
define("mysqldump mariadb-dump", "r|result-file= T|tab= u= h= P= p=?", values("r", "T"));
define("psql", "o|output= L|log-file= c= f= d= h= p= U= v=", values("o", "L"));
define("tcpdump tshark dumpcap", "w= i= r= c= G= C= W= z=", values("w"));
define("screen", optionTable("Logfile= L S= d m", single), values("Logfile"));
define("7z 7za 7zz", "o=", values("o"));
define("npm pnpm yarn", "prefix|dir|cwd= C= w=", (options) =>
  /^(?:i|install|add|ci|link)$/.test(options.operands[0]?.text ?? "") ? options.values("prefix") : [],
);
define("cmake", "install= prefix= B= S=", (options) => (options.has("install") ? options.values("prefix") : []));
define("cargo", "root= path= git=", (options) =>
  options.operands[0]?.text === "install" ? options.values("root") : [],
);
define(
  "tsc babel swc",
  optionTable("outDir= outFile= o= d= declarationDir= p= project=", single),
  values("outDir", "outFile", "d", "declarationDir"),
);
define("sftp", "b= o= P= i= F= J= r", last);
define("docker podman nerdctl kubectl oc", "c= n=", ({ operands }) =>
  operands[0]?.text === "cp" ? operands.slice(-1) : [],
);
define("aws gsutil gcloud rclone mc s3cmd", "", ({ operands }) =>
  operands.slice(0, 3).some((word) => /^(?:cp|copy|copyto|mv|sync|get)$/.test(word.text)) ? operands.slice(-1) : [],
);

const gitWriting: Readonly<Record<string, readonly [options: string, paths: Writer["paths"]]>> = {
  clone: [
    "b|branch= o|origin= depth= c|config= u|upload-pack= reference= template= j|jobs= filter= shallow-since=",
    last,
  ],
  init: ["b|initial-branch= template= separate-git-dir= object-format=", final],
  bundle: ["", ({ operands }) => (operands[0]?.text === "create" ? operands.slice(1, 2) : [])],
  archive: ["o|output= format= prefix= remote=", values("o")],
  "format-patch": ["o|output-directory= n= start-number=", values("o")],
  worktree: ["b= B=", ({ operands }) => (operands[0]?.text === "add" ? operands.slice(1, 2) : [])],
  "checkout-index": ["prefix=", values("prefix")],
};

define("git", optionTable("C= c= git-dir= work-tree=", { stopsAtOperand: true }), ({ operands }) => {
  const [verb, ...rest] = operands;
  const entry = verb !== undefined && Object.hasOwn(gitWriting, verb.text) ? gitWriting[verb.text] : undefined;
  return entry === undefined ? [] : entry[1](parseOptions(rest, optionTable(entry[0])));
});
