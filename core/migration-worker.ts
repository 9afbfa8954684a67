import { runForked } from "./child-process.ts";
import { messageOf } from "./errors.ts";
import { migrate } from "./migrate.ts";
import {
  END_TIMEOUT_MS,
  type MigrationFailure,
  type MigrationInput,
  type MigrationResult,
} from "./migration-process.ts";

/** Migrates the database for the process that has forked this one, and tells it the result. The other process then ends this one. */
await runForked<MigrationInput>(async ({ url }) => {
  const failure = await migrate(url).then(() => null, failureOf);
  process.send?.({ failure } satisfies MigrationResult, undefined, undefined, () => {});
}, END_TIMEOUT_MS);

function failureOf(error: unknown): MigrationFailure {
  const { code, stack } = Object(error) as { readonly code?: unknown; readonly stack?: string };
  return { message: messageOf(error), stack, code: typeof code === "string" ? code : undefined };
}
