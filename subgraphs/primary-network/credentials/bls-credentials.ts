import { Field, ObjectType } from "type-graphql";
import { Hex } from "../../../core/scalars.ts";

@ObjectType({ description: "A validator's BLS key.", simpleResolvers: true })
export class BlsCredentials {
  @Field(() => Hex, { description: "Public key, 48 bytes." })
  publicKey!: string;

  @Field(() => Hex, { description: "Proof that its owner has the secret key, 96 bytes." })
  proofOfPossession!: string;
}
