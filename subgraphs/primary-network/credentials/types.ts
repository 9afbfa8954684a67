import { Field, ObjectType } from "type-graphql";

@ObjectType({ description: "Signature that authorises an input of a transaction." })
export class UtxoCredential {
  @Field(() => String, {
    description:
      "Signature in base64: r, s and recovery ID, 65 bytes. It signs the SHA-256 of the transaction without credentials.",
  })
  signature!: string;

  @Field(() => String, { description: "Compressed secp256k1 public key of the signer in base64, 33 bytes." })
  publicKey!: string;
}
