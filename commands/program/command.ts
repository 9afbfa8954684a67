import type { InferredOptionTypes, Options, PositionalOptions } from "yargs";
import type { ExitCode } from "./exit-codes.ts";

/** What a command found or did. */
export interface Outcome {
  /** For people: one or more lines. */
  readonly text: string;
  /** The same for programs, as JSON. */
  readonly data: unknown;
  /** Default: 0. */
  readonly exitCode?: ExitCode;
}

/** The outcome of a command that has only a message. */
export const told = (text: string): Outcome => ({ text, data: { message: text } });

/** A command of `moraine`. All commands have the same form of help. */
export interface Command<
  Named extends Readonly<Record<string, Options>> = Readonly<Record<string, Options>>,
  Placed extends Readonly<Record<string, PositionalOptions>> = Readonly<Record<string, PositionalOptions>>,
> {
  /** Name, with the command that it is below, such as `keys create`. */
  readonly name: string;
  /** One line without a full stop. */
  readonly summary: string;
  /** Sentences that follow the summary in the help of the command. Default: none. */
  readonly details?: string;
  /** Whether Moraine may run meanwhile. */
  readonly service: string;
  /** How long the command takes. */
  readonly duration: string;
  /** Arguments without a name, in their order. Default: none. */
  readonly placed?: Placed;
  readonly options?: Named;
  /** Command lines without `moraine`. */
  readonly examples: readonly string[];
  /** Exit codes that have a narrower meaning than in `EXIT_CODES`. */
  readonly exitCodes?: Readonly<Partial<Record<ExitCode, string>>>;
  /** True for a command of developers, which the list of commands leaves out. */
  readonly isHidden?: boolean;
  /** False if the command reads no settings, so that it has no flags for them. Default: true. */
  readonly hasSettings?: boolean;
  /** False if the command returns no outcome, so that it has no option `--json`. Default: true. */
  readonly hasResult?: boolean;
  /**
   * Runs the command. `flags` are those of settings, for `loadConfig`. Returns what is printed, or nothing if the command has printed all.
   * Errors that a person can mend are `ConfigError`s or others of `expectedMessage`.
   */
  run(
    values: InferredOptionTypes<Named> & InferredOptionTypes<Placed>,
    flags: readonly string[],
  ): Promise<Outcome | undefined>;
}

/** A command with the types of its options. */
export function command<
  const Named extends Readonly<Record<string, Options>>,
  const Placed extends Readonly<Record<string, PositionalOptions>>,
>(definition: Command<Named, Placed>): Command {
  // The values of a command are those of its own options.
  return definition as unknown as Command;
}

/** A text after the name of the option. */
export const TEXT = { type: "string", requiresArg: true } as const;
/** The same, which can be repeated. */
export const LIST = { type: "string", array: true, nargs: 1, requiresArg: true } as const;

/** Options that several commands have. */
export const CHAIN = { ...TEXT, describe: "EVM chain id or blockchain id of a configured chain" } as const;
export const NETWORK = { ...TEXT, describe: "name of a configured primary network: mainnet or fuji" } as const;
