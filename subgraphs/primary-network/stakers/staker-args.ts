import { ArgsType, Field } from "type-graphql";
import { NetworkName } from "../../shared/schema/network-name.ts";

/** The arguments that select a validation or a delegation. */
@ArgsType()
export class StakerArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "ID of the staking transaction, as CB58 or hex." })
  txHash!: string;
}
