import { fileURLToPath } from "node:url";
import { forkProcess, waitForEnd } from "./child-process.ts";
import { ConfigError } from "./config.ts";
import { isMigrated } from "./migrate.ts";
import type { ReportLine } from "./report-line.ts";

/** What a migrating process needs. It is sent to the process, because other users can read command lines. */
export interface MigrationInput {
  readonly url: string;
}

/** The migrating process sends this when it has migrated the database, or has failed to. */
export interface MigrationResult {
  readonly failure: MigrationFailure | null;
}

/** The migrating process sends this for each line that a migration logs. */
export interface MigrationLine {
  readonly line: string;
}

/** An error as messages between processes can contain it. */
export interface MigrationFailure {
  readonly message: string;
  readonly stack: string | undefined;
  /** PostgreSQL's code of the error, or that of Node.js. */
  readonly code: string | undefined;
  /** True for a `ConfigError`. */
  readonly isConfigError: boolean;
}

/** A process that takes longer to end is killed. Its transaction is rolled back. */
export const END_TIMEOUT_MS = 4_000;

const SCRIPT = fileURLToPath(new URL("migration-worker.ts", import.meta.url));

/**
 * Does the same as `migrate`, but applies migrations in a process of its own, which then ends: Prisma's schema engine leaves about
 * 25 MB in a process that has used it. Starts no process if no migration is missing. Aborting the signal ends the process.
 */
export async function migrateInProcess(url: string, signal: AbortSignal, report: ReportLine): Promise<void> {
  if (await isMigrated(url)) return;
  signal.throwIfAborted();
  const worker = forkProcess({ script: SCRIPT, endTimeoutMs: END_TIMEOUT_MS });
  let result: MigrationResult | undefined;
  worker.child.on("message", (message) => {
    if (isLine(message)) report(message.line);
    if (!isResult(message)) return;
    result = message;
    void worker.end();
  });
  worker.send({ url } satisfies MigrationInput);
  const reason = await waitForEnd(worker, signal);
  signal.throwIfAborted();
  if (!result) throw new Error(`the process that migrates the database has ended before it was done (${reason})`);
  if (result.failure) throw errorOf(result.failure);
}

function errorOf({ message, stack, code, isConfigError }: MigrationFailure): Error {
  return isConfigError ? new ConfigError(message) : Object.assign(new Error(message), { stack, code });
}

function isLine(message: unknown): message is MigrationLine {
  return typeof message === "object" && message !== null && "line" in message;
}

function isResult(message: unknown): message is MigrationResult {
  return typeof message === "object" && message !== null && "failure" in message;
}
