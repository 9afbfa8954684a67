import { ExpectedError } from "../../../core/errors/expected-error.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import type { ChainRules } from "../decode/chain-rules.ts";
import type { EvmSource } from "../fetch/source.ts";
import { createPartitionsOnDemand } from "../store/partitions-on-demand.ts";

/** Dependencies of the commands that maintain the data of a chain. */
export interface CommandDeps {
  /** URL of the database. */
  readonly url: string;
  readonly rules: ChainRules;
  readonly source: EvmSource;
  /** Ends the command between two transactions; the command then rejects with the reason. */
  readonly signal: AbortSignal;
  /** Called with lines that report the progress. */
  readonly report: (line: string) => void;
}

/** The command cannot be run; the message gives the reason and the remedy. */
export class CommandRefused extends ExpectedError {}

/** Runs a task as the chain's only writer. Rejects with `CommandRefused` while an indexer writes the chain. */
export async function asWriter<Result>(
  url: string,
  chainId: string,
  task: (writer: Writer) => Promise<Result>,
): Promise<Result> {
  await using writer = await tryBecomeWriter(url, chainId);
  if (!writer)
    throw new CommandRefused(`another process indexes chain ${chainId}: stop it, then run the command again`);
  return await task(createPartitionsOnDemand(writer, chainId));
}

const REPORT_INTERVAL_MS = 5_000;

/** Limits the calls of `report` to one every five seconds. The first call is made after five seconds. */
export function createThrottledReport(report: (line: string) => void): (line: () => string) => void {
  let reportedAt = performance.now();
  return (line) => {
    if (performance.now() - reportedAt < REPORT_INTERVAL_MS) return;
    reportedAt = performance.now();
    report(line());
  };
}
