import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, loadConfig } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import { changedSettings, NEEDS_START } from "../core/config/reloadable.ts";
import { allSessions, checkConnections } from "../core/embedded-postgres/database-sessions.ts";
import { errorCode, messageOf, quoted } from "../core/errors/errors.ts";
import type { Logger } from "../core/observability/logger.ts";
import { processName, runningProcess } from "../core/processes/running-process.ts";
import { checkSettings } from "../indexer/check-settings.ts";
import { processesOf } from "../indexer/process/indexer-processes.ts";
import { type Outcome, told } from "./program/command.ts";

/**
 * Reads the settings again and checks them as at a start. Those that need a start keep their values, and are named in the log. Rejects if
 * the settings cannot be used.
 */
export async function reloadedConfig(
  present: Config,
  flags: readonly string[],
  {
    indexes,
    databaseUrl,
    logger,
  }: { readonly indexes: boolean; readonly databaseUrl: string; readonly logger: Logger },
): Promise<Config> {
  const loaded = loadConfig(process.env, flags);
  const kept = Object.fromEntries(NEEDS_START.map((name) => [name, present[name]]));
  const config = { ...loaded, ...kept } as Config;
  if (indexes) await checkSettings(config, logger);
  await checkConnections(databaseUrl, allSessions(config, processesOf(config)), logger);
  const late = changedSettings(loaded, config);
  if (late.length > 0) logger.warn(`these settings have changed and need a start of Moraine: ${late.join(", ")}`);
  return config;
}

/** The content of the files that the API reads because settings name them, as one text. */
export function contentOfFiles({ methodSignatures, graphql }: Pick<Config, "methodSignatures" | "graphql">): string {
  const files = [methodSignatures, graphql.allowedOperationsFile].filter((file) => file !== undefined);
  return JSON.stringify(files.map(readOrEmpty));
}

/** The file that names the process of `moraine start` that uses a data directory. */
const processFile = (dataDirectory: string): string => join(dataDirectory, "moraine.pid");

/** Notes this process for `moraine reload`, until it is disposed. SIGHUP works without this file too. */
export function noteProcess(dataDirectory: string, logger: Logger): Disposable {
  const file = processFile(dataDirectory);
  const own = processName(process.pid);
  try {
    mkdirSync(dataDirectory, { recursive: true });
    writeFileSync(file, own);
  } catch (error) {
    logger.debug(`moraine reload will not find this process: ${messageOf(error)}`);
  }
  return {
    [Symbol.dispose]() {
      // Another service with the same directory may have started since.
      if (readOrEmpty(file) === own) rmSync(file, { force: true });
    },
  };
}

/** `moraine reload`: checks the settings, and tells the running service to read them again. */
export async function reloadService(flags: readonly string[]): Promise<Outcome> {
  const { dataDirectory } = loadConfig(process.env, flags);
  const pid = runningProcess(readOrEmpty(processFile(dataDirectory)));
  if (pid === null)
    throw new ConfigError(
      `no service that can read its settings again runs with the data directory ${quoted(dataDirectory)} (setting dataDirectory): give this command the settings of the service; the demo has those of its recording`,
    );
  try {
    process.kill(pid, "SIGHUP");
  } catch (error) {
    if (errorCode(error) !== "EPERM") throw error;
    throw new ConfigError("another user runs the service: run this command as that user");
  }
  return told(`process ${pid} reads the settings again: its log has the result`);
}

/** Empty if there is no file that can be read. */
function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
