import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatId } from "../../../core/formats/id-text.ts";
import { describeAllRecordings, factsOf } from "../../../test/support/recorded/primary-vectors.ts";
import { parseHex } from "../fetch/checked-hex.ts";
import { summariseGenesis } from "../genesis/genesis-summary.ts";
import { networkFacts } from "./network.ts";
import { defaultRules } from "./rules.ts";

describe("the facts of a network", () => {
  /** The published ids of genesis, X-Chain, C-Chain and AVAX. */
  it.each([
    [
      1,
      "avax",
      "UUvXi6j7QhVvgpbKM89MP5HdrxKm9CaJeHc187TsDNf8nZdLk",
      "2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM",
      "2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5",
      "FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z",
    ] as const,
    [
      5,
      "fuji",
      "MSj6o9TpezwsQx4Tv7SHqpVvCbJ8of1ikjsqPZ1bKRjc9zBy3",
      "2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm",
      "yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp",
      "U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK",
    ] as const,
  ])("%d are known without a genesis file", (networkId, hrp, genesisId, xChainId, cChainId, avaxAssetId) => {
    const network = networkFacts(networkId, summariseGenesis(networkId).platformBytes(), defaultRules(networkId));
    const { genesis } = network;
    expect(network).toMatchObject({ networkId, hrp });
    expect([genesis.id, network.xChainId, network.cChainId, network.avaxAssetId].map(formatId)).toEqual([
      genesisId,
      xChainId,
      cChainId,
      avaxAssetId,
    ]);
    expect(genesis.timestamp).toBe(1_599_696_000);
  });
});

describeAllRecordings("the facts of a network", (folder) => {
  const bytes = () => {
    const file = JSON.parse(readFileSync(join(folder, "genesis-bytes.json"), "utf8")) as {
      platformGenesisBytes: string;
    };
    return parseHex(file.platformGenesisBytes, "genesis");
  };

  it("have the blockchain ids that the node reports", () => {
    const { networkID, hrp, chains } = factsOf(folder);
    const network = networkFacts(networkID, bytes(), defaultRules(networkID));
    const idOf = (alias: string) => chains.find((chain) => chain.alias === alias)?.blockchainId;
    expect([network.hrp, formatId(network.xChainId), formatId(network.cChainId)]).toEqual([hrp, idOf("X"), idOf("C")]);
  });

  it("are refused from the genesis of another network", () => {
    const { networkID } = factsOf(folder);
    const message = `the genesis is of network ${networkID}, not 7: correct primaryNetworks[].networkId`;
    expect(() => networkFacts(7, bytes(), defaultRules(7))).toThrow(message);
    expect(() => networkFacts(networkID, bytes().subarray(0, -1), defaultRules(networkID))).toThrow("P-Chain genesis");
  });
});
