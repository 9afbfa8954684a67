import { parseIdText } from "../../../core/formats/id-text.ts";
import { UPGRADES, type UpgradeTimes } from "../../../core/networks/upgrades.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { RpcError } from "../../shared/node/errors.ts";
import { defaultRules } from "../network/rules.ts";
import { checkpointsOf, compareCheckpoints } from "./checkpoints.ts";
import type { ComparisonDeps } from "./comparison.ts";
import { DifferentHeights, untilSameHeights } from "./heights.ts";
import { nullIfAbsent } from "./node.ts";

const MAINNET = 1;
const PUBLISHED = Date.parse("2025-08-23T00:00:00Z") / 1_000;
const CHAINS = ["P", "X", "C"] as const;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query("CREATE TABLE primary_blocks_1 PARTITION OF primary_blocks FOR VALUES IN (1)");
});
afterEach(() => database.pool.query("TRUNCATE primary_blocks, primary_heads, primary_progress"));
afterAll(() => database[Symbol.asyncDispose]());

/** A comparison with a node that is at these heights; each request moves the heights of the next one. */
function comparison(heights: Readonly<Record<string, number>>[] = [{}]): ComparisonDeps {
  const methods = { "platform.getHeight": "P", "avm.getHeight": "X", eth_blockNumber: "C" } as const;
  let requests = 0;
  return {
    pool: database.pool,
    network: { networkId: MAINNET, hrp: "avax", ...defaultRules(MAINNET) },
    node: {
      async ask(_, method) {
        const at = heights[Math.min(Math.floor(requests++ / CHAINS.length), heights.length - 1)];
        const height = at?.[methods[method as keyof typeof methods]] ?? 0;
        return method === "eth_blockNumber" ? `0x${height.toString(16)}` : { height: String(height) };
      },
    },
  };
}

interface Block {
  readonly chain: string;
  readonly id: string;
  readonly hasWrapper?: boolean;
  readonly time?: number;
}

let number = 0;
async function insertBlocks(blocks: readonly Block[]): Promise<void> {
  for (const { chain, id, hasWrapper = true, time = PUBLISHED + 1 } of blocks) {
    const bytes = Buffer.from(parseIdText(id) ?? id, "hex");
    const own = Buffer.alloc(32);
    own.writeUInt32BE(++number);
    await database.pool.query(
      `INSERT INTO primary_blocks (network_id, chain, block_number, block_hash, parent_hash, block_type, block_timestamp, tx_hashes, size_bytes, proposer_id)
       VALUES (1, $1, $2, $3, '\\x', 'BanffStandardBlock', $4, '{}', 1, $5)`,
      [chain, number, hasWrapper ? own : bytes, time, hasWrapper ? bytes : null],
    );
  }
}

const everyCheckpoint = (): Block[] =>
  checkpointsOf(MAINNET).flatMap(({ chain, ids }) => ids.map((id) => ({ chain, id })));

describe("checkpoints", () => {
  it("are 99 ids of each chain of mainnet and Fuji, and none of other networks", () => {
    for (const networkId of [1, 5]) {
      const lists = checkpointsOf(networkId);
      expect(lists.map(({ chain, ids }) => [chain, new Set(ids.map(parseIdText)).size])).toEqual(
        CHAINS.map((chain) => [chain, 99]),
      );
    }
    expect(checkpointsOf(76_001)).toEqual([]);
  });

  it("are all in a complete index", async () => {
    await insertBlocks(everyCheckpoint());
    expect(await compareCheckpoints(comparison())).toEqual({ compared: 3 * 99, differences: [] });
  });

  it.each(CHAINS)("one that is missing on the %s-Chain is a difference", async (chain) => {
    const all = everyCheckpoint();
    const missing = all.find((one) => one.chain === chain) as Block;
    await insertBlocks(all.filter((one) => one !== missing));
    expect(await compareCheckpoints(comparison())).toEqual({
      compared: 3 * 99,
      differences: [
        {
          what: `checkpoint ${missing.id} of the ${chain}-Chain`,
          indexed: "nothing",
          node: "a block that the network accepted",
        },
      ],
    });
  });

  it("that are not found are not differences before the time of their list, and without wrappers", async () => {
    const [first, second] = everyCheckpoint() as [Block, Block];
    await insertBlocks([{ ...first, time: PUBLISHED - 1 }]);
    expect(await compareCheckpoints(comparison())).toEqual({ compared: 1, differences: [] });
    await insertBlocks([{ ...second, hasWrapper: false }]);
    expect(await compareCheckpoints(comparison())).toEqual({ compared: 2, differences: [] });
  });

  it("before Apricot Phase 4 are found by the block's own id", async () => {
    const upgrades = Object.fromEntries(UPGRADES.map((name) => [name, PUBLISHED])) as UpgradeTimes;
    const deps = comparison();
    await insertBlocks(everyCheckpoint().map((block) => ({ ...block, hasWrapper: false })));
    const network = { ...deps.network, upgrades };
    expect(await compareCheckpoints({ ...deps, network })).toEqual({ compared: 3 * 99, differences: [] });
  });
});

describe("heights", () => {
  async function insertHeads(heights: Readonly<Record<string, number>>, silentSeconds: number): Promise<void> {
    for (const [chain, height] of Object.entries(heights)) {
      await database.pool.query("INSERT INTO primary_heads VALUES (1, $1, $2, $2, '\\x', '\\x', 0, 0, 1)", [
        chain,
        height,
      ]);
      await database.pool.query(
        `INSERT INTO primary_progress (network_id, chain, state, blocks_per_second, updated_at)
         VALUES (1, $1, 'FOLLOWING', 0, extract(epoch FROM now())::bigint - $2)`,
        [chain, silentSeconds],
      );
    }
  }

  it("must be equal on every indexed chain before anything is compared", async () => {
    await insertHeads({ P: 5, X: 6 }, 0);
    await untilSameHeights(comparison([{ P: 5, X: 6, C: 7 }]), 0);
  });

  it("are read again until the index has the node's last blocks", async () => {
    await insertHeads({ P: 5, X: 6, C: 7 }, 0);
    await untilSameHeights(
      comparison([
        { P: 4, X: 6, C: 7 },
        { P: 5, X: 5, C: 7 },
        { P: 5, X: 6, C: 7 },
      ]),
      0,
    );
  });

  it.each([
    [
      { P: 336, X: 6 },
      90,
      /^nothing was compared: p-chain is indexed up to block 336, and the node is at block 337; the indexer does not run: start it/,
    ],
    [
      { P: 336, X: 6 },
      0,
      /block 336, and the node is at block 337; wait until the indexer has caught up, then run the command again$/,
    ],
    [
      { P: 338, X: 6 },
      0,
      /block 338, and the node is at block 337; wait until the node has caught up, then run the command again$/,
    ],
    [{ P: 337, X: 5 }, 0, /^nothing was compared: x-chain is indexed up to block 5, and the node is at block 6;/],
  ])("that stay different are an error with both heights: %j", async (heads, silentSeconds, message) => {
    await insertHeads(heads, silentSeconds);
    const compared = untilSameHeights(comparison([{ P: 337, X: 6, C: 0 }]), 0);
    await expect(compared).rejects.toThrow(DifferentHeights);
    await expect(compared).rejects.toThrow(message);
  });

  const failing = (code: number, message: string): ComparisonDeps => {
    const { node, ...deps } = comparison([{ P: 5, X: 6, C: 7 }]);
    const ask: typeof node.ask = async (path, method, params) => {
      if (method === "avm.getHeight") throw new RpcError(code, message);
      return node.ask(path, method, params);
    };
    return { ...deps, node: { ask } };
  };

  it("are not compared for an X-Chain that still has vertices", async () => {
    await insertHeads({ P: 5, X: -1 }, 0);
    await untilSameHeights(failing(-32000, "chain is not linearized"), 0);
  });

  it("that the node fails to return end the comparison", async () => {
    await insertHeads({ P: 5, X: 6 }, 0);
    await expect(untilSameHeights(failing(-32000, "database closed"), 0)).rejects.toThrow("database closed");
  });
});

describe("what the node does not have", () => {
  const answerTo = (code: number, message: string) => nullIfAbsent(Promise.reject(new RpcError(code, message)));

  it.each<[number, string]>([
    [-32000, "not found"],
    [-32000, "fetching current supply failed: not found"],
    [-32000, 'fetching L1 validator "2Z36RnQuk1hvsnFeGWzfZUfXNr7w1SjzmDQ78YxfTVNAkDq3nZ" failed: not found'],
    [-32000, 'rpc: can\'t find method "platform.GetSubnet"'],
    [-32601, "the method eth_blockNumber does not exist/is not available"],
  ])("is null: %i %s", async (code, message) => {
    expect(await answerTo(code, message)).toBeNull();
  });

  it.each<[number, string]>([
    [-32000, "database closed"],
    [-32603, "Internal error"],
    [-32000, "not found in time, try again"],
  ])("is no passing failure: %i %s", async (code, message) => {
    await expect(answerTo(code, message)).rejects.toThrow(message);
  });
});
