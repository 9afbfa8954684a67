import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { ALPHA } from "../../../recordings/replay-node.ts";
import { describeAllRecordings } from "../../../test/support/recorded/primary-vectors.ts";
import { packGenesis, unpackGenesis } from "./packed-genesis.ts";
import { parseGenesisFile } from "./parse.ts";

const textIn = (folder: string) => gunzipSync(readFileSync(join(folder, "genesis.json.gz"))).toString();

describeAllRecordings("a genesis file", (folder) => {
  it("is the same after packing and unpacking", () => {
    const file = parseGenesisFile(textIn(folder));
    expect(unpackGenesis(packGenesis(file))).toEqual(file);
  });

  it("is refused if its table is truncated", () => {
    const whole = gunzipSync(packGenesis(parseGenesisFile(textIn(folder))));
    expect(() => unpackGenesis(gzipSync(whole.subarray(0, -1)))).toThrow(/^genesis table, message at byte \d+: /);
  });
});

describe("the command", () => {
  it("packs a file and writes the id of its genesis", () => {
    const own = mkdtempSync(join(tmpdir(), "genesis-"));
    const file = join(own, "genesis.json");
    const table = join(own, "table.gz");
    try {
      writeFileSync(file, textIn(ALPHA));
      const output = execFileSync(
        process.execPath,
        ["--import", "tsx", "indexer/primary/genesis/pack.ts", file, table],
        {
          encoding: "utf8",
        },
      );
      const packed = readFileSync(table);
      expect(unpackGenesis(packed)).toEqual(parseGenesisFile(textIn(ALPHA)));
      const { genesisID } = JSON.parse(readFileSync(join(ALPHA, "genesis-bytes.json"), "utf8"));
      expect(output).toBe(`${table}: ${packed.length} bytes, genesis ${genesisID}\n`);
    } finally {
      rmSync(own, { recursive: true });
    }
  });
});
