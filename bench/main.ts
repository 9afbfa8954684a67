import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { CASES, type CaseName, isCaseName } from "./cases.ts";
import { startBenchDatabase } from "./database.ts";

const USAGE =
  "npm run bench                 compares Moraine with hand-written handlers, and measures indexing, decoding, replay and more;\n" +
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
process.exitCode = await measured({ url: database.url, cases: args.length > 0 ? args : CASES }, stop.signal);

async function measured(input: { url: string; cases: readonly CaseName[] }, signal: AbortSignal): Promise<number> {
  if (signal.aborted) return INTERRUPTED;
  const worker = fork(fileURLToPath(new URL("measure.ts", import.meta.url)), [JSON.stringify(input)]);
  signal.addEventListener("abort", () => worker.kill("SIGKILL"));
  const [code] = (await once(worker, "exit")) as [number | null];
  return signal.aborted ? INTERRUPTED : (code ?? 1);
}
