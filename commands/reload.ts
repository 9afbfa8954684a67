import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError, loadConfig } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import { changedSettings, NEEDS_START } from "../core/config/reloadable.ts";
import { withUsableDatabases } from "../core/database/cells.ts";
import { type Placement, placementOf } from "../core/database/placement.ts";
import {
  allSessions,
  cellSessions,
  checkServers,
  type SessionsIn,
} from "../core/embedded-postgres/database-sessions.ts";
import { errorCode, messageOf, quoted } from "../core/errors/errors.ts";
import type { Logger } from "../core/observability/logger.ts";
import { processName, runningProcess } from "../core/processes/running-process.ts";
import { checkSettings } from "../indexer/check-settings.ts";
import { processesOf } from "../indexer/process/indexer-processes.ts";
import { endedByUser } from "./ended-by-user.ts";
import type { Outcome } from "./program/command.ts";

/** The settings that were read again. */
interface ReadAgain {
  readonly config: Config;
  /** Names of the settings that have changed and need a start. `config` has their earlier values. */
  readonly needStart: readonly string[];
}

/** What reading the settings again has led to. */
export interface Reloaded {
  /** Why the service does not work by the new settings, or a part of it does not; null if it does. */
  readonly failure: string | null;
  readonly needStart: readonly string[];
}

const needStartText = (names: readonly string[]): string =>
  `these settings have changed and need a start of Moraine: ${names.join(", ")}`;

/**
 * Reads the settings again and checks them as at a start. Rejects if they cannot be used.
 */
export async function reloadedConfig(
  present: Config,
  flags: readonly string[],
  { indexes, placement, logger }: { readonly indexes: boolean; readonly placement: Placement; readonly logger: Logger },
): Promise<ReadAgain> {
  const loaded = await withUsableDatabases(loadConfig(process.env, flags));
  requireSamePlacement(loaded, placement);
  const kept = Object.fromEntries(NEEDS_START.map((name) => [name, present[name]]));
  const config = { ...loaded, ...kept } as Config;
  if (indexes) await checkSettings(config, logger);
  await checkServers(config, placement, sessionsOfService, logger);
  const needStart = changedSettings(loaded, config);
  if (needStart.length > 0) logger.warn(needStartText(needStart));
  return { config, needStart };
}

/** The databases of an API stay open, and each chain stays where its rows are. */
function requireSamePlacement(config: Config, present: Placement): void {
  const next = placementOf(config, present.main);
  const isMoved =
    config.evmChains.some(({ chainId }) => next.evm(chainId) !== present.evm(chainId)) ||
    config.primaryNetworks.some(({ networkId }) => next.primary(networkId) !== present.primary(networkId));
  if (isMoved)
    throw new ConfigError(
      "a chain or network has another database (setting databaseUrl of an entry of evmChains or primaryNetworks): start Moraine again",
    );
}

/** The sessions of all parts that `moraine start` runs. */
export const sessionsOfService: SessionsIn = (config, isMain) =>
  (isMain ? allSessions : cellSessions)(config, processesOf(config));

/** The content of the files that the API reads because settings name them, as one text. */
export function contentOfFiles({ methodSignatures, graphql }: Pick<Config, "methodSignatures" | "graphql">): string {
  const files = [methodSignatures, graphql.allowedOperationsFile].filter((file) => file !== undefined);
  return JSON.stringify(files.map(textOf));
}

/** The file that names the process of `moraine start` that uses a data directory. */
const processFile = (dataDirectory: string): string => join(dataDirectory, "moraine.pid");

/** The file with the last `Result` of that process. */
const resultFile = (dataDirectory: string): string => join(dataDirectory, "moraine.reload");

interface Result extends Reloaded {
  /** When the process began to read its settings again. */
  readonly beganAtMs: number;
}

/** A process that `moraine reload` finds. */
interface NotedProcess extends Disposable {
  /** Stores the result for the `moraine reload` that waits for it. */
  finished(result: Result): void;
}

/** Notes this process for `moraine reload`, until it is disposed. SIGHUP works without these files too. */
export function noteProcess(dataDirectory: string, logger: Logger): NotedProcess {
  const results = resultFile(dataDirectory);
  const file = processFile(dataDirectory);
  const own = processName(process.pid);
  try {
    mkdirSync(dataDirectory, { recursive: true });
    writeFileSync(file, own);
  } catch (error) {
    logger.debug(`moraine reload will not find this process: ${messageOf(error)}`);
  }
  return {
    finished(result) {
      try {
        writeFileSync(`${results}.new`, JSON.stringify(result), { mode: 0o600 });
        renameSync(`${results}.new`, results);
      } catch (error) {
        logger.warn(`moraine reload does not get the result: ${messageOf(error)}`);
      }
    },
    [Symbol.dispose]() {
      // Another service with the same directory may have started since.
      if (textOf(file) === own) for (const path of [file, results]) rmSync(path, { force: true });
    },
  };
}

/** The id of the process of `moraine start` that uses a data directory; null if none does. */
export const processUsing = (dataDirectory: string): number | null =>
  runningProcess(textOf(processFile(dataDirectory)));

const POLL_MS = 50;
/** A service of an earlier version gives no result. */
const PATIENCE_MS = 120_000;

/** `moraine reload`: checks the settings, tells the running service to read them again, and waits for the result. */
export async function reloadService(flags: readonly string[]): Promise<Outcome> {
  const { dataDirectory } = loadConfig(process.env, flags);
  const signal = endedByUser("interrupted: the service reads its settings again, and its log has the result");
  const noted = textOf(processFile(dataDirectory));
  const pid = runningProcess(noted);
  if (pid === null)
    throw new ConfigError(
      `no service that can read its settings again runs with the data directory ${quoted(dataDirectory)} (setting dataDirectory): give this command the settings of the service; the demo has those of its recording`,
    );
  const sinceMs = Date.now();
  try {
    process.kill(pid, "SIGHUP");
  } catch (error) {
    if (errorCode(error) !== "EPERM") throw error;
    throw new ConfigError("another user runs the service: run this command as that user");
  }
  const { failure, needStart } = await resultOf(noted, dataDirectory, { sinceMs, signal });
  if (failure !== null) throw new ConfigError(failure);
  const lines = [
    `process ${pid} has read the settings again`,
    ...(needStart.length > 0 ? [needStartText(needStart)] : []),
  ];
  return { text: lines.join("\n"), data: { pid, needStart } };
}

/** Waits for the result of reading the settings after that time. Throws `ConfigError` if there is none. */
async function resultOf(
  noted: string,
  dataDirectory: string,
  { sinceMs, signal }: { readonly sinceMs: number; readonly signal: AbortSignal },
): Promise<Result> {
  for (;;) {
    // First, because the process may end right after it has written a result.
    const isRunning = runningProcess(noted) !== null;
    const result = JSON.parse(textOf(resultFile(dataDirectory)) || "null") as Result | null;
    if (result && result.beganAtMs >= sinceMs) return result;
    if (!isRunning)
      throw new ConfigError(
        "the service has ended: its log says why. A service that runs on a terminal ends with this command",
      );
    if (Date.now() - sinceMs > PATIENCE_MS)
      throw new ConfigError(`the service has given no result within ${PATIENCE_MS / 1_000} s: its log has it`);
    await sleep(POLL_MS, null, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Empty if there is no file that can be read. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
