import type { Config } from "../../../core/config/config-schema.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Progress } from "../../shared/progress.ts";
import type { Writer } from "../../shared/writer.ts";
import type { ChainRules } from "../decode/chain-rules.ts";
import type { Tracing } from "../fetch/call-traces.ts";
import type { Settlements } from "../fetch/settlements.ts";
import type { EvmSource } from "../fetch/source.ts";
import type { Maintenance } from "../maintenance/maintenance.ts";
import type { Proof } from "../proof/proof.ts";
import type { Head } from "../store/head.ts";

export interface ChainDeps {
  readonly rules: ChainRules;
  readonly writer: Writer;
  readonly source: EvmSource;
  readonly progress: Progress;
  readonly logger: Logger;
  readonly indexing: Pick<Config["indexing"], "batchBlocks" | "pollIntervalMs">;
  readonly signal: AbortSignal;
  /** Compares the settings with the P-Chain's index. Throws `BadUpstreamData`. Default: no check. */
  readonly checkPlace?: () => Promise<void>;
  /** Default: none. */
  readonly maintenance?: Pick<Maintenance, "afterBatch" | "atHead">;
  /** Default: none. */
  readonly proof?: Pick<Proof, "afterBlocks" | "atHead">;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** A chain that is being indexed. */
export interface Chain extends ChainDeps {
  readonly chainId: string;
  readonly settlements: Settlements;
  head: Head;
  /** The state of tracing that was last stored for the API; null before the first time. */
  storedTracing: Tracing | null;
  /**
   * Number of the last block whose header contradicted the logs of earlier blocks; -1 if none did. Blocks up to it are
   * written only together, after their logs are verified.
   */
  lastRefutingBlock: number;
}

/** Sets the chain's head, and shows it in the progress. Samples of its rows may then be compared. */
export function setHead(chain: Chain, head: Head): void {
  chain.head = head;
  chain.progress.update({ blockNumber: head.blockNumber, fetchedBlockNumber: head.blockNumber });
  chain.proof?.afterBlocks(head.blockNumber);
}
