import { ArgsType, Field } from "type-graphql";
import { StateAt } from "../../shared/schema/state-at.ts";

@ArgsType()
export class StateAtArgs {
  @Field(() => StateAt, { nullable: true, description: "Block of the value. Default: the last indexed block." })
  at?: StateAt | null;
}
