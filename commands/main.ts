import { COMMANDS, GROUPS } from "./definitions/commands.ts";
import { DEVELOPER_COMMANDS } from "./definitions/developer.ts";
import { runProgram } from "./program/program.ts";

await runProgram([...COMMANDS, ...DEVELOPER_COMMANDS], GROUPS, process.argv.slice(2));
