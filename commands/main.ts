import { COMMANDS, GROUPS } from "./definitions/commands.ts";
import { GENERATE } from "./definitions/generate.ts";
import { runProgram } from "./program/program.ts";

await runProgram([...COMMANDS, GENERATE], GROUPS, process.argv.slice(2));
