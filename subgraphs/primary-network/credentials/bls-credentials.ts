import { Field, ObjectType } from "type-graphql";
import { Hex } from "../../../core/graph/scalars.ts";

@ObjectType({ description: "BLS public key of a validator." })
export class BlsCredentials {
  @Field(() => Hex, { description: "Public key, 48 bytes." })
  publicKey!: string;

  @Field(() => Hex, { description: "Proof of possession of the secret key, 96 bytes." })
  proofOfPossession!: string;
}
