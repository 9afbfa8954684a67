import { buildVertex, vertexEntries } from "../../../test/support/built/blocks.ts";
import { type BuiltTransaction, transactionsOf } from "../../../test/support/built/transactions.ts";
import { isFullRun } from "../../../test/support/full.ts";
import { type BuiltNetwork, openBuiltNetwork } from "../../../test/support/indexed/built-network.ts";
import { createRandomIntegers } from "../../../test/support/random.ts";
import { readPrimaryRecording } from "../../../test/support/recorded/primary-recording.ts";
import { recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";
import { type DecodedEntry, type DecodedVertex, decodeEntries } from "../decode/entries.ts";

const recording = readPrimaryRecording(recordingFolder("delta"));
const { network, entries, atomicBlocks } = recording;
const ORDERS = isFullRun ? 20 : 3;

type Random = (below: number) => number;

function randomOf(seed: number): Random {
  const next = createRandomIntegers(seed);
  return (below) => next() % below;
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const left = [...items];
  return items.map(() => left.splice(random(left.length), 1)[0] as Item);
}

/** A random order in which each vertex comes after its parents, with a random order of the transactions in each vertex. */
function reordered(vertices: readonly DecodedVertex[], random: Random): DecodedVertex[] {
  const placed = new Set<string>();
  const known = new Set(vertices.map(({ vertex }) => vertex.id));
  let left = [...vertices];
  const order: DecodedVertex[] = [];
  while (left.length > 0) {
    const free = left.filter(({ vertex }) => vertex.parentIds.every((id) => placed.has(id) || !known.has(id)));
    const chosen = free[random(free.length)] as DecodedVertex;
    left = left.filter((one) => one !== chosen);
    placed.add(chosen.vertex.id);
    order.push(chosen);
  }
  return order.map(({ entry, vertex }) => ({
    entry,
    vertex: { ...vertex, transactions: shuffled(vertex.transactions, random) },
  }));
}

/** The rows without positions in the order of vertices, which is the order of acceptance. */
const ROWS: Readonly<Record<string, string>> = {
  primary_transactions: "SELECT to_jsonb(t) - '{tx_seq,vertex_index}'::text[] AS row FROM primary_transactions t",
  primary_address_transactions: `SELECT to_jsonb(a) - 'tx_seq' || jsonb_build_object('tx', t.tx_hash) AS row
    FROM primary_address_transactions a JOIN primary_transactions t USING (network_id, chain, tx_seq)`,
  primary_exceptions: "SELECT to_jsonb(e) - 'tx_seq' AS row FROM primary_exceptions e",
  utxos: "SELECT to_jsonb(u) AS row FROM utxos u",
  primary_assets: "SELECT to_jsonb(a) AS row FROM primary_assets a",
  primary_blocks: "SELECT to_jsonb(b) AS row FROM primary_blocks b",
  x_chain_vertices: `SELECT to_jsonb(v) - '{vertex_index,tx_hashes}'::text[] ||
    jsonb_build_object('txs', array(SELECT unnest(v.tx_hashes) ORDER BY 1)) AS row FROM x_chain_vertices v`,
};

async function rowsOf({ rows }: BuiltNetwork): Promise<Record<string, readonly unknown[]>> {
  const tables: Record<string, readonly unknown[]> = {};
  for (const [table, text] of Object.entries(ROWS))
    tables[table] = (await rows(`SELECT row::text FROM (${text}) r ORDER BY 1`)).map(({ row }) => row);
  return tables;
}

interface Run {
  readonly x: readonly DecodedEntry[];
  readonly size: number;
  readonly isXFirst: boolean;
}

/** The rows after a replay of X in batches, before or after P and C. */
async function replayed({ x, size, isXFirst }: Run): Promise<Record<string, readonly unknown[]>> {
  await using built = await openBuiltNetwork(network);
  const others = async () => {
    await built.replay.accept("P", entries.P);
    await built.replay.acceptAtomic(atomicBlocks);
  };
  if (!isXFirst) await others();
  const numbered = x.map((one, seq) => ({ ...one, entry: { ...one.entry, seq } }));
  for (let from = 0; from < numbered.length; from += size)
    await built.replay.acceptDecoded("X", numbered.slice(from, from + size));
  if (isXFirst) await others();
  return await rowsOf(built);
}

/** Vertices whose transactions spend outputs of one another. Each sender spends all that it has, and gets no change. */
async function vertexesWithoutChange(random: Random): Promise<DecodedEntry[]> {
  const { networkId, xChainId, avaxAssetId: assetId } = network;
  const X = transactionsOf("X", networkId, xChainId);
  const address = (index: number) => index.toString(16).padStart(40, "0");
  const transactions: BuiltTransaction[] = [];
  for (let index = 0; index < 40; index++) {
    const previous = index % 8 === 0 ? null : transactions[index - 1];
    const inputs = previous ? [{ txId: previous.id, outputIndex: 0, assetId, amount: 7 }] : [];
    transactions.push(
      X.base({ inputs, outputs: [{ assetId, amount: 7, owners: [address(index)] }], memo: `${index}` }),
    );
  }
  const groups = Array.from({ length: 12 }, (): BuiltTransaction[] => []);
  for (const tx of transactions) groups[random(groups.length)]?.push(tx);
  const vertices = groups.map((group, height) => buildVertex(xChainId, height, [], group));
  return decodeEntries("X", vertexEntries(vertices, 1_700_000_000));
}

const SIZES = [1, 5, 40, 1_000] as const;

describe("the order of vertices after their parents, and of transactions in a vertex, changes no row, for every size of batches:", () => {
  async function check(all: readonly DecodedEntry[], random: Random): Promise<void> {
    const sameTime = all.map((one) =>
      "vertex" in one ? { ...one, entry: { ...one.entry, acceptedAt: 1_700_000_000 } } : one,
    );
    const vertices = sameTime.filter((one) => "vertex" in one);
    const blocks = sameTime.filter((one) => !("vertex" in one));
    const expected = await replayed({ x: sameTime, size: 1_000, isXFirst: false });
    expect(expected["primary_exceptions"]).toEqual([]);
    for (let order = 0; order < ORDERS; order++) {
      const x = [...reordered(vertices, random), ...blocks];
      const size = SIZES[order % SIZES.length] as number;
      expect(await replayed({ x, size, isXFirst: order % 2 === 0 })).toEqual(expected);
    }
  }

  it("those of recording delta (M6, M7)", async () => {
    await check(await decodeEntries("X", entries.X), randomOf(6));
  });

  it("those whose senders get no change (M6, M7)", async () => {
    const random = randomOf(7);
    await check(await vertexesWithoutChange(random), random);
  });
});
