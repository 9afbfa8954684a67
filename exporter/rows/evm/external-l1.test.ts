import { testConfig } from "../../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { type ExportedRow, evmRequest, exportedRows } from "../../../test/support/exported-rows.ts";
import { isFullRun } from "../../../test/support/full.ts";
import {
  describeExternalL1,
  EXTERNAL_L1,
  indexExternalL1,
  readExternalL1,
} from "../../../test/support/indexed/external-l1.ts";
import { expectedFacts, type Facts } from "../../../test/support/oracle/facts-oracle.ts";

type Fact = Readonly<Record<string, unknown>>;

/** The tables that an export reads, with the type of their rows and the columns that identify a row in its transaction. */
const TABLES = {
  evm_transactions: { rowType: "NATIVE", keys: {} },
  evm_internal_transactions: { rowType: "INTERNAL", keys: { TraceIndex: "trace_index" } },
  erc721_transfers: { rowType: "ERC721", keys: { LogIndex: "log_index" } },
} as const;
const SIDES = ["from_address", "to_address", "contract_address"];

describeExternalL1("the export of a real L1's transactions", () => {
  let database: TestDatabase;
  let facts: Facts;
  beforeAll(async () => {
    const blocks = readExternalL1();
    facts = expectedFacts(EXTERNAL_L1, blocks);
    database = await createTestDatabase();
    await indexExternalL1(database, blocks);
  }, 90_000);
  afterAll(() => database[Symbol.asyncDispose]());

  (isFullRun ? it : it.skip)(
    "has the rows of each address that receipts and call trees have",
    async () => {
      const chain = {
        chainId: EXTERNAL_L1.chainId,
        nodeUrl: "http://127.0.0.1:1",
        network: "mainnet",
        chainName: "L1",
      };
      const config = testConfig({ evmChains: [chain] });
      const all = Object.keys(TABLES).flatMap((table) => facts[table as keyof typeof TABLES] as readonly Fact[]);
      const addresses = [...new Set(all.flatMap((fact) => SIDES.map((side) => fact[side])))].filter(isAddress);
      expect(addresses.length).toBeGreaterThan(100);
      for (const address of addresses) {
        const request = evmRequest({ chainIds: [String(EXTERNAL_L1.chainId)], addresses: [address] });
        const rows = await exportedRows(database.pool, request, config);
        expect({ address, rows: rows.map(keyOfRow).sort() }).toEqual({ address, rows: expectedKeys(facts, address) });
      }
    },
    300_000,
  );
});

const isAddress = (value: unknown): value is string => /^0x[0-9a-f]{40}$/.test(String(value));

function expectedKeys(facts: Facts, address: string): string[] {
  const keysIn = (table: keyof typeof TABLES) => {
    const { rowType, keys } = TABLES[table];
    return (facts[table] as readonly Fact[])
      .filter((fact) => SIDES.some((side) => fact[side] === address) && fact["internal_tx_type"] !== "UNKNOWN")
      .map((fact) => [rowType, fact["tx_hash"], ...Object.values(keys).map((column) => fact[column])].join(" "));
  };
  return (Object.keys(TABLES) as (keyof typeof TABLES)[]).flatMap(keysIn).sort();
}

function keyOfRow(row: ExportedRow): string {
  const { keys } = Object.values(TABLES).find(({ rowType }) => rowType === row["RowType"]) ?? { keys: {} };
  return [row["RowType"], row["TxHash"], ...Object.keys(keys).map((name) => row[name])].join(" ");
}
