import { TextDecoder } from "node:util";
import { FetchProblem } from "./url-verdict.ts";

/** What a server says about its body. */
export interface ContentType {
  /** `text/html`; empty when it says nothing. */
  readonly mediaType: string;
  readonly charset: string | undefined;
}

export function parseContentType(header: string | undefined): ContentType {
  const [mediaType = "", ...parameters] = (header ?? "").split(";").map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset\s*=/i.test(parameter));
  return {
    mediaType: mediaType.toLowerCase(),
    charset: charset?.replace(/^[^=]*=\s*/, "").replaceAll(/^["']|["']$/g, ""),
  };
}

/** False: not worth reading. Where the server says nothing, the body itself has to show it. */
export function mayBeText({ mediaType }: ContentType): boolean {
  return mediaType === "" || mediaType === "*/*" || textTypes.test(mediaType);
}

const textTypes =
  /^(?:text\/[\w.+-]+|[\w.+-]+\/[\w.+-]*\+(?:json|xml|yaml|text)|application\/(?:x-)?(?:json|xml|xhtml|javascript|ecmascript|typescript|yaml|toml|graphql|sql|sh|shellscript|httpd-php|python|perl|ruby|ndjson|jsonl|jsonlines|json5|json-seq|www-form-urlencoded|tex|latex|subrip|mpegurl|wiki|markdown|pem-file|pgp-signature|dns-json|xml-dtd|xml-external-parsed-entity))$/;

/** The text of a body, in the encoding that it names itself. Refuses what is no text, whatever its type says. */
export function decodeText(body: Buffer, type: ContentType): string {
  const label = labelOfMark(body) ?? type.charset ?? labelInside(body, type);
  const decoder = createDecoder(label);
  if (!decoder.encoding.startsWith("utf-16") && looksBinary(body)) {
    throw new FetchProblem("fetch.type", "The body is not text.");
  }
  return decoder.decode(body);
}

function createDecoder(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder(); // an encoding that nobody knows: most pages are UTF-8 anyway
  }
}

function labelOfMark(body: Buffer): string | undefined {
  if (body[0] === 0xff && body[1] === 0xfe) return "utf-16le";
  if (body[0] === 0xfe && body[1] === 0xff) return "utf-16be";
  return undefined;
}

/** As a page declares it: `<meta charset=…>`, `<?xml encoding=…?>`, `@charset`. */
function labelInside(body: Buffer, { mediaType }: ContentType): string {
  if (!/html|xml|css|^$/.test(mediaType)) return "utf-8";
  return /(?:charset|encoding)\s*=?\s*["']?\s*([\w-]+)/i.exec(body.toString("latin1", 0, 1024))?.[1] ?? "utf-8";
}

const examinedBytes = 64 * 1024;
const signatures = [
  "%PDF-",
  "\u0089PNG",
  "GIF8",
  "\u00ff\u00d8\u00ff",
  "PK\u0003\u0004",
  "\u007fELF",
  "\u001f\u008b",
  "BZh",
  "\u00fd7zXZ",
  "7z\u00bc\u00af",
  "Rar!",
  "OggS",
  "fLaC",
  "\u0000asm",
];

function looksBinary(body: Buffer): boolean {
  const beginning = body.subarray(0, examinedBytes);
  const start = beginning.toString("latin1", 0, 8);
  if (signatures.some((signature) => start.startsWith(signature))) return true;
  let controls = 0;
  for (const byte of beginning) {
    if (byte === 0) return true;
    if (byte < 0x20 && !(byte >= 0x07 && byte <= 0x0d) && byte !== 0x1b) controls++;
  }
  return controls > beginning.length / 10;
}
