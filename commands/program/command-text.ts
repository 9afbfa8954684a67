import type { Command } from "./command.ts";
import { EXIT_CODES, type ExitCode } from "./exit-codes.ts";

/** The command line of a command, such as `moraine keys revoke <name> [options]`. */
export function usageOf({ name, placed = {} }: Command): string {
  return ["moraine", name, ...Object.keys(placed).map((key) => `<${key}>`), "[options]"].join(" ");
}

/** A summary as a sentence. */
export const sentenceOf = (summary: string): string =>
  `${summary.charAt(0).toUpperCase()}${summary.slice(1)}${summary.endsWith(".") ? "" : "."}`;

/** The exit codes of a command, each with its meaning. */
export function exitCodesOf({ exitCodes = {} }: Command): (readonly [code: ExitCode, meaning: string])[] {
  const codes = (Object.keys(EXIT_CODES).map(Number) as ExitCode[]).filter((code) => code !== 2 || code in exitCodes);
  return codes.map((code) => [code, exitCodes[code] ?? EXIT_CODES[code]] as const);
}
