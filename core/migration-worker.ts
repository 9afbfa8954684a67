import { runForked } from "./child-process.ts";
import { ConfigError } from "./config.ts";
import { messageOf } from "./errors.ts";
import { migrate } from "./migrate.ts";
import {
  END_TIMEOUT_MS,
  type MigrationFailure,
  type MigrationInput,
  type MigrationLine,
  type MigrationResult,
} from "./migration-process.ts";

/** Migrates the database for the process that has forked this one, and tells it the result. The other process then ends this one. */
await runForked<MigrationInput>(async ({ url }) => {
  const report = (line: string) => void process.send?.({ line } satisfies MigrationLine);
  const failure = await migrate(url, report).then(() => null, failureOf);
  process.send?.({ failure } satisfies MigrationResult, undefined, undefined, () => {});
}, END_TIMEOUT_MS);

function failureOf(error: unknown): MigrationFailure {
  const { code, stack } = Object(error) as { readonly code?: unknown; readonly stack?: string };
  const isConfigError = error instanceof ConfigError;
  return { message: messageOf(error), stack, code: typeof code === "string" ? code : undefined, isConfigError };
}
