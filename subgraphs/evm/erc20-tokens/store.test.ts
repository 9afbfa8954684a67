import { createPageTokens } from "../../../core/graph/page.ts";
import { createChains } from "../../../core/networks/chains.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import { C_CHAIN, L1, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { richAddress } from "../addresses/types.ts";
import { createErc20TokenStore } from "./store.ts";

let opened: OpenedEvm;
/** Tokens of the C-Chain by symbol. */
let addresses: Map<string, string>;

beforeAll(async () => {
  opened = await openEvm();
  const { rows } = await opened.database.pool.query<{ symbol: string; address: string }>(
    `SELECT symbol, '0x' || encode(address, 'hex') AS address FROM erc20_tokens WHERE chain_id = ${C_CHAIN}`,
  );
  addresses = new Map(rows.map(({ symbol, address }) => [symbol, address]));
});
afterAll(() => opened[Symbol.asyncDispose]());

const addressOf = (symbol: string): string => addresses.get(symbol) ?? "";

describe("the token store", () => {
  it("finds the tokens among many addresses of a chain", async () => {
    const nobody = `0x${"1".repeat(40)}`;
    const found = await opened
      .context()
      .erc20Tokens.among(C_CHAIN, [addressOf("MKTA"), addressOf("NONAME"), nobody], SERVICE_WORK);
    expect([...found.values()].map(({ name, symbol }) => [name, symbol])).toEqual(
      expect.arrayContaining([
        ["Market A", "MKTA"],
        ["", "NONAME"],
      ]),
    );
    expect(found.size).toBe(2);
    expect((await opened.context().erc20Tokens.among(L1, [nobody], SERVICE_WORK)).size).toBe(0);
  });

  it("returns the same token by address and from a list of addresses", async () => {
    const address = addressOf("MKTA");
    const token = (await opened.context().erc20Tokens.among(C_CHAIN, [address], SERVICE_WORK)).get(address);
    expect(await opened.context().load.erc20Token({ chainId: C_CHAIN, address })).toEqual(token);
  });

  it("returns the logo that is configured for the address in any case, on the configured chain only", async () => {
    const address = addressOf("MKTA");
    const evmChains = opened.database.config.evmChains.map((chain) => ({
      ...chain,
      tokenLogos: { [address.toUpperCase().replace("X", "x")]: `https://logos/${chain.chainId}` },
    }));
    const tokens = createErc20TokenStore(
      opened.database,
      createChains({ evmChains }),
      createPageTokens(Buffer.alloc(32), () => 0),
    );
    expect((await tokens.among(C_CHAIN, [address], SERVICE_WORK)).get(address)?.logoUri).toBe(
      `https://logos/${C_CHAIN}`,
    );
  });

  it("finds erc20Token by an address in any case, and returns null for an address that is no token", async () => {
    const ask = (address: string) =>
      opened.ask(`{ erc20Token(chainId: "${C_CHAIN}", address: "${address}") { symbol } }`);
    const found = { data: { erc20Token: { symbol: "MKTA" } } };
    expect(await ask(addressOf("MKTA").toUpperCase().replace("X", "x"))).toEqual(found);
    expect(await ask(`0x${"1".repeat(40)}`)).toEqual({ data: { erc20Token: null } });
  });

  it("returns null for metadata that the token does not have or that is not indexed yet", async () => {
    const address = addressOf("NONAME");
    const token = (await opened.context().erc20Tokens.among(C_CHAIN, [address], SERVICE_WORK)).get(address);
    expect(richAddress("1", address, token)).toMatchObject({ name: null, symbol: "NONAME", decimals: token?.decimals });
    const pending = token && { ...token, symbol: "", metadataStatus: "PENDING" };
    expect(richAddress("1", address, pending)).toEqual({
      chainId: "1",
      address,
      name: null,
      symbol: null,
      decimals: null,
      logoUri: null,
    });
  });
});
