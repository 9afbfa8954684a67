import { getAddress } from "viem";
import { REST_SCHEMA, SCHEMA_HEADER } from "../../core/graph/rest-schema.ts";
import { isFullRun, sampled } from "../support/full.ts";
import type { FactRow } from "../support/oracle/fact-row.ts";
import {
  collectionChanges,
  type ExpectedHolder,
  expectedHolders,
  expectedHoldersAbove,
  expectedSupply,
  type TokenHistory,
  tokenHistory,
} from "../support/oracle/token-holders-oracle.ts";
import { createRandomIntegers } from "../support/random.ts";
import type { Stack } from "../support/stack.ts";

/** An indexed chain with what the oracle knows of it. */
export interface HoldersChain {
  readonly chainId: string;
  /** Rows of `erc20_tokens` and `erc20_balances`, and the times of the blocks, up to the last indexed block. */
  readonly tokens: readonly FactRow[];
  readonly balances: readonly FactRow[];
  /** Rows of `nft_contracts`, and of `erc721_transfers` and `erc1155_transfers` together. */
  readonly collections: readonly FactRow[];
  readonly nftTransfers: readonly FactRow[];
  readonly blocks: readonly { readonly number: number; readonly seconds: number }[];
}

interface Page {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly holders: readonly { readonly address: string; readonly balance: string }[];
}

const MOMENTS = isFullRun ? 100 : 2;

/** Compares the holders, counts and supplies of every token, now and after some blocks, with those of the oracle. */
export async function expectTokenHolders(stack: Stack, chain: HoldersChain): Promise<void> {
  const random = createRandomIntegers(chain.blocks.length);
  const head = chain.blocks.at(-1)?.number ?? 0;
  for (const { address } of sampled(chain.tokens, 16)) {
    const history = tokenHistory(address ?? "", chain.balances, chain.blocks);
    const ask = createAsk(stack, chain.chainId, address ?? "", "erc20Token");
    await expectState(ask, history, null, head);
    // Around the changes of the token, and anywhere.
    const changed = history.changes.map(({ block_number }) => Number(block_number));
    for (let moment = 0; moment < MOMENTS; moment++) {
      const near = (changed[random() % Math.max(changed.length, 1)] ?? 0) + (random() % 3) - 1;
      const block = moment % 2 === 0 ? Math.min(Math.max(near, 0), head) : random() % (head + 1);
      await expectState(ask, history, block, head);
    }
    const [first, last] = [random(), random()].map((at) => chain.blocks[at % chain.blocks.length]?.seconds ?? 0);
    const [held] = expectedHolders(history, head);
    const threshold = (held?.balance ?? 1n) - 1n;
    const frame = { from: Math.min(first ?? 0, last ?? 0), to: Math.max(first ?? 0, last ?? 0) };
    const filter = `filter: { fromTime: ${frame.from}, toTime: ${frame.to} }`;
    const above = await ask.all(`holdersAbove(threshold: "${threshold}", ${filter}`, 3);
    expect(above).toEqual(shown(expectedHoldersAbove(history, threshold, frame)));
  }
}

/** The same for NFT collections, whose holders are listed only now. */
export async function expectCollectionHolders(stack: Stack, chain: HoldersChain): Promise<void> {
  const head = chain.blocks.at(-1)?.number ?? 0;
  for (const { address } of chain.collections) {
    const changes = collectionChanges(address ?? "", chain.nftTransfers);
    const history = { ...tokenHistory(address ?? "", [], chain.blocks), changes };
    const ask = createAsk(stack, chain.chainId, address ?? "", "nftCollection");
    for (const pageSize of [2, 100])
      expect(await ask.all("holders(", pageSize)).toEqual(shown(expectedHolders(history, head)));
    expect(await ask.all("holders(orderBy: ADDRESS, ", 2)).toEqual(shown(byAddress(expectedHolders(history, head))));
    await expectCounts(ask, history, null, head);
    const changed = [...new Set(history.changes.map(({ block_number }) => Number(block_number)))];
    for (const block of sampled(changed, 4)) await expectCounts(ask, history, block, head);
  }
}

type Ask = ReturnType<typeof createAsk>;

/** The block of a list or count: by number, or by its time, which no other block has. */
const atArgument = (history: Pick<TokenHistory, "secondsOf">, block: number): string =>
  block % 2 === 0 ? `at: { block: "${block}" }` : `at: { time: ${history.secondsOf.get(block)} }`;

async function expectState(ask: Ask, history: TokenHistory, block: number | null, head: number): Promise<void> {
  await expectCounts(ask, history, block, head);
  const expected = expectedHolders(history, block ?? head);
  const list = block === null ? "holders(" : `holders(${atArgument(history, block)}, `;
  for (const pageSize of expected.length > 2 ? [2, 100] : [100])
    expect(await ask.all(list, pageSize)).toEqual(shown(expected));
  expect(await ask.all(`${list}orderBy: ADDRESS, `, 3)).toEqual(shown(byAddress(expected)));
}

async function expectCounts(ask: Ask, history: TokenHistory, block: number | null, head: number): Promise<void> {
  const at = block ?? head;
  const argument = block === null ? "" : `(${atArgument(history, block)})`;
  expect(await ask.token(`holderCount${argument} totalSupply${argument}`)).toEqual({
    holderCount: String(expectedHolders(history, at).length),
    totalSupply: expectedSupply(history, at).toString(),
  });
}

const byAddress = (holders: readonly ExpectedHolder[]): ExpectedHolder[] =>
  [...holders].sort((a, b) => (a.address < b.address ? -1 : 1));

const shown = (holders: readonly ExpectedHolder[]): Page["holders"] =>
  holders.map(({ address, balance }) => ({ address: getAddress(address), balance: balance.toString() }));

function createAsk(stack: Stack, chainId: string, address: string, name: "erc20Token" | "nftCollection") {
  const token = async (fields: string): Promise<Record<string, unknown>> => {
    const query = `{ token: ${name}(chainId: "${chainId}", address: "${address}") { ${fields} } }`;
    const { body } = await stack.get(`/graphql?query=${encodeURIComponent(query)}`, {
      headers: { [SCHEMA_HEADER]: REST_SCHEMA },
    });
    const { data, errors } = body as { data: { token: Record<string, unknown> }; errors?: unknown };
    expect([query, errors]).toEqual([query, undefined]);
    return data.token;
  };
  return {
    token,
    /** All holders of a list, in pages of this size. `list` is the field with its arguments, without the last bracket. */
    async all(list: string, pageSize: number): Promise<Page["holders"]> {
      const found: Page["holders"][number][] = [];
      for (let after = ""; ; ) {
        const separator = list.endsWith("(") || list.endsWith(", ") ? "" : ", ";
        const field = `${list}${separator}first: ${pageSize}${after}) { pageInfo { hasNextPage endCursor } holders: nodes { address balance } }`;
        const { page } = (await token(`page: ${field}`)) as { page: Page };
        found.push(...page.holders);
        if (!page.pageInfo.hasNextPage) return found;
        expect(page.holders).toHaveLength(pageSize);
        after = `, after: "${page.pageInfo.endCursor}"`;
      }
    },
  };
}
