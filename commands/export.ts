import { request } from "undici";
import { ConfigError, loadConfig } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import { databaseRefusal } from "../core/database/database-refusal.ts";
import { serverUrl } from "../core/http/server-url.ts";
import { parseExportArguments, USAGE } from "../exporter/command/arguments.ts";
import { ExportFailed } from "../exporter/command/graph.ts";
import { requireWritable } from "../exporter/command/output-file.ts";
import { runExport } from "../exporter/command/run.ts";

const INTERRUPTED = 130;
const PROBE_TIMEOUT_MS = 2_000;

/** The user has interrupted the command. */
class Interrupted extends Error {}

/** `npm run export`: exports transactions into a file, through a running service or by itself. */
async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--help") || args.includes("-h")) return console.log(USAGE);
  const parsed = parseExportArguments(args);
  requireWritable(parsed.out);
  const signal = abortedByUser();
  if (parsed.url !== null) return console.log(await runExport(parsed.url, parsed, signal));
  const config = loadConfig(process.env);
  const running = await runningService(config);
  if (running !== null) return console.log(await runExport(running, parsed, signal));
  // Loaded only here, because it contains the whole service.
  const { startOwnService } = await import("./export-service.ts");
  await using service = await startOwnService(config, signal);
  console.log(await runExport(service.url, parsed, signal));
}

function abortedByUser(): AbortSignal {
  const stop = new AbortController();
  const hint =
    "interrupted: run the same command again to continue. A service that runs the export continues it meanwhile.";
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => stop.abort(new Interrupted(hint)));
  return stop.signal;
}

/** URL of the service that the settings describe; null if it does not answer. */
async function runningService({ host, port }: Config): Promise<string | null> {
  if (port === 0) return null;
  const url = serverUrl(host, port);
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await request(`${url}/graphql?query={__typename}`, { signal });
    await response.body.dump();
    return response.statusCode === 200 ? url : null;
  } catch {
    return null;
  }
}

const EXPECTED = [ConfigError, ExportFailed, Interrupted];

await main(process.argv.slice(2)).then(
  () => process.exit(),
  (error: unknown) => {
    const isExpected = EXPECTED.some((kind) => error instanceof kind);
    console.error(isExpected ? (error as Error).message : (databaseRefusal(error) ?? error));
    process.exit(error instanceof Interrupted ? INTERRUPTED : 1);
  },
);
