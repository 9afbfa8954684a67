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

/** All of a list, in as few pages as can be. */
async function all(api: Api, path: string, query = ""): Promise<Transfer[]> {
  const transfers: Transfer[] = [];
  for (let token = ""; ; ) {
    const page = await api.body<TransferPage>(`${path}?pageSize=100${query}${token}`);
    transfers.push(...page.transactions);
    if (!page.nextPageToken) return transfers;
    token = `&pageToken=${page.nextPageToken}`;
  }
}

/** Without what is known of the addresses and the token. */
function bare({ from, to, erc20Token, ...transfer }: Transfer): ExpectedTransfer {
  return { ...transfer, from: from.address, to: to.address, token: erc20Token.address };
}

const between = (oracle: Oracle, from: number, to: number) =>
  oracle.transfersOf(WALLET).filter(({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) < to);

const RANGE_RULES: readonly Rule[] = [
  rule("E9.1", "MUST", "startBlock is inclusive and endBlock is exclusive", async (api) => {
    const blocks = [...new Set(api.c.transfersOf(WALLET).map(({ blockNumber }) => Number(blockNumber)))].reverse();
    const [first = 0, last = 0] = [blocks[2], blocks[5]];
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
  rule("E9.4", "CHOICE", "an empty range, or one beyond the head, is an empty list", async (api) => {
    for (const query of ["&startBlock=20&endBlock=20", "&startBlock=30&endBlock=20", "&startBlock=235", "&endBlock=0"])
      expect(await all(api, PATH, query)).toEqual([]);
  }),
  rule("E9.5", "CHOICE", "block numbers beyond what any chain reaches are fine", async (api) => {
    for (const huge of [2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n, 10n ** 77n]) {
      expect(await all(api, PATH, `&startBlock=${huge}`)).toEqual([]);
      expect(await all(api, PATH, `&endBlock=${huge}`)).toHaveLength(api.c.transfersOf(WALLET).length);
    }
  }),
  rule("E9.6", "CHOICE", "block numbers are decimal digits; anything else is refused with 400", async (api) => {
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
  rule(
    "E9.7",
    "MUST",
    "lists exactly the transfers from and to a wallet, as the node's logs have them",
    async (api) => {
      for (const oracle of [api.c, api.l1])
        for (const wallet of oracle.wallets) {
          const found = await all(api, pathOf(oracle.chain.evmChainId, wallet));
          expect(found.map(bare)).toEqual(oracle.transfersOf(wallet));
        }
    },
  ),
  rule("E9.8", "CHOICE", "is newest first; within a block by falling log index", async (api) => {
    const places = (await all(api, PATH)).map(({ blockNumber, logIndex }) => Number(blockNumber) * 10_000 + logIndex);
    expect(places).toEqual([...places].sort((a, b) => b - a));
  }),
  rule("E9.9", "CHOICE", "has a transfer to oneself once", async (api) => {
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
  rule("E9.11", "MUST", "shows a token as its contract describes itself", async (api) => {
    for (const oracle of [api.c, api.l1]) {
      const shown = new Map<string, Transfer["erc20Token"]>();
      for (const wallet of oracle.wallets)
        for (const { erc20Token } of await all(api, pathOf(oracle.chain.evmChainId, wallet)))
          shown.set(erc20Token.address, erc20Token);
      const known = [...shown].filter(([address]) => oracle.token(address) !== null);
      expect(known.length).toBeGreaterThan(20);
      for (const [address, token] of known)
        expect(token).toEqual({ address, ercType: "ERC-20", ...oracle.token(address) });
    }
  }),
  rule(
    "E9.12",
    "CHOICE",
    "gives a token without name, symbol or decimals empty ones and 0, and no control characters",
    async (api) => {
      const odd = api.c.transfers.filter(({ token }) => api.c.token(token) === null);
      expect(odd.length).toBeGreaterThan(5);
      for (const { from, token } of odd) {
        const shown = (await all(api, pathOf(760011, from))).map(({ erc20Token }) => erc20Token);
        const { name, symbol, decimals } = shown.find(({ address }) => address === token) as Transfer["erc20Token"];
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
  rule("E9.13", "CHOICE", "takes an address in any case, a wrong checksum too", async (api) => {
    const { text } = await api.get(PATH);
    const mixed = [...WALLET.slice(2)].map((digit, at) => (at % 2 ? digit.toUpperCase() : digit)).join("");
    for (const same of [getAddress(WALLET), `0x${WALLET.slice(2).toUpperCase()}`, `0x${mixed}`])
      expect((await api.get(pathOf(760011, same))).text).toBe(text);
  }),
  rule("E9.14", "CHOICE", "writes addresses with their EIP-55 checksum", async (api) => {
    for (const { from, to, erc20Token } of await all(api, PATH))
      for (const { address } of [from, to, erc20Token]) expect(address).toBe(getAddress(address));
  }),
  rule("E9.15", "CHOICE", "refuses what is no address with 400", async (api) => {
    for (const bad of ["0x12", "bee4880dbc658fd44fe9b1259df67a921e1a223f", `${WALLET}0`, "fuji1abc", "a%2Fb", "%00"])
      expect(await api.refusal(pathOf(760011, bad))).toEqual([
        400,
        expect.stringMatching(/^address must be 0x and 40 hex digits, got "/),
      ]);
  }),
  rule("E9.16", "CHOICE", "is an empty list for an address without transfers", async (api) => {
    expect(await api.body(pathOf(760011, `0x${"1".repeat(40)}`))).toEqual({ transactions: [] });
  }),
  rule(
    "E9.17",
    "CHOICE",
    "says of a side that is a token what it is called, of any other just its address",
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

/** The stack with prices of the token of the wallet's newest transfer, and of no other. */
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
  rule("E9.18", "MUST", "has the price of a token in usd where it is known, and none elsewhere", async (api) => {
    const { rich, token } = await priced(api);
    const plain = await all(api, PATH);
    const tokenOf = ({ erc20Token }: Transfer) =>
      erc20Token.address === token
        ? { ...erc20Token, price: { currencyCode: "usd", value: "0.00000015" } }
        : erc20Token;
    expect(new Set(plain.map(({ erc20Token }) => erc20Token.address)).size).toBeGreaterThan(1);
    expect(await all(rich, PATH)).toEqual(plain.map((transfer) => ({ ...transfer, erc20Token: tokenOf(transfer) })));
  }),
  rule("E9.19", "MUST", "below /hosted that price is a number, of the same digits", async (api) => {
    const { rich } = await priced(api);
    const { text } = await rich.get(`/hosted${PATH}?pageSize=100`);
    expect(text).toContain('"price":{"currencyCode":"usd","value":0.00000015}');
    const same = (await rich.get(`${PATH}?pageSize=100`)).text.replaceAll('"value":"0.00000015"', '"value":0.00000015');
    expect(text).toBe(same);
  }),
];

/** Every rule of E9. */
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
