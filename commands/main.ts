import { SUBGRAPHS } from "../core/config/subgraphs.ts";

interface Command {
  readonly help: string;
  /** Loads and runs the command. Its arguments are those of the process. */
  run(): Promise<unknown>;
}

const indexing = async (name: string): Promise<void> => {
  const { runIndexingCommand } = await import("./indexing.ts");
  await runIndexingCommand(name, process.argv.slice(2));
};

/** What the scripts of package.json run, by the name of the script. Only the code of the given command is loaded. */
const COMMANDS: Readonly<Record<string, Command>> = {
  start: { help: "runs all parts, and the demo if no chain is configured", run: () => import("./start.ts") },
  "start:indexer": { help: "runs the indexer", run: () => import("../indexer/main.ts") },
  "start:exporter": { help: "runs export jobs, and serves their files", run: () => import("../exporter/main.ts") },
  "start:signatures": {
    help: "runs the service that asks validators for signatures",
    run: () => import("../signatures/main.ts"),
  },
  ...Object.fromEntries(
    SUBGRAPHS.map(({ name, service }) => [
      `start:${service}`,
      { help: `runs the ${name} subgraph`, run: () => import(`../subgraphs/${name}/main.ts`) },
    ]),
  ),
  "start:gateway": { help: "runs the gateway", run: () => import("../gateway/main.ts") },
  "start:rest": { help: "runs the REST API", run: () => import("../rest-compat/main.ts") },
  replay: { help: "computes the rows of a chain or network again", run: () => indexing("replay") },
  backfill: { help: "loads traces or metadata of blocks that are indexed", run: () => indexing("backfill") },
  gaps: { help: "finds and repairs blocks without rows", run: () => indexing("gaps") },
  compact: { help: "builds the indexes of a chain again", run: () => indexing("compact") },
  verify: { help: "compares the rows of a primary network with its node", run: () => import("./verify.ts") },
  prices: { help: "imports prices of tokens", run: () => import("../indexer/prices/main.ts") },
  export: { help: "exports transactions into a file", run: () => import("./export.ts") },
  keys: { help: "manages API keys", run: () => import("./keys.ts") },
  abi: { help: "manages ABIs, by which calls and logs are decoded", run: () => import("./abi.ts") },
  generate: { help: "writes the files that follow from the code", run: () => import("./generate.ts") },
};

const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
const USAGE = Object.entries(COMMANDS)
  .map(([name, { help }]) => `npm run ${name.padEnd(width)}  ${help}`)
  .join("\n");

const [name = ""] = process.argv.splice(2, 1);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (command) await command.run();
else if (name === "--help" || name === "-h") console.log(USAGE);
else {
  console.error(`there is no command ${JSON.stringify(name)}; the commands are:\n${USAGE}`);
  process.exitCode = 1;
}
