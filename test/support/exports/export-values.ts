import { EXPORT } from "../../../commands/definitions/operator-data.ts";
import { runProgram } from "../../../commands/program/program.ts";
import type { ExportValues } from "../../../exporter/command/arguments.ts";

/** The values that `moraine export` gets from these arguments. */
export async function exportValues(args: readonly string[]): Promise<ExportValues> {
  let found: ExportValues | undefined;
  const run = async (values: object): Promise<undefined> => {
    found = values as ExportValues;
  };
  await runProgram([{ ...EXPORT, run }], {}, ["export", ...args]);
  if (!found) throw new Error(`the arguments are refused: ${args.join(" ")}`);
  return found;
}
