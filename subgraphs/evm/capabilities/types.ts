import { Field, ObjectType, registerEnumType } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import type { ChainCapability as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";

const Capability = { traces: "traces", nftMetadata: "nftMetadata" } as const;
type Capability = keyof typeof Capability;

registerEnumType(Capability, {
  name: "Capability",
  description: "An optional capability of a chain, which depends on the chain's node or on the configuration.",
  valuesConfig: {
    traces: {
      description:
        "Call trees. They contain internal transactions, and contracts that were created by other contracts. A block is traced if its call trees are indexed.",
    },
    nftMetadata: { description: "Metadata of NFTs." },
  },
});

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
      "`traces`: number of indexed blocks without call trees, for example because tracing was enabled later. The `backfill` command adds the missing call trees. Always 0 for `nftMetadata`.",
  })
  missingBlocks!: string;
}
