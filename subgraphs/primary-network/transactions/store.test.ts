import { hash } from "node:crypto";
import { createLogger } from "../../../core/observability/logger.ts";
import { createWork, SERVICE_WORK } from "../../../core/work/work.ts";
import { ALPHA } from "../../../recordings/replay-node.ts";
import { testConfig } from "../../../test/support/config.ts";
import { scansOf } from "../../../test/support/database/plans.ts";
import { servedNetworks } from "../../../test/support/indexed/alpha-network.ts";
import { type ReplayedPrimary, replayPrimary } from "../../../test/support/indexed/replayed-primary.ts";
import { keysetOf } from "../../shared/rows/keyset.ts";
import type { PrimaryContext } from "../context.ts";
import { createSubgraph as createPrimaryNetworkSubgraph } from "../subgraph.ts";
import type { UtxoRow } from "../utxos/rows.ts";
import { utxoBytes } from "../utxos/serialise.ts";
import { parseFilter } from "./filter.ts";
import { pageStatement, TRANSACTION_ORDER } from "./rows.ts";
import { type PrimaryNetworkTransaction, PrimaryNetworkTransactionsArgs } from "./types.ts";

let database: ReplayedPrimary;
let context: PrimaryContext;

beforeAll(async () => {
  database = await replayPrimary(ALPHA);
  context = await newContext();
});
afterAll(() => database[Symbol.asyncDispose]());

/** A context of new stores, which have read nothing yet. */
async function newContext(): Promise<PrimaryContext> {
  const config = { ...testConfig(), primaryNetworks: servedNetworks(ALPHA) };
  const subgraph = await createPrimaryNetworkSubgraph({ config, database, logger: createLogger("error") });
  return subgraph.context({ work: createWork(), requestId: "test" });
}

type Filter = NonNullable<PrimaryNetworkTransactionsArgs["filter"]>;
type Asked = Partial<PrimaryNetworkTransactionsArgs> & Pick<Filter, "addresses" | "types">;

async function page({ addresses, types, ...given }: Asked, { networks, transactions } = context) {
  const filter = { addresses: addresses ?? null, types: types ?? null };
  const withDefaults = { network: "fuji", blockchainId: "p-chain", filter, ...given } as const;
  const args = Object.assign(new PrimaryNetworkTransactionsArgs(), withDefaults);
  const served = await networks.requireChain(args.network, args.blockchainId);
  return transactions.page(served.network, parseFilter(served, args), args, SERVICE_WORK);
}

const hashes = (items: readonly PrimaryNetworkTransaction[]) => items.map(({ txHash }) => txHash);
const OWNER = "custom1n00p549qkx67aqelx2mvle8nxme3efqkuzxlzu";

/** Runs `task` between a change of the database and its reversal. */
async function whileChanged(change: string, undo: string, task: () => Promise<void>): Promise<void> {
  expect((await database.pool.query(change)).rowCount).toBeGreaterThan(0);
  await task().finally(() => database.pool.query(undo));
}

describe("pages of primary network transactions", () => {
  it("E5 transactions of an unknown type are UNKNOWN and can be filtered by it", async () => {
    await whileChanged(
      "UPDATE primary_transactions SET tx_type = 'FutureTx' WHERE tx_type = 'ExportTx'",
      "UPDATE primary_transactions SET tx_type = 'ExportTx' WHERE tx_type = 'FutureTx'",
      () =>
        whileChanged(
          "UPDATE primary_address_transactions SET tx_type = 'FutureTx' WHERE tx_type = 'ExportTx'",
          "UPDATE primary_address_transactions SET tx_type = 'ExportTx' WHERE tx_type = 'FutureTx'",
          async () => {
            const all = await page({ addresses: [OWNER], first: 100 });
            const unknown = all.nodes.filter(({ txType }) => txType === "UNKNOWN");
            expect(unknown.length).toBeGreaterThan(0);
            const found = await page({ addresses: [OWNER], types: ["UNKNOWN"] });
            expect(hashes(found.nodes)).toEqual(hashes(unknown));
            const more = await page({ addresses: [OWNER], types: ["UNKNOWN", "BaseTx"], first: 100 });
            const both = all.nodes.filter(({ txType }) => txType === "UNKNOWN" || txType === "BaseTx");
            expect(hashes(more.nodes)).toEqual(hashes(both));
            expect((await page({ addresses: [OWNER], types: ["ExportTx"] })).nodes).toEqual([]);
          },
        ),
    );
  });

  it("E5 an imported output whose export is not indexed shows what the import contains", async () => {
    const before = await page({ blockchainId: "x-chain", addresses: [OWNER], types: ["ImportTx"] });
    const [imported] = before.nodes.flatMap(({ importedUtxos }) => importedUtxos ?? []);
    const id = `'\\x${imported?.utxoId.slice(2)}'`;
    await database.pool.query(`CREATE TABLE kept_utxo AS SELECT * FROM utxos WHERE utxo_id = ${id}`);
    await whileChanged(
      `UPDATE utxos SET created_timestamp = NULL, created_block_number = NULL, addresses = '{}', threshold = 0 WHERE utxo_id = ${id}`,
      `UPDATE utxos SET created_timestamp = k.created_timestamp, created_block_number = k.created_block_number,
         addresses = k.addresses, threshold = k.threshold FROM kept_utxo k WHERE utxos.utxo_id = k.utxo_id`,
      async () => {
        const { nodes } = await page({ blockchainId: "x-chain", addresses: [OWNER], types: ["ImportTx"] });
        const utxo = nodes
          .flatMap(({ consumedUtxos }) => consumedUtxos)
          .find(({ utxoId }) => utxoId === imported?.utxoId);
        expect(utxo).toMatchObject({
          addresses: [],
          blockNumber: "0",
          blockTimestamp: "0",
          amount: imported?.amount,
          asset: imported?.asset,
          createdOnChainId: imported?.createdOnChainId,
          consumingTxHash: imported?.consumingTxHash,
        });
        expect([utxoBytes(utxo?.row as UtxoRow), utxoBytes(imported?.row as UtxoRow)]).toEqual([
          null,
          expect.stringMatching(/^0x0000[0-9a-f]+$/),
        ]);
      },
    );
    const after = await page({ blockchainId: "x-chain", addresses: [OWNER], types: ["ImportTx"] });
    expect(after).toEqual(before);
  });

  it("E5 an asset whose creation is not indexed has no name, symbol or decimals", async () => {
    const asked: Asked = {
      blockchainId: "x-chain",
      addresses: [OWNER],
      types: ["CreateAssetTx"],
      first: 1,
    };
    const { nodes } = await page(asked);
    const id = `'\\x${nodes[0]?.txHash.slice(2)}'`;
    await database.pool.query(`CREATE TABLE kept AS SELECT * FROM primary_assets WHERE asset_id = ${id}`);
    await whileChanged(
      `DELETE FROM primary_assets WHERE asset_id = ${id}`,
      "INSERT INTO primary_assets SELECT * FROM kept",
      async () => {
        const found = await page(asked, await newContext());
        expect(found.nodes[0]?.assetCreated).toBeNull();
        const created = found.nodes[0]?.emittedUtxos.filter(({ assetId }) => assetId === nodes[0]?.txHash) ?? [];
        expect(created.length).toBeGreaterThan(0);
        for (const { asset } of created) expect(asset).toMatchObject({ name: "", symbol: "", denomination: 0 });
      },
    );
  });

  it("E5 amounts have the kind of their outputs, also of an asset with both fungible outputs and NFTs", async () => {
    const list = { blockchainId: "x-chain", addresses: [OWNER], first: 100 };
    const outputs = (await page(list)).nodes.flatMap(({ emittedUtxos }) => emittedUtxos);
    const nft = outputs.find(({ row }) => row.outputType === "nftfx.TransferOutput");
    const fungible = outputs.find(
      ({ row, amount }) => row.outputType === "secp256k1fx.TransferOutput" && amount !== "0",
    );
    expect([nft?.asset.type, fungible?.asset.type]).toEqual(["nft", "secp256k1"]);
    const id = `'\\x${fungible?.assetId.slice(2)}'`;
    await whileChanged(
      `UPDATE primary_assets SET asset_type = 'nft' WHERE asset_id = ${id}`,
      `UPDATE primary_assets SET asset_type = 'secp256k1' WHERE asset_id = ${id}`,
      async () => {
        const { nodes } = await page(list);
        const assets = nodes
          .flatMap(({ emittedUtxos, value }) => [...emittedUtxos.map(({ asset }) => asset), ...value])
          .filter(({ assetId, amount }) => assetId === fungible?.assetId && amount !== "0");
        expect(assets.length).toBeGreaterThan(1);
        for (const { type } of assets) expect(type).toBe("secp256k1");
      },
    );
  });

  it("E5 a transaction that is indexed between two pages does not shift them", async () => {
    const whole = hashes((await page({ first: 20 })).nodes);
    const first = await page({ first: 7 });
    await whileChanged(
      `INSERT INTO primary_transactions SELECT (jsonb_populate_record(NULL::primary_transactions, to_jsonb(t) || jsonb_build_object('tx_seq', tx_seq + 1000, 'tx_hash', '\\x' || repeat('ab', 32)))).*
       FROM primary_transactions t WHERE chain = 'P' ORDER BY tx_seq LIMIT 1`,
      "DELETE FROM primary_transactions WHERE chain = 'P' AND tx_seq >= 1000",
      async () => {
        const second = await page({ first: 13, after: first.nextPageToken });
        expect([...hashes(first.nodes), ...hashes(second.nodes)]).toEqual(whole);
        expect(hashes((await page({ first: 1 })).nodes)).toEqual([`0x${"ab".repeat(32)}`]);
      },
    );
  });
});

describe("statements for a page of transactions", () => {
  const COPIES = 20_000;
  const LIMIT = 101;

  beforeAll(async () => {
    await database.pool.query(
      `INSERT INTO primary_transactions SELECT r.*
       FROM (SELECT * FROM primary_transactions WHERE chain = 'X' ORDER BY tx_seq DESC LIMIT 1) t, generate_series(1, ${COPIES}) n,
         jsonb_populate_record(NULL::primary_transactions, to_jsonb(t) || jsonb_build_object('tx_seq', 10000 + n, 'block_timestamp', t.block_timestamp + n,
           'tx_hash', '\\x' || encode(sha256(n::text::bytea), 'hex'))) r`,
    );
    await database.pool.query(
      `INSERT INTO primary_address_transactions
       SELECT network_id, chain, owner, tx_seq, 'BaseTx', block_timestamp FROM primary_transactions,
         (VALUES (sha256('one')), (sha256('two'))) AS owners(owner) WHERE chain = 'X' AND tx_seq > 10000`,
    );
    await database.pool.query(
      `INSERT INTO l1_validator_transactions
       SELECT network_id, sha256('validation'), tx_seq, 'BaseTx', block_timestamp FROM primary_transactions WHERE tx_seq > 10000`,
    );
    await database.pool.query("ANALYZE");
  });

  const digest = (name: string) => hash("sha256", name);
  const ids = (names: readonly string[]) => `{${names.map((name) => `"\\\\x${digest(name)}"`).join(",")}}`;
  const values = [76_001, "X"];
  const none = [null, false, null, null];

  it.each([
    ["a chain", "chain", [LIMIT], 1],
    ["an address", "address", [LIMIT, `\\x${digest("one")}`], 1],
    ["two addresses", "addresses", [LIMIT, ids(["one", "two"]), 72], 2],
    ["a validation", "validation", [LIMIT, `\\x${digest("validation")}`, null], 1],
  ] as const)(
    "for %s reads no more rows than the page has, in both directions",
    async (_, source, parameters, lists) => {
      for (const sortOrder of ["desc", "asc"] as const)
        for (const isFiltered of source === "chain" ? [false] : [false, true]) {
          const keyset = keysetOf(TRANSACTION_ORDER, ["$3"], sortOrder === "asc");
          const statement = pageStatement({ source, isFiltered }, keyset);
          const filters = isFiltered ? none : [];
          const read = await scansOf(database.pool, statement, [...values, "15000", ...parameters, ...filters]);
          expect(read.length).toBeGreaterThan(0);
          for (const { table, rows } of read) expect([table, rows <= LIMIT * lists]).toEqual([table, true]);
        }
    },
  );
});
