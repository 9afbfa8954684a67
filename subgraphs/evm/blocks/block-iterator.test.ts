import { createBlockFollower } from "./block-iterator.ts";
import type { EvmBlock } from "./types.ts";

/** Blocks 0 to `length - 1` of a branch that leaves `main` at `fork`. */
function chain(length: number, branch = "main", fork = 0): EvmBlock[] {
  const hashOf = (number: number) => `${number < fork ? "main" : branch} ${number}`;
  return Array.from({ length }, (_, number) => {
    const names = { blockNumber: String(number), blockHash: hashOf(number), parentHash: hashOf(number - 1) };
    return { chainId: "1", ...names } as EvmBlock;
  });
}

/** A follower that began at the last of these blocks, over blocks that a test replaces. */
function following(blocks: EvmBlock[]) {
  const state = { blocks, reads: 0, closed: 0 };
  const read = async (from: bigint, to: bigint) => {
    state.reads++;
    return state.blocks.slice(Number(from), Number(to) + 1);
  };
  const follower = createBlockFollower(blocks.at(-1) ?? null, read, () => {
    state.closed++;
  });
  const take = async (count: number) => {
    const hashes: string[] = [];
    for (let i = 0; i < count; i++) hashes.push((await follower.next()).value.blockHash);
    return hashes;
  };
  const become = (next: EvmBlock[], told = next.length - 1) => {
    state.blocks = next;
    follower.tell(BigInt(told));
  };
  return { state, follower, take, become };
}

const hashes = (blocks: readonly EvmBlock[]) => blocks.map(({ blockHash }) => blockHash);

/** True when nothing comes for a moment. */
async function isQuiet(follower: AsyncIterator<unknown>): Promise<boolean> {
  const next = follower.next().then(() => false);
  return Promise.race([next, new Promise<boolean>((done) => setTimeout(() => done(true), 20))]);
}

describe("a block follower", () => {
  it("gives the blocks after its first one in order, several for one notice, each once", async () => {
    const { take, become, follower } = following(chain(3));
    become(chain(5));
    become(chain(6));
    become(chain(6));
    expect(await take(3)).toEqual(["main 3", "main 4", "main 5"]);
    become(chain(6));
    expect(await isQuiet(follower)).toBe(true);
  });

  it("begins at block 0 when the chain had none", async () => {
    const { take, become } = following([]);
    become(chain(2));
    expect(await take(2)).toEqual(["main 0", "main 1"]);
  });

  it("gives only what was told, though more can be read", async () => {
    const { take, become, follower } = following(chain(1));
    become(chain(9), 2);
    expect(await take(2)).toEqual(["main 1", "main 2"]);
    expect(await isQuiet(follower)).toBe(true);
  });

  it("reads in pages and gives at most the last 1,000 blocks", async () => {
    const { take, become, state } = following(chain(1));
    become(chain(5_000));
    expect(await take(1_000)).toEqual(hashes(chain(5_000)).slice(4_000));
    expect(state.reads).toBe(10);
  });

  it.each([1, 2, 64, 255])("gives what replaces the last %d blocks, and nothing that stayed", async (depth) => {
    const before = chain(301);
    const { take, become, follower } = following(before.slice(0, 1));
    become(before);
    await take(300);
    const after = chain(301, "other", 301 - depth);
    become(after, 301 - depth);
    become(after);
    expect(await take(depth)).toEqual(hashes(after).slice(-depth));
    become(after);
    expect(await isQuiet(follower)).toBe(true);
  });

  it("sees a reorganisation also when the new branch is longer than the old one", async () => {
    const { take, become } = following(chain(1));
    become(chain(10));
    await take(9);
    become(chain(14, "other", 7));
    expect(await take(7)).toEqual(hashes(chain(14, "other", 7)).slice(7));
  });

  it("goes on when the chain has become shorter and grows again", async () => {
    const { take, become } = following(chain(1));
    become(chain(10));
    await take(9);
    become(chain(8, "other", 6));
    expect(await take(2)).toEqual(["other 6", "other 7"]);
    become(chain(9, "other", 6));
    expect(await take(1)).toEqual(["other 8"]);
  });

  it("corrects a page that was read before a reorganisation", async () => {
    const { take, become } = following(chain(1));
    become(chain(4));
    const taken = take(5);
    become(chain(4, "other", 2));
    expect(await taken).toEqual(["main 1", "main 2", "main 3", "other 2", "other 3"]);
  });

  it("ends a read that waits, once, when nobody wants more", async () => {
    const { follower, state } = following(chain(1));
    const waiting = follower.next();
    await follower.return?.();
    await follower.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await follower.next()).toEqual({ done: true, value: undefined });
    expect(state.closed).toBe(1);
  });
});
