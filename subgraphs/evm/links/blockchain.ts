import { Directive, Field, ObjectType } from "type-graphql";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { outputScalar } from "../../shared/schema/output-scalar.ts";

/** A 32-byte id as CB58 text. Output only. */
const Id = outputScalar("Id", String);

/** A blockchain; the primary-network subgraph owns it. */
@ObjectType()
@Directive('@key(fields: "network blockchainId", resolvable: false)')
export class Blockchain {
  @Field(() => NetworkName)
  network!: NetworkName;

  @Field(() => Id)
  blockchainId!: string;
}
