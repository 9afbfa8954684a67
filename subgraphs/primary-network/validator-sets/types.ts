import { ArgsType, Field, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Hex, Quantity } from "../../../core/graph/scalars.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { StateAt } from "../../shared/schema/state-at.ts";
import { Id, NodeId } from "../identifiers/scalars.ts";
import type { ServedNetwork } from "../networks/served-network.ts";

@ObjectType({ description: "A member of the validator set of a subnet after a block." })
export class ValidatorSetMember {
  served!: ServedNetwork;

  @Field(() => Id, { nullable: true, description: "Validation ID. Null unless it is a validator of an L1." })
  validationId!: string | null;

  @Field(() => NodeId, {
    nullable: true,
    description: "Node ID. Null for an inactive validator of an L1, which has a weight but cannot sign.",
  })
  nodeId!: string | null;

  @Field(() => Quantity, { description: "Weight. Delegations to the node are included." })
  weight!: string;

  @Field(() => Hex, {
    nullable: true,
    description:
      "BLS public key, compressed. On a subnet that is not an L1, the key of the node in the primary network. Null if there is none.",
  })
  blsPublicKey!: string | null;
}

@ObjectType({ description: "A page of the validator set of a subnet after a block." })
export class ValidatorSetConnection extends Connection(
  ValidatorSetMember,
  "Members, by ascending bytes of the node ID, or of the validation ID in an L1.",
) {
  network!: NetworkName;

  @Field(() => Quantity, { description: "Height of the P-Chain block after which the subnet has this validator set." })
  blockNumber!: string;
}

@ArgsType()
export class ValidatorSetArgs extends ConnectionArgs({ max: 1_000, initial: 100 }) {
  @Field(() => StateAt, {
    nullable: true,
    description:
      "Block of the P-Chain, which all pages of the list have. Default: the last indexed block at the time of the first page.",
  })
  at?: StateAt | null;
}
