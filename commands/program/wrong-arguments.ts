import { didYouMean } from "../../core/config/settings/errors.ts";
import { quoted } from "../../core/errors/errors.ts";

/** Where arguments were given, and what may be given there. */
export interface Place {
  /** The command, such as `moraine keys create`. */
  readonly line: string;
  /** Names of commands that may follow. */
  readonly commands: readonly string[];
  /** Names of arguments without a dash, in their order. */
  readonly placed: readonly string[];
  /** Names of options, without dashes. */
  readonly options: readonly string[];
  /** All arguments of the process. */
  readonly given: readonly string[];
}

type Sentence = (place: Place, first: string, second: string, third: string) => string;

/** What yargs says about wrong arguments, and how `moraine` says it. */
const SENTENCES: readonly (readonly [RegExp, Sentence])[] = [
  [/^Unknown (?:argument|command)s?: (.*)$/, (place, names) => unknown(place, names.split(", "))],
  [
    /^Missing required arguments?: (.*)$/,
    (_, names) => `${listed(names.split(", ").map((name) => `--${name}`))} must be given`,
  ],
  [/^Not enough arguments following: (.*)$/, (_, name) => `--${name} has no value: give it as --${name}=<value>`],
  [
    /Argument: (\S+), Given: (.*), Choices: (.*)/,
    (_, name, value, choices) => `--${name} is ${value}: must be one of ${choices.replaceAll('"', "")}`,
  ],
  [/^ ?(\S+) -> (\S+)$/m, (_, name, needed) => `--${name} needs --${needed}`],
  [
    /^Not enough non-option arguments: got (\d+)/,
    ({ placed }, count) => `${listed(placed.slice(Number(count)).map((name) => `<${name}>`))} must be given`,
  ],
];

/** One line about wrong arguments. `message` is that of yargs. */
export function wrongArguments(message: string, place: Place): string {
  for (const [pattern, sentence] of SENTENCES) {
    const found = pattern.exec(message);
    if (!found) continue;
    const [, first = "", second = "", third = ""] = found;
    return `${sentence(place, first, second, third)}; ${helpOf(place)}`;
  }
  return `${message}; ${helpOf(place)}`;
}

const helpOf = ({ line }: Place): string => `${line} --help describes what can be given`;

const LIST = new Intl.ListFormat("en", { type: "conjunction" });

const listed = (names: readonly string[]): string => LIST.format(names);

/** An argument that is no name is not printed: it may be a URL with a password. */
function unknown({ commands, options, given }: Place, names: readonly string[]): string {
  const dashesOf = (name: string) =>
    ["--", "-"].find((dashes) => given.some((one) => one === dashes + name || one.startsWith(`${dashes}${name}=`)));
  const option = names.find((name) => dashesOf(name) !== undefined);
  const other = names.find((name) => dashesOf(name) === undefined);
  if (commands.length > 0 && other !== undefined && /^[\w:-]+$/.test(other))
    return `there is no command ${quoted(other)}${didYouMean(other, commands)}: give one of ${commands.join(", ")}`;
  if (option === undefined) return "an argument is too many";
  const dashed = `${dashesOf(option)}${option}`;
  const similar = didYouMean(
    dashed,
    options.map((name) => `--${name}`),
  );
  return `there is no option ${dashed}${similar}`;
}
