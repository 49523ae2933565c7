/** How a program that starts another one is called. */
export interface Wrapper {
  /** As for `optionTable`. */
  readonly options: string;
  /** Operands before the command: the duration of timeout, the root of chroot. */
  readonly skip?: number;
  /** Options also stand after the skipped operands (`ssh host -p 22 …`). */
  readonly again?: boolean;
  /** Options stand anywhere, and operands are not a command: only `code` is. */
  readonly anywhere?: boolean;
  /** Options whose value is shell text. */
  readonly code?: readonly string[];
  /** The rest is put together to one shell text. `one`: only when it is one word; `each`: every word is a text of its own. */
  readonly joins?: "always" | "one" | "each";
  /** With one of these options no command is started. */
  readonly unless?: readonly string[];
  /** With one of these options the rest is taken word by word after all. */
  readonly exact?: readonly string[];
  /** `NAME=value` may stand before the command. */
  readonly assigns?: boolean;
  /** `--` starts the command, wherever it stands. */
  readonly afterDashes?: boolean;
  /** An option that replaces the program, the operands being its arguments. */
  readonly program?: string;
  /** Always danger by itself. */
  readonly privilege?: string;
  /** It changes nothing beyond what the command does. */
  readonly isPlain?: boolean;
  /** Its commands, each with the way it is called; `options` are those before the name. */
  readonly subcommands?: Readonly<Record<string, Wrapper>>;
}

export const plain = (options: string, more: Omit<Wrapper, "options" | "isPlain"> = {}): Wrapper => ({
  options,
  isPlain: true,
  ...more,
});
export const runs = (options: string, more: Omit<Wrapper, "options"> = {}): Wrapper => ({ options, ...more });
