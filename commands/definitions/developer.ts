import { type Command, command } from "../program/command.ts";

/** The command of developers that writes the generated files. */
const GENERATE = command({
  name: "generate",
  summary: "write the files of the repository that follow from the code",
  service: "may run",
  duration: "half a minute",
  options: {
    check: { type: "boolean", describe: "only list the files that differ from the code" },
    release: { type: "boolean", describe: "also write the schemas of the release with the version of package.json" },
  },
  examples: ["generate", "generate --check", "generate --release"],
  exitCodes: { 1: "a file differs from the code, or the command failed" },
  hasSettings: false,
  isHidden: true,
  run: async ({ check = false, release = false }) => (await import("../generate.ts")).generateFiles(check, release),
});

const CHECK_RELEASE = command({
  name: "check-release",
  summary: "compare the schemas with those of the last release, and breaking changes with the version and CHANGELOG.md",
  service: "may run",
  duration: "a few seconds",
  examples: ["check-release"],
  exitCodes: {
    1: "the version must not have a breaking change, or CHANGELOG.md does not describe one, or the command failed",
  },
  hasSettings: false,
  isHidden: true,
  run: async () => (await import("../schema/check-release.ts")).checkRelease(),
});

/** The commands of developers. */
export const DEVELOPER_COMMANDS: readonly Command[] = [GENERATE, CHECK_RELEASE];
