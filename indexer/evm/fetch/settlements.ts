import { BadUpstreamData } from "../../../core/errors.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import { bytes, integer, type RawBlock } from "../wire/blocks.ts";
import { bloomOf } from "../wire/bloom.ts";
import type { EvmSource } from "./source.ts";

/** The logs of blocks are not those that the network settled: what was taken in behind block `settled` is to be taken back. */
export class LogsRefuted extends BadUpstreamData {
  constructor(
    message: string,
    readonly settled: number,
  ) {
    super(message);
  }
}

/**
 * Holds logs against the headers that settle them. Where blocks are executed after they are accepted (ACP-194), a header has
 * the bloom of the logs of the blocks since the one that its parent settled; before, a block's own, which is checked with it.
 */
export interface Settlements {
  /**
   * Blocks that follow each other, the first on the last block of the last call or on the chain's head. Throws `LogsRefuted`
   * for logs of these blocks or of earlier ones.
   */
  verify(raws: readonly RawBlock[]): Promise<void>;
}

export interface SettlementsDeps {
  readonly chainId: string;
  readonly writer: Pick<Writer, "transaction">;
  readonly source: Pick<EvmSource, "blockRef">;
}

/** What is known behind a block. */
interface Known {
  readonly blockHash: string;
  /** Up to where blocks are settled. */
  readonly settled: number;
  /** Blooms of the blocks behind that, by number. */
  readonly blooms: Map<number, bigint>;
}

/** Blocks are settled seconds after they are executed: more than these are not under way. */
const MOST_UNSETTLED = 10_000;
const LOGS = `SELECT block_number, '0x' || encode(address, 'hex') AS address,
    array_remove(ARRAY[topic0, topic1, topic2, topic3], NULL) AS topics
  FROM evm_logs WHERE chain_id = $1 AND block_number > $2 AND block_number <= $3`;

/** Asks the node and the rows only for what comes before its first block, or after blocks that were taken back. */
export function createSettlements({ chainId, writer, source }: SettlementsDeps): Settlements {
  let known: Known | null = null;

  /** Behind the parent of a block. */
  async function knownBefore({ block }: RawBlock, last: Known | null): Promise<Known> {
    if (last?.blockHash === block.parentHash) return last;
    const number = Number(block.number) - 1;
    const settled = (await source.blockRef(number))?.settledHeight ?? number;
    if (number - settled > MOST_UNSETTLED)
      throw new BadUpstreamData(`block ${number} settles block ${settled}, and leaves all since then unsettled`);
    const blooms = settled < number ? await writer.transaction((session) => stored(session, settled, number)) : null;
    return { blockHash: block.parentHash, settled, blooms: blooms ?? new Map() };
  }

  async function stored(session: Session, settled: number, last: number): Promise<Map<number, bigint>> {
    const rows = await session.query<{ block_number: string; address: string; topics: Buffer[] }>(LOGS, [
      chainId,
      settled,
      last,
    ]);
    const blooms = new Map<number, bigint>();
    for (const { block_number, address, topics } of rows) {
      const bloom = bloomOf([{ address, topics: topics.map((topic) => `0x${topic.toString("hex")}`) }]);
      blooms.set(Number(block_number), (blooms.get(Number(block_number)) ?? 0n) | BigInt(bloom));
    }
    return blooms;
  }

  return {
    async verify(raws) {
      let last = known;
      // What fails half way is no knowledge.
      known = null;
      for (const raw of raws) last = behind(raw, isLate(raw) ? await knownBefore(raw, last) : null);
      known = last;
    },
  };
}

/** The first block of a chain settles nothing. */
const isLate = ({ block }: RawBlock): boolean => block.settledHeight !== undefined && block.number !== "0x0";

/** What is known behind a block by what was known before it: null where a block is its own settlement. */
function behind({ block, receipts }: RawBlock, before: Known | null): Known {
  const number = Number(block.number);
  if (!before) return { blockHash: block.hash, settled: number, blooms: new Map() };
  const { settled, blooms } = before;
  const upTo = integer(block.settledHeight, `settledHeight of block ${number}`);
  if (upTo < settled || upTo >= number)
    throw new BadUpstreamData(`block ${number} settles block ${upTo}, and its parent block ${settled}`);
  blooms.set(number, BigInt(bloomOf(receipts.flatMap(({ logs }) => logs))));
  let bloom = 0n;
  for (let one = settled + 1; one <= upTo; one++) {
    bloom |= blooms.get(one) ?? 0n;
    blooms.delete(one);
  }
  if (bloom !== BigInt(`0x${bytes(block.logsBloom, `logsBloom of block ${number}`, 256)}`))
    throw new LogsRefuted(
      `block ${number} settles blocks ${settled + 1} to ${upTo} with a bloom that is not that of their logs`,
      settled,
    );
  return { blockHash: block.hash, settled: upTo, blooms };
}
