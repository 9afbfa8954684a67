import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../test/support/indexed/indexing.ts";
import type { ChainState, ProgressState } from "../shared/progress.ts";
import { collectGarbageOfCatchingUp } from "./collect-garbage.ts";

const INTERVAL_MS = 20;

const inState = (state: ChainState) => ({ current: { state } as ProgressState });

describe("the garbage of catching up", () => {
  const ofNode = globalThis.gc;
  afterEach(() => {
    globalThis.gc = ofNode;
  });

  it("is collected once each time that no chain catches up any more", async () => {
    let collections = 0;
    globalThis.gc = (async () => void collections++) as typeof globalThis.gc;
    const untilCollected = (count: number) =>
      until(
        async () => collections,
        (done) => done === count,
        `${count} collections`,
      );
    const chains = [inState("BACKFILLING"), inState("FOLLOWING")];
    using _collecting = collectGarbageOfCatchingUp(chains, INTERVAL_MS);
    await sleep(5 * INTERVAL_MS);
    expect(collections).toBe(0);
    chains[0] = inState("FOLLOWING");
    await untilCollected(1);
    await sleep(5 * INTERVAL_MS);
    expect(collections).toBe(1);
    chains[1] = inState("BACKFILLING");
    await sleep(5 * INTERVAL_MS);
    expect(collections).toBe(1);
    chains[1] = inState("WAITING");
    await untilCollected(2);
  });

  it("is collected again every fifteen looks while no chain catches up", async () => {
    let collections = 0;
    globalThis.gc = (async () => void collections++) as typeof globalThis.gc;
    using _collecting = collectGarbageOfCatchingUp([inState("FOLLOWING")], INTERVAL_MS);
    await until(
      async () => collections,
      (done) => done === 3,
      "three collections",
    );
  });
});
