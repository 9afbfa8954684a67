import { databaseRefusal } from "../../core/database/database-refusal.ts";
import { BadUpstreamData } from "../../core/errors/errors.ts";
import { ExpectedError } from "../../core/errors/expected-error.ts";
import { NodeUnavailable, RpcError } from "../../indexer/shared/node/errors.ts";

/** One line for what a person can mend. For a bug, the error itself, which is printed with its stack. */
export function expectedMessage(error: unknown): unknown {
  if (error instanceof ExpectedError) return error.message;
  if (error instanceof BadUpstreamData) return `the node's answer cannot be used: ${error.message}`;
  if (error instanceof NodeUnavailable) return error.detail ? `${error.message} [${error.detail}]` : error.message;
  if (error instanceof RpcError) return `the node answered with an error: ${error.message} (${error.code})`;
  return databaseRefusal(error) ?? error;
}

/** The exit code of a command that ends with the error. */
export const exitCodeOf = (error: unknown): number => (error instanceof ExpectedError ? error.exitCode : 1);
