import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import type { ChainRules } from "../decode/chain-rules.ts";
import type { EvmSource } from "../fetch/source.ts";

/** What a command that tends a chain's store gets. */
export interface CommandDeps {
  /** Database that the chain is in. */
  readonly url: string;
  readonly rules: ChainRules;
  readonly source: EvmSource;
  /** Ends the command between two transactions, which rejects with its reason. */
  readonly signal: AbortSignal;
  /** Told how far it is. */
  readonly report: (line: string) => void;
}

/** A command that cannot be done as asked; the message says why. */
export class CommandRefused extends Error {}

/** Runs a task as the chain's only writer. Rejects with `CommandRefused` while an indexer is. */
export async function asWriter<Result>(
  url: string,
  chainId: string,
  task: (writer: Writer) => Promise<Result>,
): Promise<Result> {
  await using writer = await tryBecomeWriter(url, chainId);
  if (!writer) throw new CommandRefused(`chain ${chainId} is being written by another process: stop it first`);
  return await task(writer);
}
