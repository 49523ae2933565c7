import {
  parse,
  type ArithmeticExpression,
  type ParsedScript,
  type SyntaxNode,
  type Word as SyntaxWord,
  type WordPart,
} from "unbash";
import { bareCommand, type Input, type SimpleCommand } from "../../simple-command.ts";
import { evaluateArithmetic } from "./arithmetic.ts";
import { numbersAssigned } from "./assigned-names.ts";
import { expandBraces } from "./expand-shell-braces.ts";
import { expandParameter, lookUp, type Expansion } from "./expand-parameter.ts";
import { joinFields, type Piece } from "./join-fields.ts";
import { addFinding, dynamic, excerpt, type Output, type Scope, type ShellWord } from "../scope.ts";
import { visitEmbedded } from "../visit-embedded.ts";

interface Walked {
  readonly output: Output;
  readonly commands: readonly SimpleCommand[];
}

interface Position {
  readonly isQuoted: boolean;
  /** The text that the part stands in. */
  readonly source: string;
}

/** Takes the shell's own quoting and expansion off the words of one command, and walks what runs inside them. */
export class WordExpander {
  /** Every command that runs inside the words so far. */
  readonly substitutions: SimpleCommand[] = [];
  private readonly scope: Scope;
  private readonly walked = new Map<ParsedScript, Walked>();
  /** What braces made looks like an assignment only to us: bash has judged the word before. */
  private isFromBraces = false;

  constructor(scope: Scope) {
    this.scope = scope;
  }

  /** The arguments that a word becomes: none, one or many. */
  expand(word: SyntaxWord): ShellWord[] {
    if (!word.parts?.some(({ type }) => type === "BraceExpansion")) return this.fields(word, this.scope.source);
    const texts = expandBraces(word.text);
    if (texts === null) {
      this.embedded(word.parts);
      return [dynamic(word.text)];
    }
    if (texts.length === 1 && texts[0] === word.text) return this.fields(word, this.scope.source);
    return texts.flatMap((text) => this.reread(text));
  }

  /** One argument, whatever it holds: values of assignments, here-strings, targets of redirects. */
  single(word: SyntaxWord): ShellWord {
    const pieces = this.pieces(word, this.scope.source).map((piece) => ({ ...piece, splits: false }));
    return joinFields(pieces, "")[0] ?? { text: "", kind: "literal", prefix: "" };
  }

  /** The text of a word; null when it is not known. */
  text(word: SyntaxWord): string | null {
    const { text, kind } = this.single(word);
    return kind === "dynamic" ? null : text;
  }

  hereDocument(text: string, parts: readonly WordPart[] | undefined): ShellWord {
    if (!parts) {
      const plain = unescapeHereDocument(text);
      return { text: plain, kind: "literal", prefix: plain };
    }
    const pieces = parts.flatMap((part): Piece[] =>
      part.type === "Literal"
        ? [{ text: unescapeHereDocument(part.text), kind: "literal", isQuoted: true }]
        : this.part(part, { isQuoted: true, source: this.scope.source }),
    );
    return joinFields(pieces, "")[0] ?? { text: "", kind: "literal", prefix: "" };
  }

  /** Walks what runs inside words whose own value does not matter. */
  embed(nodes: readonly SyntaxNode[]): void {
    this.embedded(nodes);
  }

  evaluateArithmetic(body: string, expression: ArithmeticExpression | undefined): void {
    this.arithmetic(body, expression, { isQuoted: true, source: this.scope.source });
  }

  private reread(text: string): ShellWord[] {
    // `:` holds the place of a program, so that the text is read as an argument.
    const source = `: ${text}`;
    const command = parse(source).commands[0]?.command;
    const [word, ...rest] = command?.type === "Command" ? command.suffix : [];
    if (text === "") return [];
    if (word?.type !== "Word" || rest.length > 0) return [dynamic(text)];
    this.isFromBraces = true;
    const fields = this.fields(word, source);
    this.isFromBraces = false;
    return fields;
  }

  private fields(word: SyntaxWord, source: string): ShellWord[] {
    if (!word.parts && !/[\\~]/.test(word.text)) return [{ text: word.text, kind: "literal", prefix: word.text }];
    const separators = lookUp("IFS", this.scope);
    const pieces = this.pieces(word, source);
    if (separators?.kind !== "text") {
      // How words are split is not known, so neither is what they become.
      const isSplit = pieces.some(({ splits, kind }) => splits && kind === "literal");
      return isSplit ? [dynamic(word.text)] : joinFields(pieces, " \t\n");
    }
    return joinFields(pieces, separators.text);
  }

  private pieces(word: SyntaxWord, source: string): Piece[] {
    const { parts } = word;
    if (!parts) return this.tilde(word.text, word.value, true);
    return parts.flatMap((part, n) =>
      n === 0 && part.type === "Literal"
        ? this.tilde(part.text, part.value, parts.length === 1)
        : this.part(part, { isQuoted: false, source }),
    );
  }

  /**
   * `~` and what follows it up to a slash counts where nothing of it is quoted, also behind `name=`. `~` and `~+` are known; whose
   * home `~name` is, and what `~-` and `~1` stand for, only the shell knows.
   */
  private tilde(raw: string, value: string, isWhole: boolean): Piece[] {
    const plain: Piece = { text: value, kind: "literal", isQuoted: isEscaped(raw, value) };
    const [, before = "", name] = /^([A-Za-z_]\w*=)?~([\w.+-]*)(?=\/|$)/.exec(raw.replaceAll("\\\n", "")) ?? [];
    if (name === undefined || (!isWhole && !value.includes("/"))) return [plain];
    if (before !== "" && this.isFromBraces) return [plain];
    const start = `${before}~${name}`;
    const rest: Piece = { ...plain, text: value.slice(start.length) };
    const folder = name === "" || name === "+" ? lookUp(name === "" ? "HOME" : "PWD", this.scope) : undefined;
    if (folder?.kind === "text") return [{ ...plain, text: before + folder.text + rest.text }];
    return [{ ...plain, text: before }, { text: `~${name}`, kind: "unknown", isQuoted: true }, rest];
  }

  private part(part: WordPart, at: Position): Piece[] {
    switch (part.type) {
      case "Literal":
        return [{ text: part.value, kind: "literal", isQuoted: at.isQuoted || isEscaped(part.text, part.value) }];
      case "SingleQuoted":
      case "AnsiCQuoted":
        return [{ text: part.value, kind: "literal", isQuoted: true }];
      case "DoubleQuoted":
      case "LocaleString": {
        const inner = part.parts.flatMap((child) => this.part(child, { ...at, isQuoted: true }));
        // `"$@"` without arguments is no word at all, `""` is an empty one.
        const isList = part.parts.length === 1 && /^"\$(?:@|\{[^}]*@\]?\})"$/.test(part.text);
        return isList ? inner : [{ text: "", kind: "literal", isQuoted: true }, ...inner];
      }
      case "Glob":
      case "ExtendedGlob":
        if (part.parts) this.embedded(part.parts, at.source);
        return [{ text: part.text, kind: "glob", isQuoted: at.isQuoted }];
      case "BraceExpansion":
        if (part.parts) this.embedded(part.parts, at.source);
        return [{ text: part.text, kind: "literal", isQuoted: true }];
      case "SimpleExpansion":
        return toPieces(lookUp(part.text.replace(/^\$(?:\\\n)*/, ""), this.scope), part.text, at.isQuoted);
      case "ParameterExpansion":
        return this.parameter(part, at);
      case "CommandExpansion":
        return this.command(part, at);
      case "ArithmeticExpansion":
        return this.arithmetic(part.text, part.expression, at);
      case "ProcessSubstitution":
        return this.process(part, at.source);
    }
  }

  private parameter(part: Extract<WordPart, { type: "ParameterExpansion" }>, at: Position): Piece[] {
    const expansion = expandParameter(part, this.scope, (word) => this.text(word));
    // What was not needed for the value may still run.
    this.embedded([part], at.source);
    if (/^\$\{[!#]?\w+(?:\[|:\s*[^-+=?\s])/.test(part.text) && /['"\\][^'"]*(?:\$\(|`)/.test(part.text)) {
      const reason = "A subscript or an offset runs the commands that stand in it.";
      addFinding(this.scope, { verdict: "unknown", rule: "shell.hidden-substitution", reason }, excerpt(part.text));
    }
    if (part.operation?.type === "Transform" && part.operation.operand.text === "P" && expansion.kind === "unknown") {
      const reason = "${…@P} runs whatever commands the variable's text holds.";
      addFinding(this.scope, { verdict: "unknown", rule: "shell.prompt-expansion", reason }, part.text);
    }
    return toPieces(expansion, part.text, at.isQuoted);
  }

  private command(part: Extract<WordPart, { type: "CommandExpansion" }>, at: Position): Piece[] {
    if (!part.script) return toPieces({ kind: "unknown", isTainted: true }, part.text, at.isQuoted);
    const output = this.walk(part.script, at.source).output;
    if (output === null) return toPieces({ kind: "unknown", isTainted: true }, part.text, at.isQuoted);
    return toPieces({ kind: "text", text: output.replace(/\n+$/, "") }, part.text, at.isQuoted);
  }

  private process(part: Extract<WordPart, { type: "ProcessSubstitution" }>, source: string): Piece[] {
    if (!part.script) return [{ text: part.text, kind: "unknown", isQuoted: true }];
    const { output, commands } = this.walk(part.script, source, part.operator === ">" ? fedByUnknown : undefined);
    if (part.operator === ">") return [{ text: part.text, kind: "unknown", isQuoted: true }];
    const process: Input = output === null ? { kind: "commands", commands } : { kind: "text", text: output };
    return [{ text: part.text, kind: "unknown", isQuoted: true, process }];
  }

  private arithmetic(text: string, expression: ArithmeticExpression | undefined, at: Position): Piece[] {
    if (expression) this.embedded([expression], at.source);
    if (hidesSubstitution(text)) {
      const reason = "Arithmetic runs the commands in the subscripts of what it evaluates.";
      addFinding(this.scope, { verdict: "unknown", rule: "shell.hidden-substitution", reason }, excerpt(text));
    }
    const value = evaluateArithmetic(expression, (name) => {
      const found = lookUp(name, this.scope);
      return found?.kind === "text" ? found.text : null;
    });
    return toPieces(value === null ? undefined : { kind: "text", text: String(value) }, text, at.isQuoted);
  }

  private embedded(nodes: readonly SyntaxNode[], source = this.scope.source): void {
    visitEmbedded(nodes, (script) => this.walk(script, source));
    const assignments = numbersAssigned(nodes).map((name) => ({ name, value: dynamic("") }));
    if (assignments.length > 0) this.scope.gathered.commands.push({ ...bareCommand, assignments, via: this.scope.via });
  }

  private walk(script: ParsedScript, source: string, input = this.scope.input): Walked {
    const known = this.walked.get(script);
    if (known) return known;
    const { gathered, variables, nesting, walker } = this.scope;
    const before = gathered.commands.length;
    const output = walker.walkScript(script, {
      ...this.scope,
      source: script.source ?? source,
      variables: variables.fork(),
      nesting: nesting + 1,
      input,
    });
    const walked = { output, commands: gathered.commands.slice(before) };
    this.substitutions.push(...walked.commands);
    this.walked.set(script, walked);
    return walked;
  }
}

/** What the command around `>( )` will write into it. */
const fedByUnknown: Input = { kind: "commands", commands: [] };

/** `a[$(…)]` in quotes: harmless text, until arithmetic or a builtin evaluates it. */
export function hidesSubstitution(text: string): boolean {
  return /[A-Za-z_]\w*\[[^\n]*(?:\$\(|`|\$\{[ |])/.test(text) && /['"\\]/.test(text);
}

/** A line that goes on leaves nothing behind, not even an empty word. */
function isEscaped(raw: string, value: string): boolean {
  return value !== "" && raw !== value;
}

function toPieces(expansion: Expansion | undefined, raw: string, isQuoted: boolean): Piece[] {
  if (expansion?.kind === "unknown" && expansion.glob !== undefined) {
    return [{ text: expansion.glob, kind: "glob", isQuoted }];
  }
  if (expansion === undefined || expansion.kind === "unknown") {
    const isTainted = expansion?.isTainted === true;
    return [{ text: raw, kind: "unknown", isQuoted, splits: !isQuoted, isTainted }];
  }
  if (expansion.kind === "text") return [{ text: expansion.text, kind: "literal", isQuoted, splits: !isQuoted }];
  if (isQuoted && expansion.isJoined) return [{ text: expansion.items.join(" "), kind: "literal", isQuoted }];
  return expansion.items.flatMap((text, n): Piece[] => {
    const piece: Piece = { text, kind: "literal", isQuoted, splits: !isQuoted };
    return n === 0 ? [piece] : [{ text: "", kind: "break", isQuoted }, piece];
  });
}

function unescapeHereDocument(text: string): string {
  return text.replace(/\\([$`\\\n])/g, (_, character: string) => (character === "\n" ? "" : character));
}
