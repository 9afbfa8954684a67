import { Field, ObjectType } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import type { ChainCapability as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";
import { graphEnum } from "../../shared/schema/graph-enum.ts";

const Capability = graphEnum({
  name: "Capability",
  description: "An optional capability of a chain, which depends on the chain's node or on the configuration.",
  values: {
    traces:
      "Call trees. They contain internal transactions, and contracts that were created by other contracts. A block is traced if its call trees are indexed.",
    nftMetadata: "Metadata of NFTs.",
  },
});
type Capability = (typeof Capability)[string];

@ObjectType({ description: "Whether a chain has an optional capability." })
export class ChainCapability implements TextRow<Row> {
  chainId!: string;

  @Field(() => Capability, { description: "The capability." })
  capability!: Capability;

  @Field(() => Boolean, { description: "True if the chain has the capability." })
  isOn!: boolean;

  @Field(() => String, {
    nullable: true,
    description: "Why the capability is off or incomplete; null if it is complete or the reason is unknown.",
  })
  reason!: string | null;

  @Field(() => Quantity, {
    description:
      "`TRACES`: number of indexed blocks without call trees, for example because tracing was enabled later. The `backfill` command adds the missing call trees. Always 0 for `NFT_METADATA`.",
  })
  missingBlocks!: string;
}
