import { getAddress } from "viem";
import type { ExpectedTransfer, Oracle } from "../support/oracle/oracle.ts";
import type { Api } from "./api.ts";
import { chainIdRules } from "./chain-id.ts";
import { everyRouteRules } from "./every-route.ts";
import { type ListRoute, paginationRules } from "./pagination.ts";
import { type Rule, rule } from "./rule.ts";

/** The wallet with the most transfers of the recorded C-Chain. */
const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const OTHER = "0xe6ce9ada27867bdb77c68899c5f93ca72cc542cd";

const pathOf = (chainId: string | number, address: string) =>
  `/v1/chains/${chainId}/addresses/${address}/transactions:listErc20`;
const PATH = pathOf(760011, WALLET);

interface Side {
  readonly address: string;
  readonly name?: string;
  readonly decimals?: number;
}

interface Transfer extends Omit<ExpectedTransfer, "from" | "to" | "token"> {
  readonly from: Side;
  readonly to: Side;
  readonly erc20Token: { address: string; name: string; symbol: string; decimals: number };
}

interface TransferPage {
  readonly nextPageToken?: string;
  readonly transactions: readonly Transfer[];
}

const placeOf = ({ blockNumber, logIndex }: { readonly blockNumber?: unknown; readonly logIndex?: unknown }) =>
  `${blockNumber}/${logIndex}`;

const LIST: ListRoute = {
  id: "E9",
  path: PATH,
  spellings: [pathOf(760011, getAddress(WALLET))],
  others: {
    address: pathOf(760011, OTHER),
    chain: pathOf(760012, WALLET),
    startBlock: `${PATH}?startBlock=5`,
    endBlock: `${PATH}?endBlock=40`,
  },
  items: "transactions",
  key: placeOf,
  expected: ({ c }) => c.transfersOf(WALLET).map(placeOf),
};

/** All items of a list, read with the largest page size. */
async function all(api: Api, path: string, query = ""): Promise<Transfer[]> {
  const transfers: Transfer[] = [];
  for (let token = ""; ; ) {
    const page = await api.body<TransferPage>(`${path}?pageSize=100${query}${token}`);
    transfers.push(...page.transactions);
    if (!page.nextPageToken) return transfers;
    token = `&pageToken=${page.nextPageToken}`;
  }
}

/** A transfer without descriptors of addresses and token. */
function bare({ from, to, erc20Token, ...transfer }: Transfer): ExpectedTransfer {
  return { ...transfer, from: from.address, to: to.address, token: erc20Token.address };
}

const between = (oracle: Oracle, from: number, to: number) =>
  oracle.transfersOf(WALLET).filter(({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) < to);

const RANGE_RULES: readonly Rule[] = [
  rule("E9.1", "MUST", "startBlock is inclusive and endBlock is exclusive", async (api) => {
    const blocks = [...new Set(api.c.transfersOf(WALLET).map(({ blockNumber }) => Number(blockNumber)))].reverse();
    const first = blocks[2] ?? 0;
    const last = blocks[5] ?? 0;
    const found = await all(api, PATH, `&startBlock=${first}&endBlock=${last}`);
    expect(found.map(bare)).toEqual(between(api.c, first, last));
    expect(found.at(-1)?.blockNumber).toBe(String(first));
    expect(await all(api, PATH, `&startBlock=${first}&endBlock=${first + 1}`)).not.toEqual([]);
  }),
  rule("E9.2", "MUST", "without endBlock the range ends at the most recent block", async (api) => {
    const newest = Number(api.c.transfersOf(WALLET)[0]?.blockNumber);
    expect((await all(api, PATH, `&startBlock=${newest}`)).map(bare)).toEqual(between(api.c, newest, Infinity));
  }),
  rule("E9.3", "MUST", "without startBlock the range starts at genesis", async (api) => {
    const oldest = Number(api.c.transfersOf(WALLET).at(-1)?.blockNumber);
    expect((await all(api, PATH, `&endBlock=${oldest + 1}`)).map(bare)).toEqual(between(api.c, 0, oldest + 1));
    expect(await all(api, PATH, "&startBlock=0")).toEqual(await all(api, PATH));
  }),
  rule("E9.4", "CHOICE", "returns an empty list for an empty range or a range beyond the head", async (api) => {
    for (const query of ["&startBlock=20&endBlock=20", "&startBlock=30&endBlock=20", "&startBlock=235", "&endBlock=0"])
      expect(await all(api, PATH, query)).toEqual([]);
  }),
  rule("E9.5", "CHOICE", "accepts block numbers far beyond the head of any chain", async (api) => {
    for (const huge of [2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n, 10n ** 77n]) {
      expect(await all(api, PATH, `&startBlock=${huge}`)).toEqual([]);
      expect(await all(api, PATH, `&endBlock=${huge}`)).toHaveLength(api.c.transfersOf(WALLET).length);
    }
  }),
  rule("E9.6", "CHOICE", "refuses a block number that is not decimal digits with 400", async (api) => {
    for (const name of ["startBlock", "endBlock"]) {
      for (const bad of ["1e%2B21", "1e3", "1.5", "-1", "0x10", "latest", "%2B1", "1%200"])
        expect(await api.refusal(`${PATH}?${name}=${bad}`)).toEqual([
          400,
          expect.stringMatching(`^${name} must be a non-negative integer, got "`),
        ]);
      expect(await api.refusal(`${PATH}?${name}=${"9".repeat(79)}`)).toEqual([
        400,
        `${name} must have at most 78 digits, got "${"9".repeat(79)}"`,
      ]);
    }
    expect(await all(api, PATH, "&startBlock=0020&endBlock=0021")).toEqual(
      await all(api, PATH, "&startBlock=20&endBlock=21"),
    );
  }),
];

const CONTENT_RULES: readonly Rule[] = [
  rule("E9.7", "MUST", "lists exactly the transfers from and to a wallet in the node's logs", async (api) => {
    for (const oracle of [api.c, api.l1])
      for (const wallet of oracle.wallets) {
        const found = await all(api, pathOf(oracle.chain.evmChainId, wallet));
        expect(found.map(bare)).toEqual(oracle.transfersOf(wallet));
      }
  }),
  rule("E9.8", "CHOICE", "lists the newest first, within a block by descending log index", async (api) => {
    const places = (await all(api, PATH)).map(({ blockNumber, logIndex }) => Number(blockNumber) * 10_000 + logIndex);
    expect(places).toEqual([...places].sort((a, b) => b - a));
  }),
  rule("E9.9", "CHOICE", "lists a transfer from a wallet to itself once", async (api) => {
    const self = api.c.transfers.find(({ from, to }) => from === to) as ExpectedTransfer;
    const found = (await all(api, pathOf(760011, self.from))).filter((one) => placeOf(one) === placeOf(self));
    expect(found).toHaveLength(1);
  }),
  rule("E9.10", "MUST", "amounts and block numbers are strings, timestamps and indices are integers", async (api) => {
    for (const transfer of await all(api, PATH)) {
      expect([typeof transfer.blockNumber, typeof transfer.value]).toEqual(["string", "string"]);
      expect([transfer.blockTimestamp, transfer.logIndex].every(Number.isSafeInteger)).toBe(true);
    }
  }),
  rule("E9.11", "MUST", "returns the name, symbol and decimals of a token's contract", async (api) => {
    for (const oracle of [api.c, api.l1]) {
      const returned = new Map<string, Transfer["erc20Token"]>();
      for (const wallet of oracle.wallets)
        for (const { erc20Token } of await all(api, pathOf(oracle.chain.evmChainId, wallet)))
          returned.set(erc20Token.address, erc20Token);
      const known = [...returned].filter(([address]) => oracle.token(address) !== null);
      expect(known.length).toBeGreaterThan(20);
      for (const [address, token] of known)
        expect(token).toEqual({ address, ercType: "ERC-20", ...oracle.token(address) });
    }
  }),
  rule(
    "E9.12",
    "CHOICE",
    "returns an empty name and symbol and 0 decimals if a token has none, and removes control characters",
    async (api) => {
      const incomplete = api.c.transfers.filter(({ token }) => api.c.token(token) === null);
      expect(incomplete.length).toBeGreaterThan(5);
      for (const { from, token } of incomplete) {
        const tokens = (await all(api, pathOf(760011, from))).map(({ erc20Token }) => erc20Token);
        const { name, symbol, decimals } = tokens.find(({ address }) => address === token) as Transfer["erc20Token"];
        for (const text of [name, symbol]) expect(text).not.toMatch(/\p{Cc}/u);
        expect([name.length <= 512, symbol.length <= 512, decimals >= 0 && decimals <= 255]).toEqual([
          true,
          true,
          true,
        ]);
      }
    },
  ),
];

const ADDRESS_RULES: readonly Rule[] = [
  rule("E9.13", "CHOICE", "accepts an address in any letter case, even with a wrong checksum", async (api) => {
    const { text } = await api.get(PATH);
    const mixed = [...WALLET.slice(2)].map((digit, at) => (at % 2 ? digit.toUpperCase() : digit)).join("");
    for (const same of [getAddress(WALLET), `0x${WALLET.slice(2).toUpperCase()}`, `0x${mixed}`])
      expect((await api.get(pathOf(760011, same))).text).toBe(text);
  }),
  rule("E9.14", "CHOICE", "writes addresses with their EIP-55 checksum", async (api) => {
    for (const { from, to, erc20Token } of await all(api, PATH))
      for (const { address } of [from, to, erc20Token]) expect(address).toBe(getAddress(address));
  }),
  rule("E9.15", "CHOICE", "refuses an invalid address with 400", async (api) => {
    for (const bad of ["0x12", "bee4880dbc658fd44fe9b1259df67a921e1a223f", `${WALLET}0`, "fuji1abc", "a%2Fb", "%00"])
      expect(await api.refusal(pathOf(760011, bad))).toEqual([
        400,
        expect.stringMatching(/^address must be 0x and 40 hex digits, got "/),
      ]);
  }),
  rule("E9.16", "CHOICE", "returns an empty list for an address without transfers", async (api) => {
    expect(await api.body(pathOf(760011, `0x${"1".repeat(40)}`))).toEqual({ transactions: [] });
  }),
  rule(
    "E9.17",
    "CHOICE",
    "returns name and symbol of a sender or recipient that is a token, and only the address of any other",
    async (api) => {
      const tokens = new Map(api.c.transfers.map(({ token }) => [token, api.c.token(token)]));
      for (const wallet of api.c.wallets)
        for (const { from, to } of await all(api, pathOf(760011, wallet)))
          for (const side of [from, to]) {
            const token = tokens.get(side.address);
            if (token === undefined) expect(side).toEqual({ address: side.address });
            else if (token?.name) expect(side).toEqual({ address: side.address, ...token });
          }
    },
  ),
];

/** The stack with prices of only the token of the wallet's newest transfer. */
async function priced(api: Api): Promise<{ readonly rich: Api; readonly token: string }> {
  const token = api.c.transfersOf(WALLET)[0]?.token ?? "";
  const put = "INSERT INTO prices VALUES ('token-of-e9', $1, $2, $3) ON CONFLICT DO NOTHING";
  for (const [currency, value] of [
    ["usd", "0.000000150"],
    ["eur", "7"],
  ])
    await api.pool.query(put, [currency, api.nowSeconds, value]);
  const tokenPriceIds = { [token.toLowerCase()]: "token-of-e9" };
  const evmChains = api.config.evmChains.map((chain) => ({ ...chain, tokenPriceIds }));
  const start = () => api.restarted({ evmChains, nowMs: () => api.nowSeconds * 1_000 });
  return { rich: await api.shared("prices of E9", start), token };
}

const PRICE_RULES: readonly Rule[] = [
  rule("E9.18", "MUST", "returns the price of a token in usd if it is known, and omits it otherwise", async (api) => {
    const { rich, token } = await priced(api);
    const plain = await all(api, PATH);
    const tokenOf = ({ erc20Token }: Transfer) =>
      erc20Token.address === token
        ? { ...erc20Token, price: { currencyCode: "usd", value: "0.00000015" } }
        : erc20Token;
    expect(new Set(plain.map(({ erc20Token }) => erc20Token.address)).size).toBeGreaterThan(1);
    expect(await all(rich, PATH)).toEqual(plain.map((transfer) => ({ ...transfer, erc20Token: tokenOf(transfer) })));
  }),
  rule("E9.19", "MUST", "below /hosted the price is a number with the same digits", async (api) => {
    const { rich } = await priced(api);
    const { text } = await rich.get(`/hosted${PATH}?pageSize=100`);
    expect(text).toContain('"price":{"currencyCode":"usd","value":0.00000015}');
    const same = (await rich.get(`${PATH}?pageSize=100`)).text.replaceAll('"value":"0.00000015"', '"value":0.00000015');
    expect(text).toBe(same);
  }),
];

/** All rules of E9. */
export const ERC20_TRANSFER_RULES: readonly Rule[] = [
  ...RANGE_RULES,
  ...CONTENT_RULES,
  ...ADDRESS_RULES,
  ...PRICE_RULES,
  ...paginationRules(LIST),
  ...chainIdRules("E9", (chainId) => pathOf(chainId, WALLET)),
  ...everyRouteRules({
    id: "E9",
    path: PATH,
    units: 20,
    statements: 2,
    parameter: { name: "startBlock", good: "20", bad: "x" },
  }),
];
