import type { PrimaryNetworkConfig } from "../../core/config/config-schema.ts";
import { ExpectedError } from "../../core/errors/expected-error.ts";
import { tryBecomeWriter, type Writer } from "../shared/writer.ts";
import type { PrimarySource } from "./fetch/source.ts";
import { readVertexTimes } from "./fetch/vertex-times.ts";
import { loadNetwork } from "./identify/load-network.ts";
import { markRowsOutdated } from "./identify/stored-network.ts";
import { createRawBlockPartition } from "./raw-blocks/entries.ts";
import { setKnownTimes } from "./raw-blocks/known-times.ts";
import { openReplay } from "./replay/replay.ts";

export interface ReplayNetworkDeps {
  /** URL of the database. */
  readonly url: string;
  readonly settings: PrimaryNetworkConfig;
  /** The network's node, from which only the rules are read. */
  readonly source: PrimarySource;
  /** Ends the command between two transactions. The command, or the indexer, continues there at its next start. */
  readonly signal: AbortSignal;
  /** Called with a line about the progress. */
  readonly report: (line: string) => void;
}

/** The command cannot run now; the message gives the reason and the remedy. */
class ReplayRefused extends ExpectedError {
  override readonly name = "ReplayRefused";
}

/** Number of blocks between two reports of the progress. */
const REPORT_BLOCKS = 10_000;

/**
 * Deletes all rows of a primary network and rebuilds those of P and X from its raw blocks; the indexer rebuilds those of the
 * C-Chain at its next start. Uses the rules that the node reports now; mainnet and Fuji have built-in rules. Settings and files
 * take precedence, and the times of vertices in `vertexTimesFile` replace the stored ones. Resolves with a summary line. Rejects with `ReplayRefused` while an indexer writes the network, and if no block
 * is stored, and with `UnusableFile`.
 */
export async function replayNetwork({ url, settings, source, signal, report }: ReplayNetworkDeps): Promise<string> {
  const { networkId } = settings;
  await using writer = await tryBecomeWriter(url, `primary ${networkId}`);
  if (!writer)
    throw new ReplayRefused(`another process indexes network ${networkId}: stop it, then run the command again`);
  await createRawBlockPartition(writer, networkId);
  if (await isEmpty(writer, networkId))
    throw new ReplayRefused(`no raw blocks of network ${networkId} are stored: there is nothing to replay`);
  const times = await readVertexTimes(settings.vertexTimesFile);
  const network = await loadNetwork({ settings, source, writer }, { replacesStoredRules: true });
  const known = await setKnownTimes(writer, networkId, times);
  if (times.size > 0) report(`network ${networkId}: the file of times has ${known} of the stored vertices`);
  await writer.transaction((session) => markRowsOutdated(session, networkId));
  const startedAt = performance.now();
  let reportedChain = "P";
  let reportedAt = 0;
  const { heads } = await openReplay({
    writer,
    network,
    signal,
    onHead(chain, { blockNumber }) {
      if (blockNumber < reportedAt + REPORT_BLOCKS && chain === reportedChain) return;
      reportedChain = chain;
      reportedAt = blockNumber;
      report(`network ${networkId}: rows of ${chain} up to block ${blockNumber}`);
    },
  });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  return `network ${networkId}: rows rebuilt up to block ${heads.P.blockNumber} of P and block ${heads.X.blockNumber} of X in ${seconds} s; the indexer rebuilds those of the C-Chain at its next start`;
}

async function isEmpty(writer: Writer, networkId: number): Promise<boolean> {
  const text = "SELECT FROM primary_raw_blocks WHERE network_id = $1 LIMIT 1";
  return (await writer.transaction((session) => session.query(text, [networkId]))).length === 0;
}
