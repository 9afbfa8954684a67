import { Failure } from "../../../core/errors/errors.ts";
import { createBlockIterator, type LinkedBlock } from "./block-iterator.ts";

/** Blocks 0 to `length - 1` of a branch that leaves `main` at `fork`. */
function chain(length: number, branch = "main", fork = 0): LinkedBlock[] {
  const hashOf = (number: number) => `${number < fork ? "main" : branch} ${number}`;
  return Array.from({ length }, (_, number) => {
    return { blockNumber: String(number), blockHash: hashOf(number), parentHash: hashOf(number - 1) };
  });
}

/** An iterator that starts after the last of these blocks, over blocks that the test replaces. */
function startAfter(blocks: LinkedBlock[]) {
  const state = { blocks, reads: 0, closed: 0 };
  const read = async (from: bigint, to: bigint) => {
    state.reads++;
    return state.blocks.slice(Number(from), Number(to) + 1);
  };
  const iterator = createBlockIterator(blocks.at(-1) ?? null, read, () => {
    state.closed++;
  });
  const take = async (count: number) => {
    const hashes: string[] = [];
    for (let i = 0; i < count; i++) hashes.push((await iterator.next()).value.blockHash);
    return hashes;
  };
  const replaceWith = (next: LinkedBlock[], notified = next.length - 1) => {
    state.blocks = next;
    iterator.notify(BigInt(notified));
  };
  return { state, iterator, take, replaceWith };
}

const hashes = (blocks: readonly LinkedBlock[]) => blocks.map(({ blockHash }) => blockHash);

/** True if the iterator returns nothing for 20 ms. */
async function isIdle(iterator: AsyncIterator<unknown>): Promise<boolean> {
  const next = iterator.next().then(() => false);
  return Promise.race([next, new Promise<boolean>((done) => setTimeout(() => done(true), 20))]);
}

describe("a block iterator", () => {
  it("returns the blocks after its start in order, each once, several for one notification", async () => {
    const { take, replaceWith, iterator } = startAfter(chain(3));
    replaceWith(chain(5));
    replaceWith(chain(6));
    replaceWith(chain(6));
    expect(await take(3)).toEqual(["main 3", "main 4", "main 5"]);
    replaceWith(chain(6));
    expect(await isIdle(iterator)).toBe(true);
  });

  it("starts at block 0 if the chain had no block", async () => {
    const { take, replaceWith } = startAfter([]);
    replaceWith(chain(2));
    expect(await take(2)).toEqual(["main 0", "main 1"]);
  });

  it("returns blocks up to the notified one only, although more can be read", async () => {
    const { take, replaceWith, iterator } = startAfter(chain(1));
    replaceWith(chain(9), 2);
    expect(await take(2)).toEqual(["main 1", "main 2"]);
    expect(await isIdle(iterator)).toBe(true);
  });

  it("reads in pages and returns at most the last 1,000 blocks", async () => {
    const { take, replaceWith, state } = startAfter(chain(1));
    replaceWith(chain(5_000));
    expect(await take(1_000)).toEqual(hashes(chain(5_000)).slice(4_000));
    expect(state.reads).toBe(10);
  });

  it.each([1, 2, 64, 255])(
    "returns the blocks that replace the last %d blocks, and none that stayed",
    async (depth) => {
      const before = chain(301);
      const { take, replaceWith, iterator } = startAfter(before.slice(0, 1));
      replaceWith(before);
      await take(300);
      const after = chain(301, "other", 301 - depth);
      replaceWith(after, 301 - depth);
      replaceWith(after);
      expect(await take(depth)).toEqual(hashes(after).slice(-depth));
      replaceWith(after);
      expect(await isIdle(iterator)).toBe(true);
    },
  );

  it("detects a reorganisation to a longer branch", async () => {
    const { take, replaceWith } = startAfter(chain(1));
    replaceWith(chain(10));
    await take(9);
    replaceWith(chain(14, "other", 7));
    expect(await take(7)).toEqual(hashes(chain(14, "other", 7)).slice(7));
  });

  it("continues after the chain became shorter and grew again", async () => {
    const { take, replaceWith } = startAfter(chain(1));
    replaceWith(chain(10));
    await take(9);
    replaceWith(chain(8, "other", 6));
    expect(await take(2)).toEqual(["other 6", "other 7"]);
    replaceWith(chain(9, "other", 6));
    expect(await take(1)).toEqual(["other 8"]);
  });

  it("corrects a page that was read before a reorganisation", async () => {
    const { take, replaceWith } = startAfter(chain(1));
    replaceWith(chain(4));
    const taken = take(5);
    replaceWith(chain(4, "other", 2));
    expect(await taken).toEqual(["main 1", "main 2", "main 3", "other 2", "other 3"]);
  });

  it("ends a waiting read once the reader returns", async () => {
    const { iterator, state } = startAfter(chain(1));
    const waiting = iterator.next();
    await iterator.return?.();
    await iterator.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(state.closed).toBe(1);
  });

  it("reads again after an outage, and ends with any other failure", async () => {
    const failures = [new Failure("UNAVAILABLE", "the database cannot be reached"), null, new Error("a bug")];
    let closed = 0;
    const read = async () => {
      const failure = failures.shift();
      if (failure) throw failure;
      return chain(1);
    };
    const iterator = createBlockIterator(null, read, () => {
      closed++;
    });
    iterator.notify(0n);
    expect(await iterator.next()).toMatchObject({ value: { blockHash: "main 0" } });
    expect(closed).toBe(0);
    iterator.notify(1n);
    await expect(iterator.next()).rejects.toThrow("a bug");
    await iterator.return?.();
    expect(closed).toBe(1);
  });
});
