import type pg from "pg";
import type { Config } from "../../core/config/config-schema.ts";
import type { ExportFileForm, ExportRequest, PrimaryExportRequest } from "../../core/database/operations.ts";
import { checksumAddress } from "../../core/formats/address.ts";
import { demoConfig } from "../../recordings/demo.ts";
import { readManifest } from "../../recordings/manifest.ts";
import { testConfig } from "../../test/support/config.ts";
import type { TestDatabase } from "../../test/support/database/database.ts";
import { type ExportedRow, evmRequest, exportedRows, primaryRequest } from "../../test/support/exported-rows.ts";
import { sampled } from "../../test/support/full.ts";
import { servedCChain, servedNetworks } from "../../test/support/indexed/alpha-network.ts";
import { indexedChains } from "../../test/support/indexed/indexed.ts";
import { type OpenedPrimary, openPrimary } from "../../test/support/indexed/primary-snapshots.ts";
import { describeAllRecordings, describeCChains } from "../../test/support/recorded/primary-vectors.ts";
import { EVM_COLUMNS } from "./evm/columns.ts";
import { MOVEMENT_COLUMNS, SIMPLE_COLUMNS } from "./primary/movement-columns.ts";
import { addressesText } from "./primary/network.ts";
import { STAKE_COLUMNS } from "./primary/stake-columns.ts";

/** What the rules of a file's form are checked with. */
interface Exported {
  readonly pool: pg.Pool;
  readonly config: Config;
  readonly request: ExportRequest;
  /** Requests of one address each, by the texts that the column has for it. */
  readonly ofEach: readonly (readonly [text: string, request: ExportRequest])[];
  readonly columns: readonly { readonly name: string; readonly kind: string }[];
  /** Columns that together identify a row. */
  readonly key: readonly string[];
  /** A request whose rows are the same and have the columns of the key. Default: the request itself. */
  readonly keyed?: (request: ExportRequest) => ExportRequest;
}

async function expectForms({
  pool,
  config,
  request,
  ofEach,
  columns,
  key,
  keyed = (of) => of,
}: Exported): Promise<void> {
  const names = columns.map(({ name }) => name);
  const rowsOf = (form: Partial<ExportFileForm> = {}) => exportedRows(pool, { ...request, ...form }, config);
  const rows = await rowsOf();
  expect(rows.length).toBeGreaterThan(0);
  expect(new Set(rows.map((row) => Object.keys(row).join()))).toEqual(new Set([names.join()]));
  await expectTimes(rows, await rowsOf({ dateFormat: "DATE_TIME" }), columns);

  const keysOf = async (of: ExportRequest) =>
    (await exportedRows(pool, keyed(of), config)).map((row) => key.map((name) => row[name]).join(" "));
  const listedFor = new Map<string, Set<string>>();
  for (const [text, own] of ofEach)
    for (const one of await keysOf(own)) listedFor.set(one, (listedFor.get(one) ?? new Set()).add(text));
  const listed = await rowsOf({ exportedAddress: true });
  expect(listed.map(({ ExportedAddress: _, ...others }) => others)).toEqual(rows);
  expect(new Set(listed.map((row) => Object.keys(row).at(-1)))).toEqual(new Set(["ExportedAddress"]));
  const cells = listed.map((row) => row["ExportedAddress"]?.split(";") ?? []);
  expect(cells.map((texts) => texts.toSorted())).toEqual(
    (await keysOf(request)).map((one) => [...(listedFor.get(one) ?? [])].sort()),
  );
  expect(cells.some((texts) => texts.length > 1)).toBe(true);
}

/** Only cells of the kind `time` differ, by their form. */
async function expectTimes(rows: readonly ExportedRow[], formed: readonly ExportedRow[], columns: Exported["columns"]) {
  const times = columns.filter(({ kind }) => kind === "time").map(({ name }) => name);
  expect(times).toContain("BlockTime");
  const iso = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)Z$/;
  for (const row of rows) for (const name of times) if (row[name]) expect(row[name]).toMatch(iso);
  const changed = (row: ExportedRow) =>
    Object.fromEntries(
      Object.entries(row).map(([name, cell]) => [name, times.includes(name) ? cell.replace(iso, "$1 $2") : cell]),
    );
  expect(formed).toEqual(rows.map(changed));
}

const MANY = 20;

describeCChains(
  "the form of an EVM export's file",
  (folder) => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await indexedChains(folder);
    });
    afterAll(() => database?.[Symbol.asyncDispose]());

    it.each([4, MANY])("has times and addresses as the request asks for, with %i addresses", async (count) => {
      const config = testConfig({ evmChains: demoConfig(readManifest(folder), "http://127.0.0.1:1") });
      const chainIds = [String(config.evmChains[0]?.chainId)];
      const { rows } = await database.pool.query<{ address: string }>(
        `SELECT '0x' || encode(a, 'hex') AS address FROM evm_transactions t, LATERAL (VALUES (from_address), (to_address),
           (contract_address)) v (a) WHERE chain_id = $1 AND a IS NOT NULL GROUP BY a ORDER BY count(*) DESC, a LIMIT $2`,
        [chainIds[0], count],
      );
      const addresses = rows.map(({ address }) => address);
      await expectForms({
        pool: database.pool,
        config,
        request: evmRequest({ chainIds, addresses }),
        ofEach: addresses.map((address) => [checksumAddress(address), evmRequest({ chainIds, addresses: [address] })]),
        columns: EVM_COLUMNS,
        key: ["RowType", "BlockNumber", "TxHash", "TraceIndex", "LogIndex", "BatchIndex"],
      });
    });
  },
  { inShortForm: 1 },
);

const MOVEMENT_KEY = ["FundTransferType", "UtxoId"];
const PRIMARY = [
  ["TRANSACTION_EXPORT_PRIMARY_NETWORK", MOVEMENT_COLUMNS, MOVEMENT_KEY],
  ["TRANSACTION_EXPORT_PRIMARY_NETWORK_SIMPLE", SIMPLE_COLUMNS, MOVEMENT_KEY],
  ["TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING", STAKE_COLUMNS, ["TxHash"]],
] as const;

/** The simple rows are those of the full type, without the columns that identify them. */
const withAllColumns = (request: ExportRequest): ExportRequest =>
  request.type === "TRANSACTION_EXPORT_PRIMARY_NETWORK_SIMPLE"
    ? { ...request, type: "TRANSACTION_EXPORT_PRIMARY_NETWORK" }
    : request;

describeAllRecordings(
  "the form of a primary network export's file",
  (folder) => {
    let opened: OpenedPrimary;
    let config: Config;
    let owners: readonly string[];
    let accounts: readonly string[];

    beforeAll(async () => {
      const evmChains = servedCChain(folder);
      opened = await openPrimary(folder, { evmChains });
      config = { ...testConfig(), primaryNetworks: servedNetworks(folder), evmChains };
      const { pool } = opened.database;
      const read = async (text: string) => (await pool.query<{ hex: string }>(text)).rows.map(({ hex }) => `0x${hex}`);
      owners = await read(
        "SELECT DISTINCT encode(owner, 'hex') AS hex FROM utxos, unnest(addresses) AS owner ORDER BY 1",
      );
      accounts = await read(
        `SELECT DISTINCT encode(address, 'hex') AS hex FROM primary_address_transactions a WHERE chain = 'C'
         AND NOT EXISTS (SELECT FROM utxos WHERE a.address = ANY (addresses)) ORDER BY 1`,
      );
    });
    afterAll(() => opened?.[Symbol.asyncDispose]());

    it.each(PRIMARY)("has times and addresses as the request asks for, in %s", async (type, columns, key) => {
      const { networkId, hrp } = opened.recording.network;
      const request = (more: Partial<PrimaryExportRequest>) => primaryRequest({ networkId, type, ...more });
      const addresses = sampled(owners, 12);
      const evmAddresses = sampled(accounts, 4);
      await expectForms({
        pool: opened.database.pool,
        config,
        request: request({ addresses, evmAddresses }),
        ofEach: [
          ...addresses.map(
            (owner) => [addressesText(hrp, `\\x${owner.slice(2)}`), request({ addresses: [owner] })] as const,
          ),
          ...evmAddresses.map((account) => [checksumAddress(account), request({ evmAddresses: [account] })] as const),
        ],
        columns,
        key,
        keyed: withAllColumns,
      });
    });
  },
  { inShortForm: 2 },
);
