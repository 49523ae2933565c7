/** Whether a value only stands for a secret: a variable, a template, the name of one, a link, or what is already masked. */
export function isReference(value: string): boolean {
  return references.some((pattern) => pattern.test(value));
}

/** A value without quotes may also be code, even where only values are expected. */
export function isCall(value: string): boolean {
  return call.test(value);
}

/** The same where code is as likely as a value. */
export function isExpression(value: string): boolean {
  return expressions.some((pattern) => pattern.test(value));
}

const references: readonly RegExp[] = [
  // Shells, templates and configuration: $X, ${X}, $(cat x), ${{ secrets.X }}, {{ x }}, <%= x %>, #{x}, %X%, %(x)s, %s, `cat x`.
  /^\$(?:[A-Za-z_{(]|env:)|^\{\{|\$\{|\{\{|\$\(|^<%|^#\{|^%[A-Za-z_]+%$|^%\(|^%[a-z]$|^`/,
  // Placeholders for parameters: :password, {password}, <token>, @Password, [MASKED:…].
  /^:[A-Za-z_]+$|^\{[^{}]*\}$|^<[^<>]*>$|^@[A-Za-z_]+(?:$|\()|^\[[^[\]]*\]$|\[MASKED:/,
  // Patterns of sed, grep and others.
  /^(?:\.[*+]|\[\^|\(\?|\\[sSwWdDb]|(?:qr|qw|q|m|s|tr|y)[/{(|!#[]|&(?:lt|#x3c|#60);)/i,
  // What names a file or another secret: docker's `--secret id=npmrc,src=…`.
  /^(?:id|type|source|src|env|file|name)=/,
  // YAML tags, anchors and aliases; encrypted values of sops and ansible; secret stores.
  /^!(?:!|Ref|Sub|GetAtt|ImportValue|Join|Select|vault|secret|env_var|include|reference)\b|^&[a-z]+$|^\*[a-z]+$|^ENC\[|^\$ANSIBLE_VAULT|^(?:op|vault|ssm|arn|secretsmanager|secret|keyring|env|file|gcpsm|awssm|akv|ref\+\w+):/i,
  // Digests of something public, dates, places in a file, links.
  /^(?:sha(?:1|224|256|384|512)|md5|blake\w{1,4})[:-]|^\d{4}-\d\d-\d\d(?:$|[T ])|^[a-z][a-z0-9+.-]{1,20}:\/\//i,
];

/** Calls and look-ups: getToken(), os.environ["X"], new Secret(…); what minified code goes on with. */
const call = /^[A-Za-z_$][\w$]{0,60}(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]{0,60}){0,8}!?(?:[([]|\)?\}|\)[,;.)])/;

const expressions: readonly RegExp[] = [
  // Members: process.env.X, config.password, var.db_password, secrets.TOKEN.
  /^[A-Za-z_$]+(?:\d{1,5}[A-Za-z_$]*)?(?:(?:\.|::|->|\?\.)[A-Za-z_$]+(?:\d{1,5}[A-Za-z_$]*)?){1,8}[!;,)]*$/,
  // Objects, lists, regular expressions, operators, line numbers.
  /^[{[<(]|^\/\^|^\\|^=>|^\|\||^&&|^!==?|^===?|^\d+:/,
];

const placeholder =
  /^(?:your|my_?own|some|any|insert|enter|replace|put|paste|add|change|fill|set|use|todo|fixme|tbd|dummy|fake|sample|example|placeholder|redacted|masked|hidden|removed|secret_?here|token_?here|xxx|abc123|none|null|undefined|nil|false|true|nan|void|optional|required|string|number|boolean|object|unknown)(?:$|[-_ .:<>[\](){}])|(?:[-_ .]|^)(?:your|goes|here|placeholder|changeme|change-me|change_me|replaceme|example|redacted)(?:[-_ .]|$)|^change_?-?me|^(?:password|passwd|passphrase|passw0rd|secret|token|apikey|api[-_]key|access[-_]?token|client[-_]?secret|secret[-_]?key|private[-_]?key|auth[-_]?token|bearer|credentials?|testtest|\.{3}.*|.*\.{3}|.*…)$/i;

/** Whether a value is there for somebody to replace: `your-api-key`, `xxxxxxxx`, `<token>`, `********`. */
export function isPlaceholder(value: string): boolean {
  const head = value.slice(0, 200);
  return hasFewSigns(head) || placeholder.test(head);
}

/** `xxxxxxxx`, `********`, `XXXX-XXXX`, `00000000`. */
function hasFewSigns(value: string): boolean {
  return (
    countSigns(value, 3) <= 2 ||
    countSigns(value.replaceAll(/[-_. ]/g, "").toLowerCase(), 2) <= 1 ||
    /[x*•.]{6}/i.test(value)
  );
}

/** How many different signs there are; no need to count further than `enough`. */
function countSigns(text: string, enough: number): number {
  let seen = "";
  for (const sign of text) {
    if (seen.includes(sign)) continue;
    seen += sign;
    if (seen.length >= enough) break;
  }
  return seen.length;
}

/** Files, by path. A secret in base64 may begin with a slash, too, but no folder is called like that. */
export function isPath(value: string): boolean {
  if (/^[A-Za-z]:[\\/]/.test(value)) return true;
  if (!/^(?:~|\.{1,2})?\/[\w.@%+ -]+(?:\/[\w.@%+ -]*)*$/.test(value)) return false;
  return (
    !value
      .split("/")
      .some((part) => part.length >= 12 && /\d/.test(part) && /[A-Z]/.test(part) && /[a-z]/.test(part)) &&
    !/\+|=$/.test(value)
  );
}
