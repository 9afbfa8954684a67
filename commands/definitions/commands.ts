import type { Command } from "../program/command.ts";
import type { Groups } from "../program/program.ts";
import { BACKUP_COMMANDS } from "./backups.ts";
import { INDEX_COMMANDS } from "./indexed-data.ts";
import { DATA_COMMANDS } from "./operator-data.ts";
import { SERVICE_COMMANDS } from "./service.ts";

/** The commands of `moraine` for its users. */
export const COMMANDS: readonly Command[] = [
  ...SERVICE_COMMANDS,
  ...INDEX_COMMANDS,
  ...DATA_COMMANDS,
  ...BACKUP_COMMANDS,
];

export const GROUPS: Groups = {
  backfill: "load call trees or metadata of blocks that are indexed",
  schema: "compare the schema of the graph with that of another version",
  keys: "manage API keys",
  prices: "import prices of tokens",
  abi: "manage ABIs, by which calls and logs are decoded",
};
