import "reflect-metadata";
import { formatAddress } from "../../../core/formats/bech32.ts";
import { formatId, formatNodeId } from "../../../core/formats/id-text.ts";
import type { Position } from "../../../core/graph/page.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import type { TestDatabase } from "../../../test/support/database/database.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import {
  addressOf,
  bytesOf,
  createSearchDatabase,
  SEARCH_CHAINS,
  SEARCH_CONFIG,
} from "../../../test/support/indexed/search-tables.ts";
import { createSearchStore, type SearchStore } from "./store.ts";
import type { Found } from "./types.ts";

const [SECOND, FIRST] = SEARCH_CHAINS.map(String);
const ID = bytesOf(7, 32);
const ADDRESS = bytesOf(7, 20);
const NODE = formatNodeId(ADDRESS);

let database: TestDatabase;
let store: SearchStore;
beforeAll(async () => {
  database = await createSearchDatabase();
  store = createSearchStore(database, SEARCH_CONFIG);
  await store.search(ID, 1, SERVICE_WORK);
});
afterAll(() => database[Symbol.asyncDispose]());

/** Kinds of the results with the chain or network of each. */
async function placesOf(text: string): Promise<string[]> {
  const { results } = await store.search(text, 100, SERVICE_WORK);
  return results.map((found) => {
    const { kind, chainId, network, chainName } = found as Found & Record<string, string | undefined>;
    return [kind, chainId, network, chainName].filter(Boolean).join(" ");
  });
}

const onChains = (kind: string) => [`${kind} ${SECOND}`, `${kind} ${FIRST}`];
const inNetworks = (kind: string, chain = "") => [`${kind} fuji${chain}`, `${kind} mainnet${chain}`];

/** Row 7 is a row of the X-Chain in tables that have several chains. */
const OF_ID = [
  ...["Blockchain", "Subnet", "L1Validator"].flatMap((kind) => inNetworks(kind)),
  ...onChains("EvmBlock"),
  ...inNetworks("PrimaryNetworkBlock", " x-chain"),
  ...inNetworks("XChainVertex"),
  ...onChains("EvmTransaction"),
  ...inNetworks("PrimaryNetworkTransaction"),
  `IcmEvent ${FIRST}`,
];

/** There are two EVM chains and two networks. */
const TEXTS: readonly (readonly [what: string, text: string, statements: number, places: readonly string[]])[] = [
  ["an id in CB58", formatId(ID), 18, OF_ID],
  ["an id in hex", `0x${ID.toUpperCase()}`, 18, OF_ID],
  ["an id in hex without 0x", ` ${ID}\n`, 18, OF_ID],
  ["the id of the P-Chain", formatId("00".repeat(32)), 18, [...inNetworks("Blockchain"), ...inNetworks("Subnet")]],
  ["a number", "0007", 10, [...onChains("EvmBlock"), ...inNetworks("PrimaryNetworkBlock", " x-chain")]],
  ["an EVM chain id", FIRST as string, 10, [`Chain ${FIRST}`]],
  ["an EVM address", `0x${ADDRESS}`, 2, onChains("EvmAddress")],
  ["an EVM address without 0x", ADDRESS.toUpperCase(), 2, onChains("EvmAddress")],
  ["a node", NODE, 2, ["ValidatorNode"]],
  ["a Bech32 address", addressOf(7), 2, ["PrimaryNetworkAddress fuji"]],
  [
    "a name in any case",
    "tOKEN 1499",
    6,
    [...inNetworks("Blockchain"), ...onChains("Erc20Token"), ...onChains("NftCollection")],
  ],
];

describe("a search", () => {
  it.each(TEXTS)(
    "of %s finds it on every chain and network, with one statement for each kind and chain or network",
    async (_, text, count, places) => {
      const statements = await statementsOf(async () => {
        expect(await placesOf(text)).toEqual(places);
      });
      expect(statements).toHaveLength(count);
    },
  );

  it.each([
    ...[
      "0",
      "1501",
      "9".repeat(19),
      "9".repeat(200),
      "-7",
      "7.0",
      "1e1",
      "0x7",
      "0x",
      "%",
      "_oken 7",
      "T%7",
      "\\",
      "'",
    ],
    ...[
      "' OR true --",
      "$1",
      "\ud800",
      "\u{10ffff}",
      "🏔",
      "token\u00a07",
      "__proto__",
      "constructor",
      "null",
      "p-chain",
    ],
    ...[bytesOf(99_999, 32), `0x${bytesOf(99_999, 20)}`, formatNodeId(bytesOf(99_999, 20)), addressOf(99_999)],
    ...[`${formatId(ID)}x`, NODE.toLowerCase(), ID.slice(1), `0x${ADDRESS}0`, addressOf(7).replace("P-", "Q-")],
    formatAddress({ chain: null, prefix: "avax", address: ADDRESS }),
  ])("of %j finds nothing", async (text) => {
    expect(await store.search(text, 10, SERVICE_WORK)).toEqual({
      results: [],
      hasMore: false,
      notSearched: [],
      end: null,
    });
  });

  it.each([
    ["", "text must have 1 to 200 characters, got 0"],
    [" \t\n", "text must have 1 to 200 characters, got 0"],
    ["x".repeat(201), "text must have 1 to 200 characters, got 201"],
    ["to\0ken", "text must not contain the character U+0000"],
  ])("of %j is refused", async (text, message) => {
    await expect(store.search(text, 10, SERVICE_WORK)).rejects.toMatchObject({ code: "INVALID_PARAMETER", message });
  });

  it("returns at most as many results as requested, and says whether there are more", async () => {
    const all = await store.search(ID, 17, SERVICE_WORK);
    expect([all.results.length, all.hasMore]).toEqual([17, false]);
    for (const size of [1, 16]) {
      const { results, hasMore } = await store.search(ID, size, SERVICE_WORK);
      expect([results, hasMore]).toEqual([all.results.slice(0, size), true]);
    }
  });
});

describe("an EVM address is known to a chain", () => {
  const transfers = ["erc20_transfers", "erc721_transfers", "erc1155_transfers", "evm_internal_transactions"];
  const CASES: readonly (readonly [table: string, column: string])[] = [
    ["erc20_tokens", "address"],
    ["nft_contracts", "address"],
    ["evm_deployments", "address"],
    ["evm_addresses", "address"],
    ...transfers.map((table) => [table, "from_address"] as const),
    ...transfers.map((table) => [table, "to_address"] as const),
  ];

  it.each(CASES)("by %s.%s", async (table, column) => {
    const address = Buffer.from(`${table} ${column}`.padEnd(20).slice(-20)).toString("hex");
    await database.pool.query(
      `UPDATE ${table} SET ${column} = '\\x${address}' WHERE chain_id = ${FIRST} AND ${column} = '\\x${bytesOf(1_499, 20)}'`,
    );
    const { results } = await store.search(address, 10, SERVICE_WORK);
    expect(results).toEqual([expect.objectContaining({ chainId: FIRST, address: `0x${address}` })]);
  });
});

describe("names and symbols", () => {
  const LONG = "Mountain".repeat(25) + "é".repeat(5_000);

  it("match exactly before they match as a beginning, then by chain, then by first transfer, each token once", async () => {
    const tokens: readonly (readonly [
      table: string,
      chain: string | undefined,
      block: number,
      name: string,
      symbol: string,
    ])[] = [
      ["erc20_tokens", FIRST, 5, "PEAK", "Peak"],
      ["erc20_tokens", SECOND, 9, "later", "peak"],
      ["erc20_tokens", SECOND, 8, "Peak", "earlier"],
      ["erc20_tokens", FIRST, 1, "Peak 2", "PEAKY"],
      ["erc20_tokens", SECOND, 1, "100% Peak", "Peaks"],
      ["nft_contracts", FIRST, 1, "peak", ""],
      ["nft_contracts", SECOND, 1, LONG, ""],
    ];
    for (const [table, chain, block, name, symbol] of tokens)
      await database.pool.query(
        `INSERT INTO ${table} (chain_id, address, first_block_number, name, symbol) VALUES ($1, sha256($2::bytea), $3, $4, $5)`,
        [chain, name + symbol, block, name, symbol],
      );
    const found = async (text: string, size: number) =>
      (await store.search(text, size, SERVICE_WORK)).results.map((one) => {
        const { kind, name, symbol } = one as Found & Record<string, string>;
        return kind === "Erc20Token" ? `${name} ${symbol}` : name;
      });
    const ordered = ["Peak earlier", "later peak", "PEAK Peak", "peak", "100% Peak Peaks", "Peak 2 PEAKY"];
    expect(await found("pEaK", 100)).toEqual(ordered);
    expect(await found("pEaK", 4)).toEqual(ordered.slice(0, 4));
    expect(await found("100%", 100)).toEqual(["100% Peak Peaks"]);
    expect(await found("mountainmount", 100)).toEqual([LONG]);
  });
});

describe("words of names", () => {
  const NAMES = [
    "Avalon",
    "avalon coin",
    "Glacier Avalon",
    "Wrapped-AVALON (Bridged)",
    "Café a b c avalon",
    "Un avalon",
  ];
  beforeAll(async () => {
    for (const [at, name] of NAMES.entries())
      await database.pool.query(
        "INSERT INTO erc20_tokens (chain_id, address, first_block_number, name, symbol) VALUES ($1, sha256(convert_to($2::text, 'UTF8')), $3, $2::text, '')",
        [FIRST, name, 100 - at],
      );
    await database.pool.query(
      "UPDATE blockchains SET name = 'Big Avalon L1' WHERE network_id = 1 AND blockchain_id = sha256('7'::bytea)",
    );
  });

  const namesOf = async (text: string, size = 100) =>
    (await store.search(text, size, SERVICE_WORK)).results.map((found) => {
      const { kind, name } = found as Found & Record<string, string | undefined>;
      return name ?? kind;
    });

  it("match by their beginning, after names that begin with the text, up to the fifth word", async () => {
    const [exact, beginning, ...words] = await namesOf("AVALON");
    expect([exact, beginning]).toEqual(["Avalon", "avalon coin"]);
    expect(words).toEqual([
      "Blockchain",
      "Un avalon",
      "Café a b c avalon",
      "Glacier Avalon",
      "Wrapped-AVALON (Bridged)",
    ]);
    expect(await namesOf("bridged")).toEqual(["Wrapped-AVALON (Bridged)"]);
    expect(await namesOf("avalon (bri")).toEqual(["Wrapped-AVALON (Bridged)"]);
    expect(await namesOf("b c ava")).toEqual(["Café a b c avalon"]);
    for (const text of ["valon", "(bridged", "fé a"]) expect(await namesOf(text)).toEqual([]);
  });

  it("lead to configured chains, too", async () => {
    const evmChains = ["Avalanche (C-Chain)", "Moraine EVM"].map((chainName, at) => ({
      ...(SEARCH_CONFIG.evmChains[at] as (typeof SEARCH_CONFIG.evmChains)[number]),
      chainName,
    }));
    const named = createSearchStore(database, { ...SEARCH_CONFIG, evmChains });
    const chainsOf = async (text: string) =>
      (await named.search(text, 10, SERVICE_WORK)).results.flatMap((found) =>
        found.kind === "Chain" ? [(found as Found & { chainId: string }).chainId] : [],
      );
    for (const text of ["c-chain", "AVALANCHE", "avalanche (c-chain)"]) expect(await chainsOf(text)).toEqual([SECOND]);
    for (const text of ["Moraine EVM", "evm", FIRST as string]) expect(await chainsOf(text)).toEqual([FIRST]);
    expect(await chainsOf("vm")).toEqual([]);
  });
});

describe("the pages of a search", () => {
  const pagesOf = async (text: string, size: number, between = async () => {}) => {
    const pages: Found[][] = [];
    let end: Position | null = null;
    do {
      const page = await store.search(text, size, SERVICE_WORK, end);
      pages.push(page.results);
      end = page.end;
      expect(page.hasMore).toBe(end !== null || pages.flat().length >= 1_000);
      await between();
    } while (end !== null);
    return pages;
  };

  it("have each result once, in the order of the whole", async () => {
    const whole = (await store.search("sym77", 100, SERVICE_WORK)).results;
    expect(whole.length).toBeGreaterThan(50);
    for (const size of [1, 7, 59]) {
      const pages = await pagesOf("sym77", size);
      expect(pages.flat()).toEqual(whole);
      expect(pages.slice(0, -1).every((page) => page.length === size)).toBe(true);
    }
  });

  it("do not repeat results if others are added before them", async () => {
    let added = 0;
    const add = async () => {
      await database.pool.query(
        "INSERT INTO erc20_tokens (chain_id, address, first_block_number, name, symbol) VALUES ($1, sha256($2::bytea), 0, '', 'SYM76')",
        [SECOND, `added ${added++}`],
      );
    };
    const found = (await pagesOf("sym76", 7, add)).flat().map((one) => JSON.stringify(one));
    expect(new Set(found).size).toBe(found.length);
    expect(found.length).toBeGreaterThanOrEqual(60);
  });

  it("end after a thousand results", async () => {
    const pages = await pagesOf("token", 100);
    expect(pages).toHaveLength(10);
  });
});

describe("a chain of which nothing is indexed", () => {
  const evmChains = SEARCH_CONFIG.evmChains.slice(0, 1).map((chain) => ({ ...chain, chainId: 77_003 }));
  const config = { ...SEARCH_CONFIG, evmChains: [...evmChains, ...SEARCH_CONFIG.evmChains] };
  const missing = "chain 77003 is not indexed yet: its indexer has not started";

  it("is named beside what other chains have", async () => {
    const { results, notSearched } = await createSearchStore(database, config).search("7", 1, SERVICE_WORK);
    expect([results.length, notSearched]).toEqual([1, [missing]]);
  });

  it("is an error if nothing is found", async () => {
    const message = `nothing is found for "zzz", but not every chain can be searched: ${missing}`;
    await expect(createSearchStore(database, config).search("zzz", 1, SERVICE_WORK)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message,
    });
  });

  it("does not matter for a text that cannot name anything on it", async () => {
    const { results } = await createSearchStore(database, config).search(
      formatNodeId(bytesOf(99_999, 20)),
      1,
      SERVICE_WORK,
    );
    expect(results).toEqual([]);
  });

  it("can be a chain of a primary network, whose indexer gives the reason", async () => {
    await database.pool.query("DELETE FROM primary_heads WHERE network_id = 1 AND chain <> 'P'");
    await database.pool.query(
      "INSERT INTO primary_progress VALUES (1, 'X', 'WAITING', 'the node has no index API', NULL, NULL, 0, 0, NULL)",
    );
    const search = createSearchStore(database, SEARCH_CONFIG).search(bytesOf(99_999, 32), 1, SERVICE_WORK);
    await expect(search).rejects.toThrow(
      "but not every chain can be searched: x-chain of network mainnet is not indexed yet (WAITING): the node has no index API",
    );
    await database.pool.query("INSERT INTO primary_heads VALUES (1, 'X', 0, 0, '', '', 0, 0, 1)");
    const found = await createSearchStore(database, SEARCH_CONFIG).search(bytesOf(99_999, 32), 1, SERVICE_WORK);
    expect(found.results).toEqual([]);
  });

  it("can be a C-Chain, if it is one of the configured EVM chains", async () => {
    await database.pool.query("DELETE FROM primary_heads WHERE network_id = 1 AND chain = 'C'");
    await database.pool.query(`UPDATE primary_networks SET c_chain_id = '\\x${ID}' WHERE network_id = 1`);
    const [cChain] = SEARCH_CONFIG.evmChains.map((chain) => ({ ...chain, blockchainId: formatId(ID) }));
    const config = { ...SEARCH_CONFIG, evmChains: cChain ? [cChain] : [] };
    await expect(createSearchStore(database, config).search(addressOf(99_999), 1, SERVICE_WORK)).rejects.toThrow(
      "c-chain of network mainnet is not indexed yet: its indexer has not started",
    );
    expect(
      (await createSearchStore(database, SEARCH_CONFIG).search(addressOf(99_999), 1, SERVICE_WORK)).results,
    ).toEqual([]);
  });
});
