import { type Redact, withoutAddresses } from "../../core/errors/redaction.ts";
import { type Logger, nameInLogs } from "../../core/observability/logger.ts";
import type { ProgressRow, ProgressRows } from "./progress-rows.ts";
import { createRate } from "./rate.ts";

export type ChainState = "BACKFILLING" | "FOLLOWING" | "WAITING" | "STOPPED";

/** Whether the indexer uses a node of a chain. A quarantined node is not asked until the indexer starts again. */
export type NodeState = "USABLE" | "UNAVAILABLE" | "QUARANTINED";

/** What is known of a node of a chain. */
export interface NodeStatus {
  readonly name: string;
  readonly state: NodeState;
  /** Height of its last block, as last seen; null if unknown. */
  readonly head: number | null;
  /** Why it is not used; null if it is used. Shown to callers of the API. */
  readonly reason: string | null;
}

/** The state of a chain's indexing. */
export interface ProgressState {
  readonly state: ChainState;
  /** Why the chain waits or has stopped, or why its rows are rebuilt; else null. Shown to callers of the API. */
  readonly reason: string | null;
  /** Details of the reason, which are only logged. */
  readonly detail?: string | null;
  readonly nodeBlockNumber: number | null;
  readonly fetchedBlockNumber: number | null;
  /** When the node's head was last found to be the last indexed block, in seconds since the epoch; null if never. */
  readonly headSeenAt: number | null;
  /** When this process began to index the chain, in seconds since the epoch. */
  readonly beganAt: number;
  readonly blockNumber: number;
  readonly blocksPerSecond: number;
  /** Number of exceptions of a chain of a primary network; null for other chains. */
  readonly exceptionCount: number | null;
  /** The nodes of the chain; absent before they are known. */
  readonly nodes?: readonly NodeStatus[];
  /** Last block of the last comparison of samples that found no difference; null if there was none since the process began. */
  readonly verifiedBlockNumber: number | null;
  /** Number of rows and values that differed in the last comparison; null before the first. */
  readonly differingCount: number | null;
}

/** The ids of a chain in log lines. */
export type LoggedIds = { readonly chainId: string } | { readonly networkId: string; readonly chain: string };

/** The progress of one chain, for the terminal, the API and Prometheus. */
export interface Progress extends AsyncDisposable {
  readonly name: string;
  readonly ids: LoggedIds;
  /** EVM chain id, or network id and chain such as `1/P`. */
  readonly chain: string;
  readonly current: ProgressState;
  update(change: Partial<ProgressState>): void;
}

/** The state before the first block. */
export const INITIAL_PROGRESS: Omit<ProgressState, "beganAt"> = {
  state: "BACKFILLING",
  reason: null,
  detail: null,
  nodeBlockNumber: null,
  fetchedBlockNumber: null,
  headSeenAt: null,
  blockNumber: -1,
  blocksPerSecond: 0,
  exceptionCount: null,
  verifiedBlockNumber: null,
  differingCount: null,
};

export interface ProgressOptions {
  /** Writes the states of all chains of the process. */
  readonly rows: ProgressRows;
  readonly row: ProgressRow;
  readonly name: string;
  readonly logger: Logger;
  /** Redaction of reasons. They may quote data of the chain's node. Default: that of any server. */
  readonly redact?: Redact;
  /** Why the chain was not indexed before; null if it was. Shown until the chain works. */
  readonly lastError?: string | null;
  /** Called when the chain works. */
  readonly worked?: () => void;
  /** Called when the last block is another one. */
  readonly onOtherBlock?: () => void;
  /** True while the indexing fails again and again, which is logged elsewhere: changes of the state are then not logged. */
  readonly isFailing?: () => boolean;
}

/**
 * Keeps the state in memory and writes it to its row: a new state or reason at once, other changes within 500 ms,
 * or longer if the process has many chains. A write that fails is logged and repeated.
 */
export function createProgress(options: ProgressOptions): Progress {
  const { rows, row, name, logger, redact = withoutAddresses } = options;
  const { lastError = null, worked = () => {}, onOtherBlock = () => {}, isFailing = () => false } = options;
  const ids = loggedIds(row);
  nameInLogs(ids, name);
  const rate = createRate();
  let current: ProgressState = {
    ...INITIAL_PROGRESS,
    beganAt: Math.floor(Date.now() / 1_000),
    ...(lastError === null ? {} : { state: "WAITING", reason: lastError }),
  };
  let isChanged = lastError !== null;
  let outage: Outage | null = null;

  const kept = rows.keep({
    row,
    take() {
      if (!isChanged) return null;
      isChanged = false;
      current = { ...current, blocksPerSecond: rate.add(current.blockNumber) };
      return current;
    },
    failed() {
      isChanged = true;
    },
  });
  return {
    name,
    ids,
    chain: Object.values(row.key).join("/"),
    get current() {
      return current;
    },
    update(change) {
      const { state, reason, detail, blockNumber } = current;
      // A detail belongs to the reason that it was given with.
      current = { ...current, ...(change.reason === undefined ? {} : { detail: null }), ...change };
      if (current.reason !== reason && current.reason !== null)
        current = { ...current, reason: redact(current.reason) };
      if (change.nodes)
        current = {
          ...current,
          nodes: change.nodes.map((node) => ({ ...node, reason: node.reason && redact(node.reason) })),
        };
      if (current.reason === null && current.state !== "WAITING") worked();
      isChanged = true;
      if (current.blockNumber !== blockNumber) onOtherBlock();
      const ended = outage;
      if (isDown(current))
        outage = {
          sinceMs: outage?.sinceMs ?? performance.now(),
          failures: (outage?.failures ?? 0) + (change.reason ? 1 : 0),
        };
      else outage = null;
      if (current.state === state && current.reason === reason && current.detail === detail) return;
      // In an outage, reasons follow one another.
      if (!isFailing() && (current.state !== state || !isDown(current)))
        logState(logger, { ...ids, ...(outage ? {} : totalOf(ended)) }, current);
      void rows.write();
    },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  };
}

/** A time during which the chain waits or has stopped. */
interface Outage {
  readonly sinceMs: number;
  readonly failures: number;
}

const isDown = ({ state }: ProgressState): boolean => state === "WAITING" || state === "STOPPED";

/** The fields of the log line about the end of an outage. */
function totalOf(outage: Outage | null): object {
  return outage ? { seconds: Math.round((performance.now() - outage.sinceMs) / 1_000), failures: outage.failures } : {};
}

function loggedIds({ key }: ProgressRow): LoggedIds {
  return "chain_id" in key ? { chainId: key.chain_id } : { networkId: key.network_id, chain: key.chain };
}

function logState(logger: Logger, chain: object, progress: ProgressState): void {
  const { state, reason, detail, blockNumber, nodeBlockNumber } = progress;
  const line = { ...chain, state, blockNumber, nodeBlockNumber, ...(reason && { reason }), ...(detail && { detail }) };
  if (state === "STOPPED") logger.error(line, `indexing has stopped: ${reason}`);
  else if (state === "WAITING") logger.warn(line, `indexing waits: ${reason}`);
  else logger.info(line, state === "FOLLOWING" ? "indexing follows the node's head" : "indexing catches up");
}
