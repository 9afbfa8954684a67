import { C_CHAIN, L1, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { hearRequests } from "../../../test/support/indexed/heard-requests.ts";

let opened: OpenedEvm;
beforeAll(async () => {
  opened = await openEvm();
});
afterAll(() => opened[Symbol.asyncDispose]());

const HOUR = 3_600;
const NOBODY = `0x${"1".repeat(40)}`;

/** Asks for the metadata of a contract, and returns the answer and when the contract is due, if it is. */
async function reindex(address: string, chainId = C_CHAIN) {
  const answer = await opened.ask(`mutation { reindexContract(chainId: "${chainId}", address: "${address}") }`);
  const { rows } = await opened.database.pool.query<{ next: number | null; failures: number }>(
    "SELECT next_attempt_at::float AS next, node_failures + empty_answers AS failures FROM raw_token_answers WHERE address = $1",
    [`\\x${address.slice(2)}`],
  );
  return { answer, ...rows[0] };
}

const addressIn = async (table: string): Promise<string> => {
  const text = `SELECT '0x' || encode(address, 'hex') AS value FROM ${table} WHERE chain_id = ${C_CHAIN} ORDER BY 1 LIMIT 1`;
  return (await opened.values(text))[0] ?? "";
};

/** Sets the last attempt at all contracts to this many seconds ago. Returns its time. */
async function age(seconds: number): Promise<number> {
  const attemptedAt = Math.floor(Date.now() / 1_000) - seconds;
  await opened.database.pool.query(
    "UPDATE raw_token_answers SET attempted_at = $1, next_attempt_at = NULL, node_failures = 3, empty_answers = 2",
    [attemptedAt],
  );
  return attemptedAt;
}

describe("the mutation reindexContract", () => {
  it.each(["erc20_tokens", "nft_contracts"])("makes a contract of %s due, with fresh pauses", async (table) => {
    const address = await addressIn(table);
    await age(HOUR);
    const before = Math.floor(Date.now() / 1_000);
    const { answer, next, failures } = await reindex(address);
    expect([answer, failures]).toEqual([{ data: { reindexContract: true } }, 0]);
    expect(next).toBeGreaterThanOrEqual(before);
    expect(next).toBeLessThanOrEqual(Math.ceil(Date.now() / 1_000));
  });

  it("notifies the indexer of the chain", async () => {
    await using heard = hearRequests(opened.database.pool, C_CHAIN);
    await heard.untilCount(1);
    await reindex(await addressIn("erc20_tokens"));
    await heard.untilCount(2);
    await opened.ask(
      `mutation { reindexNft(chainId: "${C_CHAIN}", address: "${await addressIn("nft_items")}", tokenId: "1") }`,
    );
    await heard.untilCount(3);
  });

  it("makes it due one minute after the last attempt, at the earliest", async () => {
    const attemptedAt = await age(10);
    expect(await reindex(await addressIn("erc20_tokens"))).toMatchObject({ next: attemptedAt + 60 });
  });

  it("makes a contract due whose answers are not stored", async () => {
    const address = await addressIn("erc20_tokens");
    await opened.database.pool.query("DELETE FROM raw_token_answers WHERE address = $1", [`\\x${address.slice(2)}`]);
    expect(await reindex(address)).toMatchObject({ answer: { data: { reindexContract: true } }, failures: 0 });
  });

  it.each([
    [
      "a contract without a token transfer",
      NOBODY,
      C_CHAIN,
      /^contract 0x1{40} has no indexed token transfer on chain 760011$/,
    ],
    ["a contract of another chain", null, L1, /has no indexed token transfer/],
    ["a chain that is not configured", null, "5", /5/],
  ])("is refused for %s", async (_what, address, chainId, message) => {
    const given = address ?? (await addressIn("erc20_tokens"));
    await age(HOUR);
    const { answer, next } = await reindex(given, chainId);
    expect(answer).toMatchObject({
      errors: [{ message: expect.stringMatching(message), extensions: { code: "NOT_FOUND" } }],
    });
    expect(next ?? null).toBeNull();
  });
});
