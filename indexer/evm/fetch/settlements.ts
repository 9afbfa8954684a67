import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { eventOf, topicOf } from "../../../core/formats/stored-logs.ts";
import { BlockUnavailable } from "../../shared/node/lagging-node.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { bloomOf } from "../wire/bloom.ts";
import { bytes, integer, isAbsent } from "../wire/values.ts";
import type { EvmSource } from "./source.ts";

/** The logs of some blocks differ from those that the network settled: the blocks above `settled` must be fetched again. */
export class LogsRefuted extends BadUpstreamData {
  constructor(
    message: string,
    /** Number of the last block whose logs are confirmed. */
    readonly settled: number,
    /** Number of the block whose header contradicts the logs. */
    readonly settlingBlock: number,
  ) {
    super(message);
  }
}

/**
 * Checks logs against the headers that settle them. Where blocks are executed after they are accepted (ACP-194), a header
 * has the bloom of the logs of the blocks that it settles. Before ACP-194 is active, a header has the bloom of its own logs,
 * which `verifyBlock` checks.
 */
export interface Settlements {
  /**
   * Verifies a block, which must follow the block of the previous call, or the chain's head. Throws `LogsRefuted` if the logs of
   * earlier blocks are wrong.
   */
  verify(raw: RawBlock): Promise<void>;
}

export interface SettlementsDeps {
  readonly chainId: string;
  readonly writer: Pick<Writer, "transaction">;
  readonly source: Pick<EvmSource, "blockRef">;
}

/** The blocks that are not settled yet after a given block. */
interface Unsettled {
  /** Hash of the given block, with `0x`. */
  readonly blockHash: string;
  /** Number of the last settled block. */
  readonly settled: number;
  /** Blooms of the blocks above `settled`, by block number; blocks without logs may be absent. */
  readonly blooms: Map<number, bigint>;
}

/** Blocks are settled seconds after they are executed; more unsettled blocks than this are an error of the node. */
const MAX_UNSETTLED = 10_000;
const LOGS = `SELECT block_number, '0x' || encode(address, 'hex') AS address,
    ARRAY[topic0, topic1, topic2, topic3] AS topics
  FROM evm_logs WHERE chain_id = $1 AND block_number > $2::bigint AND block_number <= $3::bigint`;

/** Reads from the node and the database only for the first block, and after a rollback or a refused block. */
export function createSettlements(deps: SettlementsDeps): Settlements {
  let last: Unsettled | null = null;
  return {
    async verify(raw) {
      const before = last;
      // Stays null if a block is refused, so that the state is read again.
      last = null;
      last = settle(raw, settlesLate(raw) ? await unsettledBefore(deps, raw, before) : null);
    },
  };
}

/** The first block of a chain settles nothing. */
const settlesLate = ({ block }: RawBlock): boolean => !isAbsent(block.settledHeight) && block.number !== "0x0";

/** The unsettled blocks after the block's parent. */
async function unsettledBefore(
  { chainId, writer, source }: SettlementsDeps,
  { block }: RawBlock,
  last: Unsettled | null,
): Promise<Unsettled> {
  if (last?.blockHash === block.parentHash) return last;
  const number = Number(block.number) - 1;
  const parent = await source.blockRef(number);
  if (!parent) throw new BlockUnavailable(`the node has no block ${number}, the parent of a block that it returned`);
  const settled = parent.settledHeight ?? number;
  if (number - settled > MAX_UNSETTLED)
    throw new BadUpstreamData(
      `block ${number} settles block ${settled}, which leaves more than ${MAX_UNSETTLED} blocks unsettled`,
    );
  const blooms =
    settled < number
      ? await writer.transaction((session) => storedBlooms(session, chainId, settled, number))
      : new Map<number, bigint>();
  return { blockHash: block.parentHash, settled, blooms };
}

async function storedBlooms(
  session: Session,
  chainId: string,
  settled: number,
  last: number,
): Promise<Map<number, bigint>> {
  const rows = await session.query<{ block_number: number; address: string; topics: Buffer[] }>(LOGS, [
    chainId,
    settled,
    last,
  ]);
  const blooms = new Map<number, bigint>();
  for (const { block_number, address, topics } of rows) {
    const whole = topics.map((topic, position) => (position === 0 ? eventOf : topicOf)(topic.toString("hex")));
    const bloom = bloomOf([{ address, topics: whole.filter((topic) => topic !== null).map((topic) => `0x${topic}`) }]);
    blooms.set(block_number, (blooms.get(block_number) ?? 0n) | BigInt(bloom));
  }
  return blooms;
}

/**
 * Returns the unsettled blocks after a block. `before` has the unsettled blocks after its parent; null if the block settles
 * itself. Throws `LogsRefuted`.
 */
function settle({ block, receipts }: RawBlock, before: Unsettled | null): Unsettled {
  const number = Number(block.number);
  if (!before) return { blockHash: block.hash, settled: number, blooms: new Map() };
  const { settled, blooms } = before;
  const upTo = integer(block.settledHeight, `settledHeight of block ${number}`);
  if (upTo < settled || upTo >= number)
    throw new BadUpstreamData(
      `block ${number} settles blocks up to ${upTo}, but its parent settles blocks up to ${settled}`,
    );
  blooms.set(number, BigInt(bloomOf(receipts.flatMap(({ logs }) => logs))));
  let bloom = 0n;
  for (let one = settled + 1; one <= upTo; one++) {
    bloom |= blooms.get(one) ?? 0n;
    blooms.delete(one);
  }
  if (bloom !== BigInt(`0x${bytes(block.logsBloom, `logsBloom of block ${number}`, 256)}`))
    throw new LogsRefuted(
      `block ${number} settles blocks ${settled + 1} to ${upTo} with a bloom that does not match their logs`,
      settled,
      number,
    );
  return { blockHash: block.hash, settled: upTo, blooms };
}
