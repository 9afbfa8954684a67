import { Field, ObjectType, registerEnumType } from "type-graphql";
import { Quantity } from "../../../core/scalars.ts";
import type { ChainCapability as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows.ts";

export const Capability = { traces: "traces", nftMetadata: "nftMetadata" } as const;
export type Capability = keyof typeof Capability;

registerEnumType(Capability, {
  name: "Capability",
  description: "What not every chain has: its node cannot give it, or nobody asked for it.",
  valuesConfig: {
    traces: { description: "Internal transactions, and contracts made by contracts." },
    nftMetadata: { description: "Metadata of NFTs." },
  },
});

@ObjectType({ description: "Whether a chain has what not every chain has.", simpleResolvers: true })
export class ChainCapability implements TextRow<Row> {
  chainId!: string;

  @Field(() => Capability, { description: "What it is about." })
  capability!: Capability;

  @Field(() => Boolean, { description: "Whether the chain has it." })
  isOn!: boolean;

  @Field(() => String, {
    nullable: true,
    description: "Why not, or why not in full; null when it has it, and where nobody knows why blocks lack it.",
  })
  reason!: string | null;

  @Field(() => Quantity, {
    description: "Indexed blocks that lack it, as when it was switched on later: a backfill brings them.",
  })
  missingBlocks!: string;
}
