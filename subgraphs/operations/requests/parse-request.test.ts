import { formatAddress } from "../../../core/formats/bech32.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import { createChains } from "../../../core/networks/chains.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { exportConfig } from "../../../test/support/operations/requests.ts";
import { createNetworks } from "../chains/networks.ts";
import { createRequestParser } from "./parse-request.ts";
import type { ExportFileOptions, TransactionExportOptions, TransactionExportRequest } from "./types.ts";

const OWN_X = "11".repeat(32);
const OWN_C = "22".repeat(32);
const nodeUrl = "http://127.0.0.1:1";
const MAINNET = { network: "mainnet", nodeUrl };
/** A private network in the place of Fuji. */
const PRIVATE = { network: "fuji", networkId: 12_345, nodeUrl, genesisFile: "genesis.json" };
const FUJI = { network: "fuji", nodeUrl };
const ANOTHER_PRIVATE = { network: "mainnet", networkId: 777, nodeUrl, genesisFile: "genesis.json" };
const SAME_PREFIX = { network: "fuji", networkId: 778, nodeUrl, genesisFile: "genesis.json" };

const EVM = `0x${"aB".repeat(20)}`;
const HASH = "0102030405060708090a0b0c0d0e0f1011121314";
const bech32 = (prefix: string, chain: string | null = null) => formatAddress({ chain, prefix, address: HASH });
const MAINNET_X = "2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM";
const FUJI_C = "yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp";
const P_CHAIN = "11111111111111111111111111111111LpoYY";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const ids = [OWN_X, OWN_C].map((hex) => `'\\x${hex}'`).join(", ");
  await database.pool.query(`INSERT INTO primary_networks (network_id, hrp, genesis_hash, genesis_timestamp, x_chain_id,
    c_chain_id, avax_asset_id, rules) VALUES (12345, 'local', '\\x00', 0, ${ids}, '\\x00', '{}')`);
});
afterAll(() => database[Symbol.asyncDispose]());

type Options = Readonly<{ [Name in keyof TransactionExportOptions]: unknown }>;

function parse(
  type: string,
  options: Options,
  { primaryNetworks = [MAINNET, PRIVATE], ...dates }: Readonly<Record<string, unknown>> = {},
  file?: ExportFileOptions | null,
) {
  const config = exportConfig({ primaryNetworks });
  const parser = createRequestParser(createChains(config), createNetworks(database, config));
  return parser.parse({ type: `TRANSACTION_EXPORT_${type}`, options, ...dates } as TransactionExportRequest, file);
}

const messageOf = (parsing: Promise<unknown>): Promise<unknown> =>
  parsing.then(
    (request) => request,
    (error: { readonly code?: unknown; readonly message?: unknown }) => [error.code, error.message],
  );

const INVALID = "INVALID_PARAMETER";
const evm = { addresses: [EVM], includeChains: ["43113"] };

const primary = { addresses: [bech32("local")], includeChains: ["p-chain"] };

describe.each([
  ["EVM", evm],
  ["PRIMARY_NETWORK", primary],
  ["PRIMARY_NETWORK_SIMPLE", primary],
  ["PRIMARY_NETWORK_STAKING", primary],
] as const)("the form of the file of %s", (type, options) => {
  const textOf = async (file?: ExportFileOptions | null) => JSON.stringify(await parse(type, options, {}, file));
  const members = async (file: ExportFileOptions) => {
    const { dateFormat, byteOrderMark, exportedAddress } = JSON.parse(await textOf(file));
    return { dateFormat, byteOrderMark, exportedAddress };
  };

  it("has no member in the stored request if it is the default, however it is written", async () => {
    const stored = await textOf();
    expect(stored).not.toMatch(/dateFormat|byteOrderMark|exportedAddress/);
    for (const file of [
      null,
      {},
      { dateFormat: null, byteOrderMark: null, exportedAddress: null },
      { dateFormat: "ISO_8601", byteOrderMark: false, exportedAddress: false },
    ] as const)
      expect(await textOf(file)).toBe(stored);
  });

  it("is stored, so that two requests with different forms are different", async () => {
    expect(await members({ dateFormat: "DATE_TIME" })).toEqual({ dateFormat: "DATE_TIME" });
    expect(await members({ byteOrderMark: true })).toEqual({ byteOrderMark: true });
    expect(await members({ exportedAddress: true })).toEqual({ exportedAddress: true });
    const forms = [{}, { dateFormat: "DATE_TIME" }, { byteOrderMark: true }, { exportedAddress: true }] as const;
    expect(new Set(await Promise.all(forms.map(textOf))).size).toBe(forms.length);
  });
});

describe("the days of an export", () => {
  it.each([
    [{}, null, null],
    [{ firstDate: "2024-02-29" }, "2024-02-29", null],
    [{ startDate: "2023-05-01", endDate: "2023-05-02" }, "2023-05-01", "2023-05-02"],
    [{ firstDate: "2023-05-01", startDate: "2023-05-01", lastDate: "2023-05-01" }, "2023-05-01", "2023-05-01"],
    [{ firstDate: null, lastDate: null, startDate: null, endDate: null }, null, null],
    [{ firstDate: "9999-12-31" }, "9999-12-31", null],
  ])("%j are from %s to %s", async (dates, firstDate, lastDate) => {
    expect(await parse("EVM", evm, dates)).toMatchObject({ firstDate, lastDate });
  });

  it.each([
    "2023-02-30",
    "2023-13-01",
    "2023-00-10",
    "2023-5-1",
    "0000-01-01",
    "2023-05-01T00:00:00Z",
    "",
    " 2023-05-01",
  ])("must exist and be written YYYY-MM-DD: %j is refused", async (date) => {
    for (const name of ["firstDate", "lastDate", "startDate", "endDate"])
      expect(await messageOf(parse("EVM", evm, { [name]: date }))).toEqual([
        INVALID,
        `${name} must be a date that exists, as YYYY-MM-DD, got ${JSON.stringify(date)}`,
      ]);
  });

  it.each([
    [
      { firstDate: "2023-05-01", startDate: "2023-05-02" },
      'firstDate and its deprecated name startDate must be equal if both are given, got firstDate "2023-05-01" and startDate "2023-05-02"',
    ],
    [
      { lastDate: "2023-05-01", endDate: "2023-05-02" },
      'lastDate and its deprecated name endDate must be equal if both are given, got lastDate "2023-05-01" and endDate "2023-05-02"',
    ],
    [
      { firstDate: "2023-05-02", endDate: "2023-05-01" },
      'firstDate must not be after endDate, got firstDate "2023-05-02" and endDate "2023-05-01"',
    ],
    [
      { startDate: "2023-05-02", lastDate: "2023-05-01" },
      'startDate must not be after lastDate, got startDate "2023-05-02" and lastDate "2023-05-01"',
    ],
    [
      { firstDate: "2023-05-02", startDate: "2023-05-02", lastDate: "2023-05-01" },
      'firstDate must not be after lastDate, got firstDate "2023-05-02" and lastDate "2023-05-01"',
    ],
  ])("must not contradict each other: %j", async (dates, message) => {
    expect(await messageOf(parse("EVM", evm, dates))).toEqual([INVALID, message]);
  });
});

it("the longest lists of addresses are parsed in parts, between which the event loop does other work", async () => {
  const addresses = Array.from({ length: 20_000 }, (_, index) =>
    formatAddress({ chain: "P", prefix: "avax", address: index.toString(16).padStart(40, "0") }),
  );
  let iterations = 0;
  let next = setImmediate(function count() {
    iterations++;
    next = setImmediate(count);
  });
  const parsing = parse("PRIMARY_NETWORK", { addresses: [...addresses, "none"], includeChains: ["p-chain"] });
  expect(await messageOf(parsing)).toEqual([
    INVALID,
    'options.addresses[20000] must be a Bech32 address, optionally after P-, X- or C-, got "none"',
  ]);
  clearImmediate(next);
  expect(iterations).toBeGreaterThan(0);
});

describe("the options of an EVM export", () => {
  it("are stored in one form, whatever the order, case and duplicates", async () => {
    const other = `0x${"01".repeat(20)}`;
    const request = await parse("EVM", {
      addresses: [EVM, other, EVM.toLowerCase(), EVM.toUpperCase().replace("0X", "0x")],
      includeChains: [FUJI_C, "99", "43113"],
      compression: "GZIP",
    });
    expect(JSON.stringify(request)).toBe(
      JSON.stringify({
        type: "TRANSACTION_EXPORT_EVM",
        firstDate: null,
        lastDate: null,
        addresses: [other, EVM.toLowerCase()],
        chainIds: ["43113", "99"],
        compression: "GZIP",
      }),
    );
  });

  const many = Array.from({ length: 1_001 }, (_, index) => `0x${index.toString(16).padStart(40, "0")}`);
  it("have at most 1,000 different addresses", async () => {
    const thousand = many.slice(1);
    expect(await parse("EVM", { ...evm, addresses: [...thousand, ...thousand] })).toMatchObject({
      addresses: thousand,
    });
    const message = "options.addresses must have at most 1000 different addresses, got 1001";
    expect(await messageOf(parse("EVM", { ...evm, addresses: many }))).toEqual([INVALID, message]);
  });

  it.each<[Options, string]>([
    [{ includeChains: ["43113"] }, "options.addresses is required for TRANSACTION_EXPORT_EVM"],
    [{ addresses: [EVM], includeChains: null }, "options.includeChains is required for TRANSACTION_EXPORT_EVM"],
    [{ ...evm, addresses: [] }, "options.addresses must not be empty, got []"],
    [{ ...evm, includeChains: [] }, "options.includeChains must not be empty, got []"],
    [
      { ...evm, addresses: [EVM, bech32("avax", "C")] },
      `options.addresses[1] must be an EVM address: 0x and 40 hex digits, got "${bech32("avax", "C")}"`,
    ],
    [
      { ...evm, addresses: [EVM.slice(0, 41)] },
      `options.addresses[0] must be an EVM address: 0x and 40 hex digits, got "${EVM.slice(0, 41)}"`,
    ],
    [{ ...evm, includeChains: ["43113", "1"] }, 'options.includeChains[1] must be in the list of chains, got "1"'],
    [{ ...evm, includeChains: ["c-chain"] }, 'options.includeChains[0] must be in the list of chains, got "c-chain"'],
    [{ ...evm, cChainEvmAddresses: [EVM] }, "options.cChainEvmAddresses is not an option of TRANSACTION_EXPORT_EVM"],
    [{ ...evm, cChainEvmAddresses: [] }, "options.cChainEvmAddresses is not an option of TRANSACTION_EXPORT_EVM"],
  ])("are refused with the member, the rule and the value: %j", async (options, message) => {
    expect(await messageOf(parse("EVM", options))).toEqual([INVALID, message]);
  });
});

describe.each(["PRIMARY_NETWORK", "PRIMARY_NETWORK_SIMPLE", "PRIMARY_NETWORK_STAKING"])("the options of %s", (type) => {
  const address = bech32("avax");

  it("are stored in one form, with the network of the addresses", async () => {
    const options = {
      addresses: [bech32("local", "X"), bech32("local"), bech32("local", "P"), bech32("local", "C")],
      cChainEvmAddresses: [EVM, EVM.toLowerCase()],
      includeChains: ["c-chain", P_CHAIN, "p-chain"],
    };
    expect(JSON.stringify(await parse(type, options))).toBe(
      JSON.stringify({
        type: `TRANSACTION_EXPORT_${type}`,
        network: "fuji",
        networkId: 12_345,
        firstDate: null,
        lastDate: null,
        chains: ["P", "C"],
        addresses: [`0x${HASH}`],
        evmAddresses: [EVM.toLowerCase()],
        compression: "NONE",
      }),
    );
  });

  it.each<[string, Options, string, readonly string[]]>([
    ["a documented id", { cChainEvmAddresses: [EVM], includeChains: [MAINNET_X] }, "mainnet", ["X"]],
    ["a documented id of a replaced network", { cChainEvmAddresses: [EVM], includeChains: [FUJI_C] }, "fuji", ["C"]],
    [
      "an id of its own",
      { cChainEvmAddresses: [EVM], includeChains: [formatId(OWN_X), "c-chain"] },
      "fuji",
      ["X", "C"],
    ],
    ["an id of its own as hex", { cChainEvmAddresses: [EVM], includeChains: [`0x${OWN_C}`] }, "fuji", ["C"]],
    ["an address", { addresses: [address], includeChains: ["x-chain"] }, "mainnet", ["X"]],
  ])("find the network by %s", async (_, options, network, chains) => {
    expect(await parse(type, options)).toMatchObject({ network, chains });
  });

  it("find the network if only one is configured", async () => {
    const options = { cChainEvmAddresses: [EVM], includeChains: ["p-chain"] };
    expect(await parse(type, options, { primaryNetworks: [FUJI] })).toMatchObject({ network: "fuji", networkId: 5 });
  });

  const all = { addresses: [address], includeChains: ["p-chain"] };
  const wrong = address.slice(0, -1) + (address.endsWith("q") ? "p" : "q");
  it.each<[Options, string]>([
    [
      { includeChains: ["p-chain"] },
      `options.addresses or options.cChainEvmAddresses is required for TRANSACTION_EXPORT_${type}`,
    ],
    [{ addresses: [address] }, `options.includeChains is required for TRANSACTION_EXPORT_${type}`],
    [{ ...all, addresses: [] }, "options.addresses must not be empty, got []"],
    [{ ...all, cChainEvmAddresses: [] }, "options.cChainEvmAddresses must not be empty, got []"],
    [{ ...all, includeChains: [] }, "options.includeChains must not be empty, got []"],
    [
      { ...all, addresses: [EVM] },
      `options.addresses[0] must be a Bech32 address, optionally after P-, X- or C-, got "${EVM}"`,
    ],
    [
      { ...all, addresses: [`P-${wrong}`] },
      `options.addresses[0] must be a Bech32 address: the checksum is wrong, got "P-${wrong}"`,
    ],
    [
      { ...all, addresses: [`Q-${address}`] },
      `options.addresses[0] must be a Bech32 address, optionally after P-, X- or C-, got "Q-${address}"`,
    ],
    [
      { ...all, cChainEvmAddresses: [address] },
      `options.cChainEvmAddresses[0] must be an EVM address: 0x and 40 hex digits, got "${address}"`,
    ],
    [
      { ...all, includeChains: ["43114"] },
      'options.includeChains[0] must be p-chain, x-chain, c-chain, or the blockchain id of such a chain, got "43114"',
    ],
    [
      { ...all, includeChains: [formatId("33".repeat(32))] },
      `options.includeChains[0] must be p-chain, x-chain, c-chain, or the blockchain id of such a chain, got "${formatId("33".repeat(32))}"`,
    ],
    [
      { ...all, includeChains: [MAINNET_X, "p-chain", FUJI_C] },
      `options.includeChains[2] must be a chain of mainnet, as options.includeChains[0] is, got "${FUJI_C}"`,
    ],
    [
      { ...all, includeChains: [FUJI_C] },
      `options.addresses[0] must be an address of the request's network (local1… of fuji), got "${address}"`,
    ],
    [
      { ...all, addresses: [address, bech32("local", "P")] },
      `options.addresses[1] must be an address of the request's network (avax1… of mainnet), got "${bech32("local", "P")}"`,
    ],
    [
      { ...all, addresses: [bech32("everest")] },
      `options.addresses[0] must be an address of the request's network (avax1… of mainnet or local1… of fuji), got "${bech32("everest")}"`,
    ],
    [
      { cChainEvmAddresses: [EVM], includeChains: ["c-chain"] },
      "options.includeChains must contain the blockchain id of the X-Chain or C-Chain of one network: the request matches mainnet and fuji",
    ],
  ])("are refused with the member, the rule and the value: %j", async (options, message) => {
    expect(await messageOf(parse(type, options))).toEqual([INVALID, message]);
  });

  it("fit several networks if their addresses have the same prefix", async () => {
    const options = { addresses: [bech32("custom")], includeChains: ["p-chain"] };
    expect(await messageOf(parse(type, options, { primaryNetworks: [ANOTHER_PRIVATE, SAME_PREFIX] }))).toEqual([
      INVALID,
      "options.includeChains must contain the blockchain id of the X-Chain or C-Chain of one network: the request matches mainnet and fuji",
    ]);
  });

  it("are refused for a network that is not configured", async () => {
    const options = { ...all, includeChains: [MAINNET_X] };
    expect(await messageOf(parse(type, options, { primaryNetworks: [FUJI] }))).toEqual([
      INVALID,
      `options.includeChains[0] must be a chain of a network that is served here (fuji), got "${MAINNET_X}"`,
    ]);
    expect(await messageOf(parse(type, options, { primaryNetworks: [] }))).toEqual([
      INVALID,
      "type must be TRANSACTION_EXPORT_EVM: no primary network is served here",
    ]);
  });

  it("cannot be checked for an unknown id while the genesis of a network is not indexed", async () => {
    const options = { ...all, includeChains: [formatId("33".repeat(32))] };
    expect(await messageOf(parse(type, options, { primaryNetworks: [MAINNET, SAME_PREFIX] }))).toEqual([
      "UNAVAILABLE",
      "network fuji is not indexed yet: the ids of its chains are not in the database yet",
    ]);
  });
});
