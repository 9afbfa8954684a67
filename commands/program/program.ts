import yargs, { type Argv } from "yargs";
import { ConfigError } from "../../core/config/config.ts";
import { SETTING_NAMES } from "../../core/config/setting-names.ts";
import { VERSION } from "../../core/observability/version.ts";
import type { Command } from "./command.ts";
import { exitCodesOf, sentenceOf, usageOf } from "./command-text.ts";
import { exitCodeOf, expectedMessage } from "./expected-message.ts";
import { type Place, wrongArguments } from "./wrong-arguments.ts";

/** Columns of the help on a wide terminal. */
const MAX_WIDTH = 100;

/** The names of commands that others are below, such as `keys`, with what they do. */
export type Groups = Readonly<Record<string, string>>;

/**
 * Runs `moraine` with these arguments. Prints an error that a person can mend as one line, and another error with its stack. Sets the exit code of the
 * process.
 */
export async function runProgram(commands: readonly Command[], groups: Groups, args: readonly string[]): Promise<void> {
  try {
    const parser = parserOf(commands, groups, args);
    if (args.length > 0) await parser.parseAsync();
    else {
      console.error(await parser.getHelp());
      process.exitCode = 1;
    }
  } catch (error) {
    console.error(expectedMessage(error));
    process.exitCode = exitCodeOf(error);
  }
}

function parserOf(commands: readonly Command[], groups: Groups, args: readonly string[]): Argv {
  const own = commands.filter(({ name }) => !name.includes(" "));
  const names = [...own.filter(({ isHidden }) => !isHidden).map(({ name }) => name), ...Object.keys(groups)];
  const parser = yargs([...args])
    .scriptName("moraine")
    .locale("en")
    .parserConfiguration({ "boolean-negation": false, "camel-case-expansion": false, "dot-notation": false })
    .usage(
      "moraine <command>\n\nChain data of Avalanche networks: indexes nodes into PostgreSQL, and serves GraphQL and REST.",
    )
    .version("version", "print the version", `moraine ${VERSION}`)
    .help("help", "print this text")
    .alias("help", "h")
    .strict()
    .demandCommand(1, `a command must be given: ${names.join(", ")}`)
    .wrap(Math.min(MAX_WIDTH, process.stdout.columns ?? MAX_WIDTH))
    .epilogue(
      "Every command has --help. Settings are read from moraine.json, variables and flags: docs/configuration.md.",
    );
  refuse(parser, { line: "moraine", commands: names, placed: [], options: ["version", "help"], given: args });
  for (const command of own) addCommand(parser, command, args);
  for (const [group, summary] of Object.entries(groups)) addGroup(parser, group, summary, commands, args);
  return parser;
}

/** Throws a `ConfigError` for wrong arguments. */
function refuse(parser: Argv, place: Place): void {
  parser.fail((message, error: Error | undefined) => {
    // yargs reports some wrong arguments as an error of its own.
    if (error && error.name !== "YError") throw error;
    throw new ConfigError(wrongArguments(message ?? error?.message ?? "", place));
  });
}

function addGroup(
  parser: Argv,
  group: string,
  summary: string,
  commands: readonly Command[],
  given: readonly string[],
): void {
  const own = commands.filter(({ name }) => name.startsWith(`${group} `));
  const names = own.map(({ name }) => name.slice(group.length + 1));
  parser.command(group, summary, (inner) => {
    inner
      .usage(`moraine ${group} <command>\n\n${sentenceOf(summary)}`)
      .demandCommand(1, `a command of ${group} must be given: ${names.join(", ")}`);
    refuse(inner, { line: `moraine ${group}`, commands: names, placed: [], options: ["version", "help"], given });
    for (const command of own) addCommand(inner, command, given);
    return inner;
  });
}

function addCommand(parser: Argv, definition: Command, given: readonly string[]): void {
  const name = definition.name.split(" ").at(-1);
  const command = [name, ...Object.keys(definition.placed ?? {}).map((key) => `<${key}>`)].join(" ");
  parser.command({
    command,
    describe: definition.isHidden ? false : definition.summary,
    builder: (inner) => describeCommand(inner, definition, given),
    async handler(values) {
      refuseRepeated(values, definition);
      const outcome = await definition.run(values as never, settingFlags(values));
      if (!outcome) return;
      console.log(values["json"] ? JSON.stringify(outcome.data, null, 2) : outcome.text);
      process.exitCode = outcome.exitCode ?? 0;
    },
  });
}

/** Options and help of a command. Flags of settings are accepted, and left out of the help, because there are many. */
function describeCommand(parser: Argv, command: Command, given: readonly string[]): Argv {
  const { name, placed = {}, options = {}, examples, hasSettings = true, hasResult = true } = command;
  const flags = hasSettings ? SETTING_NAMES.map(({ flag }) => flag.slice(2)) : [];
  const line = `moraine ${name}`;
  const names = [...Object.keys(options), "json", ...flags];
  refuse(parser, { line, commands: [], placed: Object.keys(placed), options: names, given });
  parser.usage(`${usageOf(command)}\n\n${aboutCommand(command)}`).epilogue(endOf(command));
  for (const [key, option] of Object.entries(placed)) parser.positional(key, option);
  parser.options(options);
  if (hasResult) parser.option("json", { type: "boolean", describe: "print the result as JSON" });
  for (const flag of flags) parser.option(flag, { type: "string", requiresArg: true, hidden: true });
  for (const example of examples) parser.example(`moraine ${example}`, "");
  return parser;
}

function aboutCommand({ summary, details, service, duration }: Command): string {
  const lines = [sentenceOf(summary), ...(details ? [details] : [])];
  return [...lines, "", `The service: ${service}`, `Takes: ${duration}`].join("\n");
}

function endOf(command: Command): string {
  const lines = exitCodesOf(command).map(([code, meaning]) => `  ${String(code).padEnd(3)}  ${meaning}`);
  const settings =
    command.hasSettings === false
      ? []
      : ["", "Each setting of docs/configuration.md has a flag, such as --data-directory."];
  return ["Exit codes:", ...lines, ...settings].join("\n");
}

/** yargs makes a list of the values of an option that is given twice. */
function refuseRepeated(values: Readonly<Record<string, unknown>>, { options = {} }: Command): void {
  const name = Object.keys(values).find(
    (key) => key !== "_" && Array.isArray(values[key]) && options[key]?.array !== true,
  );
  if (name !== undefined) throw new ConfigError(`--${name} is given more than once`);
}

/** The flags of settings among the values. */
function settingFlags(values: Readonly<Record<string, unknown>>): string[] {
  return SETTING_NAMES.flatMap(({ flag }) => {
    const value = values[flag.slice(2)];
    return value === undefined ? [] : [`${flag}=${String(value)}`];
  });
}
