import pg from "pg";
import { BadUpstreamData } from "../../core/errors/errors.ts";
import { UnfitValue } from "../shared/binary-rows.ts";
import type { Progress } from "../shared/progress.ts";

/** PostgreSQL refuses a value of a block. Callers of the API see the message; `detail`, PostgreSQL's own words, is only logged. */
class RefusedValue extends BadUpstreamData {}

/** In plain words why PostgreSQL refuses a value, by SQLSTATE or its class. */
const REASONS: Readonly<Record<string, string>> = {
  "22003": "a number in it is larger than the column for it",
  "22021": "a text in it has characters that PostgreSQL cannot store",
  "22P05": "a text in it has characters that PostgreSQL cannot store",
  "22001": "a text in it is longer than the column for it",
  "23502": "a value that is required is missing in it",
  "23505": "a row with the same key is stored already",
  "22": "PostgreSQL cannot store a value of it",
  "23": "a row of it violates a rule of the table",
  "54": "a value in it is too large for PostgreSQL",
};

/** Tables of the raw blocks. If PostgreSQL refuses a row of them, this is a bug of Moraine. */
const RAW_TABLES = /^(raw_blocks|primary_raw_blocks|raw_traces)/;

/**
 * The reason, in plain words, if the error is about a value that its column does not take, or about a row that exists already. Null for
 * any other error.
 */
function refusalOf(error: unknown): { reason: string; detail: string } | null {
  if (error instanceof UnfitValue) return { reason: REASONS["22003"] as string, detail: error.message };
  if (!(error instanceof pg.DatabaseError) || RAW_TABLES.test(error.table ?? "")) return null;
  const code = error.code ?? "";
  const reason = REASONS[code] ?? REASONS[code.slice(0, 2)];
  return reason === undefined ? null : { reason, detail: `${error.message} (${code})` };
}

interface OrderedWrite<Item> {
  /** Writes items in one transaction. If it rejects, nothing is written. */
  readonly write: (items: readonly Item[]) => Promise<void>;
  /** Names an item for a person, such as `block 7 of the X-Chain`. */
  readonly nameOf: (item: Item) => string;
}

/**
 * Writes items in order, if possible at once. If an item is bad, the items before it are written, and then this rejects with
 * `BadUpstreamData`, which names the bad item if PostgreSQL refuses it.
 */
export async function storeInOrder<Item>(items: readonly Item[], options: OrderedWrite<Item>): Promise<void> {
  if (items.length === 0) return;
  try {
    await options.write(items);
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal && !(error instanceof BadUpstreamData)) throw error;
    if (items.length > 1) {
      const half = items.length >> 1;
      await storeInOrder(items.slice(0, half), options);
      return storeInOrder(items.slice(half), options);
    }
    const [item] = items;
    if (!refusal || item === undefined) throw error;
    throw new RefusedValue(`${options.nameOf(item)} cannot be stored: ${refusal.reason}`, refusal.detail);
  }
}

/** Within this number of blocks from the node's head, each block is written in its own transaction. */
const NEAR_HEAD = 16;

/** True if so many blocks are missing that they are written in large transactions, whose commit does not wait for the disk. */
export const isFarBehind = (blockNumber: number, nodeHead: number): boolean => nodeHead - blockNumber > NEAR_HEAD;

interface BlocksWrite<Block> extends Pick<OrderedWrite<Block>, "nameOf"> {
  /** The last block before these ones. */
  readonly after: number;
  readonly nodeHead: number;
  /** Writes blocks in one transaction. If it rejects, nothing is written. */
  readonly write: (blocks: readonly Block[], options: { readonly relaxed: boolean }) => Promise<void>;
  readonly progress: Pick<Progress, "update">;
}

/** Writes blocks like `storeInOrder`: block by block near the node's head, else together. */
export async function storeBlocks<Block>(
  blocks: readonly Block[],
  { after, nodeHead, write, nameOf, progress }: BlocksWrite<Block>,
): Promise<void> {
  if (blocks.length === 0) return;
  const relaxed = isFarBehind(after, nodeHead);
  for (const group of relaxed ? [blocks] : blocks.map((block) => [block]))
    await storeInOrder(group, { nameOf, write: (some) => write(some, { relaxed }) });
  if (relaxed) progress.update({ state: "BACKFILLING", reason: null });
}
