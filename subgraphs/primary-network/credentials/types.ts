import { Field, ObjectType } from "type-graphql";

@ObjectType({
  description: "A signature that a transaction bears for something that it spends.",
  simpleResolvers: true,
})
export class UtxoCredential {
  @Field(() => String, {
    description:
      "r, s and the recovery id (65 bytes) in base64: over the SHA-256 of the transaction without its credentials.",
  })
  signature!: string;

  @Field(() => String, { description: "Compressed secp256k1 key (33 bytes) of the signer, in base64." })
  publicKey!: string;
}
