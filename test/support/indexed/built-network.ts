import type { NetworkFacts } from "../../../indexer/primary/network/network.ts";
import { createRawBlockPartition, type RawBlockEntry } from "../../../indexer/primary/raw-blocks/entries.ts";
import type { AtomicBlock } from "../../../indexer/primary/replay/atomic.ts";
import { openReplay, type PrimaryReplay } from "../../../indexer/primary/replay/replay.ts";
import { tryBecomeWriter } from "../../../indexer/shared/writer.ts";
import { createTestDatabase, type TestDatabase } from "../database/database.ts";
import { storeFacts } from "./replayed-primary.ts";

/** A primary network whose blocks a test has built. */
export interface BuiltNetwork extends AsyncDisposable {
  readonly database: TestDatabase;
  /** Replays entries of a chain in batches of `size`, each with a state that is read from the database. */
  accept(chain: "P" | "X", entries: readonly RawBlockEntry[], size?: number): Promise<void>;
  acceptAtomic(blocks: readonly AtomicBlock[], size?: number): Promise<void>;
  readonly replay: PrimaryReplay;
  /** Reads the state from the database again, as a start of the indexer does. */
  reopen(): Promise<void>;
  /** The rows of a statement, without network. */
  rows<Row extends Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Opens an empty database with the genesis of a network. */
export async function openBuiltNetwork(network: NetworkFacts): Promise<BuiltNetwork> {
  const database = await createTestDatabase();
  const writer = await tryBecomeWriter(database.url, "primary");
  if (!writer) throw new Error("the database has a writer already");
  await writer.transaction((session) => storeFacts(session, network));
  await createRawBlockPartition(writer, network.networkId);
  let replay = await openReplay({ writer, network });
  const reopen = async () => {
    replay = await openReplay({ writer, network });
  };
  const inBatches = async <Item>(
    items: readonly Item[],
    size: number,
    write: (some: readonly Item[]) => Promise<void>,
  ) => {
    for (let from = 0; from < items.length; from += size) {
      await write(items.slice(from, from + size));
      await reopen();
    }
  };
  return {
    database,
    get replay() {
      return replay;
    },
    reopen,
    accept: (chain, entries, size = entries.length) => inBatches(entries, size, (some) => replay.accept(chain, some)),
    acceptAtomic: (blocks, size = blocks.length) => inBatches(blocks, size, (some) => replay.acceptAtomic(some)),
    rows: async <Row extends Record<string, unknown>>(text: string, values: readonly unknown[] = []) =>
      (await database.pool.query<Row>(text, [...values])).rows,
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
