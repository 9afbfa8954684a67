import { type Command, command } from "../program/command.ts";

/** The command of developers that writes the generated files. */
export const GENERATE: Command = command({
  name: "generate",
  summary: "write the files of the repository that follow from the code",
  service: "may run",
  duration: "half a minute",
  options: { check: { type: "boolean", describe: "only list the files that differ from the code" } },
  examples: ["generate", "generate --check"],
  exitCodes: { 1: "a file differs from the code, or the command failed" },
  hasSettings: false,
  isHidden: true,
  run: async ({ check = false }) => (await import("../generate.ts")).generateFiles(check),
});
