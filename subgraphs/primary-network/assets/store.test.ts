import { SERVICE_WORK } from "../../../core/work/work.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { createAssetStore } from "./store.ts";

const id = (digit: string): string => `0x${digit.repeat(64)}`;
const NETWORK = { network: "fuji", networkId: "5" } as const;
const OTHER = { network: "mainnet", networkId: "6" } as const;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  for (const { networkId } of [NETWORK, OTHER])
    await database.pool.query(
      `CREATE TABLE primary_assets_${networkId} PARTITION OF primary_assets FOR VALUES IN (${networkId})`,
    );
});
afterAll(() => database[Symbol.asyncDispose]());

async function insert(networkId: string, digit: string, name: string): Promise<void> {
  await database.pool.query(
    `INSERT INTO primary_assets (network_id, asset_id, name, symbol, denomination, asset_type, cap, create_timestamp)
     VALUES ($1, decode($2, 'hex'), $3, 'S', 9, 'secp256k1', 'fixed', 7)`,
    [networkId, digit.repeat(64), name],
  );
}

describe("the store of assets", () => {
  it("reads an asset once, each asset that is not indexed again, and those of each network apart", async () => {
    await insert("5", "a", "é");
    await insert("6", "a", "other");
    const { byIds } = createAssetStore(database);
    const ask = async (network: typeof NETWORK | typeof OTHER, ...digits: string[]) => {
      let names: unknown[] = [];
      const statements = await statementsOf(async () => {
        const found = await byIds(network, digits.map(id), SERVICE_WORK);
        names = [...found].map(([assetId, asset]) => [assetId === asset.assetId, asset.name]);
      });
      return [names, statements.length];
    };
    expect(await ask(NETWORK, "a", "b")).toEqual([[[true, "é"]], 1]);
    expect(await ask(NETWORK, "a")).toEqual([[[true, "é"]], 0]);
    expect(await ask(OTHER, "a")).toEqual([[[true, "other"]], 1]);
    await insert("5", "b", "later");
    expect(await ask(NETWORK, "a", "b")).toEqual([
      [
        [true, "é"],
        [true, "later"],
      ],
      1,
    ]);
    expect(await ask(NETWORK, "b", "a")).toEqual([expect.anything(), 0]);
  });
});
