import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { BadUpstreamData } from "../../../core/errors/errors.ts";
import type { WireBlock } from "../wire/blocks.ts";
import { verifyHeaderHash } from "./header-hash.ts";

/** The blocks that a recorded node returned. */
function recordedBlocks(file: string): WireBlock[] {
  const path = fileURLToPath(new URL(`../../../recordings/${file}.jsonl.gz`, import.meta.url));
  const lines = gunzipSync(readFileSync(path)).toString().split("\n").filter(Boolean);
  const answers = lines.map((line) => (JSON.parse(line) as { readonly result?: WireBlock | null }).result);
  return answers.filter((block) => typeof block?.parentHash === "string") as WireBlock[];
}

describe("the hash of a block is that of its header", () => {
  it.each([
    ["alpha/c-blocks", 470, "after Granite"],
    ["alpha/l1-blocks", 438, "of an L1 on subnet-evm"],
    ["gamma/c-blocks", 552, "from Banff to Granite"],
    ["delta/c-blocks", 332, "from the first phase of Apricot on"],
    ["helicon/c-blocks", 30, "after Helicon"],
  ])("in all blocks of %s: %i blocks %s", (file, count) => {
    const blocks = recordedBlocks(file);
    expect(blocks).toHaveLength(count);
    for (const block of blocks) expect(() => verifyHeaderHash(block)).not.toThrow();
  });

  it.each(["stateRoot", "gasUsed", "timestamp", "settledHeight", "extDataHash", "logsBloom", "minDelayExcess"])(
    "so a block with another %s is refused",
    (name) => {
      const block = recordedBlocks("helicon/c-blocks").at(-1) as unknown as Record<string, string>;
      const value = block[name] ?? "";
      const changed = { ...block, [name]: value.slice(0, -1) + (value.endsWith("1") ? "2" : "1") };
      expect(() => verifyHeaderHash(changed as unknown as WireBlock)).toThrow(BadUpstreamData);
      expect(() => verifyHeaderHash(changed as unknown as WireBlock)).toThrow(
        /^the hash of block \d+, computed from its header, is 0x[0-9a-f]{64}, but the block says 0x[0-9a-f]{64}$/,
      );
    },
  );
});
