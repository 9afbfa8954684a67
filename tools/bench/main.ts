import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { nodeOptions } from "../../indexer/process/node-options.ts";
import { thisMachine } from "../../indexer/process/process-count.ts";
import { CASES, type CaseName, INDEXER_CASES, isCaseName } from "./cases.ts";
import { startBenchDatabase } from "./database.ts";

const USAGE =
  "npm run bench                 compares Moraine with hand-written handlers, and measures indexing, lists, memory and more;\n" +
  "                              takes about an hour and 3 GB in the directory for temporary files, which are deleted\n" +
  `npm run bench -- <case>...    measures only these: ${CASES.join(", ")}`;
const INTERRUPTED = 130;

const args = process.argv.slice(2);
if (!args.every(isCaseName)) {
  console.log(USAGE);
  process.exit(args[0] === "--help" || args[0] === "-h" ? 0 : 1);
}

// This process owns the database; a child process does the measuring. So an interrupted bench leaves nothing behind.
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
await using database = await startBenchDatabase();
process.exitCode = await measureAll(args.length > 0 ? args : CASES, stop.signal);

/** Returns the first exit code that is not 0. */
async function measureAll(cases: readonly CaseName[], signal: AbortSignal): Promise<number> {
  const isIndexer = (name: CaseName) => INDEXER_CASES.includes(name);
  const others = cases.filter((name) => !isIndexer(name));
  const indexers = cases.filter(isIndexer);
  const code = await measured(others, [], signal);
  if (code !== 0) return code;
  if (others.length > 0 && indexers.length > 0) console.log();
  return measured(indexers, nodeOptions(thisMachine().cores, 1), signal);
}

async function measured(cases: readonly CaseName[], options: readonly string[], signal: AbortSignal): Promise<number> {
  if (signal.aborted) return INTERRUPTED;
  if (cases.length === 0) return 0;
  const input = { url: database.url, cases };
  const script = fileURLToPath(new URL("measure.ts", import.meta.url));
  const worker = fork(script, [JSON.stringify(input)], { execArgv: [...process.execArgv, ...options] });
  signal.addEventListener("abort", () => worker.kill("SIGKILL"));
  const [code] = (await once(worker, "exit")) as [number | null];
  return signal.aborted ? INTERRUPTED : (code ?? 1);
}
