import { request } from "undici";
import { loadConfig } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import { serverUrl } from "../core/http/server-url.ts";
import { type ExportValues, exportArguments } from "../exporter/command/arguments.ts";
import { requireWritable } from "../exporter/command/output-file.ts";
import { runExport } from "../exporter/command/run.ts";
import { endedByUser } from "./ended-by-user.ts";
import { type Outcome, told } from "./program/command.ts";

const PROBE_TIMEOUT_MS = 2_000;
const INTERRUPTED =
  "interrupted: run the same command again to continue. A service that runs the export continues it meanwhile.";

/** `moraine export`: exports transactions into a file, through a running service or by itself. */
export async function exportFile(values: ExportValues, flags: readonly string[]): Promise<Outcome> {
  const parsed = exportArguments(values);
  requireWritable(parsed.out);
  const signal = endedByUser(INTERRUPTED);
  if (parsed.url !== null) return told(await runExport(parsed.url, parsed, signal));
  const config = loadConfig(process.env, flags);
  const running = await runningService(config);
  if (running !== null) return told(await runExport(running, parsed, signal));
  // Loaded only here, because it contains the whole service.
  const { startOwnService } = await import("./export-service.ts");
  await using service = await startOwnService(config, signal);
  return told(await runExport(service.url, parsed, signal));
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
