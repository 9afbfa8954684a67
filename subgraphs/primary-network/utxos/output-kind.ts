import { graphEnum } from "../../shared/schema/graph-enum.ts";

export const OutputKind = graphEnum({
  name: "PrimaryNetworkOutputKind",
  description: "What an output of a primary network is.",
  values: {
    Transfer: "An amount of an asset, or an NFT.",
    Mint: "The right to mint more of an asset.",
    Owned: "A property (`propertyfx`), which has no amount.",
  },
});
