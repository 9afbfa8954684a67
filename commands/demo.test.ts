import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testConfig } from "../test/support/config.ts";
import { startDemo } from "./demo.ts";

it.each([
  ["full", 1_000],
  ["live", 0],
] as const)(
  "a demo that is %s compares samples after %i blocks: the recorded node has only the state after its last block",
  async (demo, expected) => {
    const dataDirectory = await mkdtemp(join(tmpdir(), "moraine-demo-"));
    const { node, config } = await startDemo(
      testConfig({ demo, dataDirectory, indexing: { proofEveryBlocks: 1_000 } }),
    );
    expect(config.indexing.proofEveryBlocks).toBe(expected);
    await node[Symbol.asyncDispose]();
    await rm(dataDirectory, { recursive: true });
  },
);
