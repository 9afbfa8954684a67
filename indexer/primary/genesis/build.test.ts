import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { formatId } from "../../../core/formats/id-text.ts";
import {
  beside,
  describeAllRecordings,
  describeWhere,
  factsOf,
} from "../../../test/support/recorded/primary-vectors.ts";
import { parseHex } from "../fetch/checked-hex.ts";
import { buildGenesis } from "./build.ts";
import { parseGenesisFile } from "./parse.ts";

const fileAt = (path: string) => parseGenesisFile(gunzipSync(readFileSync(path)).toString());

describeAllRecordings("the genesis that is built from the file", (folder) => {
  it("has the node's bytes and id", () => {
    const { platformGenesisBytes, genesisID } = JSON.parse(readFileSync(join(folder, "genesis-bytes.json"), "utf8"));
    const { platformBytes, id } = buildGenesis(fileAt(join(folder, "genesis.json.gz")));
    expect(platformBytes).toEqual(parseHex(platformGenesisBytes, "the genesis"));
    expect(formatId(id)).toBe(genesisID);
  });

  it("has the node's chains and asset", () => {
    const { avaxAssetID } = JSON.parse(readFileSync(join(folder, "genesis-bytes.json"), "utf8"));
    const { xChainId, cChainId, avaxAssetId } = buildGenesis(fileAt(join(folder, "genesis.json.gz")));
    const chainOf = (name: string) => factsOf(folder).chains.find(({ alias }) => alias === name)?.blockchainId;
    expect([xChainId, cChainId, avaxAssetId].map(formatId)).toEqual([chainOf("X"), chainOf("C"), avaxAssetID]);
  });
});

const genesisFiles = beside("external/genesis");

describeWhere(genesisFiles, "the genesis of the network local", () => {
  const read = () => fileAt(join(genesisFiles.folder, "local.json.gz"));
  const chainsAndAsset = [
    "2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed",
    "2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC",
    "2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe",
  ];

  it("has the node's ids", () => {
    const { id, xChainId, cChainId, avaxAssetId } = buildGenesis(read());
    expect(formatId(id)).toBe("2nRRoR76HuEk1JjDpRdN8FKvZFvUXWxY3b9C5rZRPFjcgEh7S7");
    expect([xChainId, cChainId, avaxAssetId].map(formatId)).toEqual(chainsAndAsset);
  });

  it("has another id and the same chains with a later start time", () => {
    const file = read();
    // Nodes of the network `local` move their start time in steps of 270 days.
    const startTime = file.startTime + 270 * 86_400;
    const { id, xChainId, cChainId, avaxAssetId } = buildGenesis({ ...file, startTime });
    expect(formatId(id)).toBe("pHm7xfkYhSUKgie86gGvpAea88BNSmj2qnE9rSMACPYdn9nFs");
    expect([xChainId, cChainId, avaxAssetId].map(formatId)).toEqual(chainsAndAsset);
  });
});
