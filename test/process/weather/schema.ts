import { Field, Int, ObjectType, Query, Resolver } from "type-graphql";
import { buildFederatedSchema } from "../../../subgraphs/shared/federated-schema.ts";

@ObjectType({ description: "The sky over the mountains." })
class Weather {
  @Field(() => Int, { description: "In degrees Celsius." })
  temperature!: number;
}

@Resolver()
class WeatherResolver {
  @Query(() => Weather, { description: "Today's weather." })
  weather(): Weather {
    return { temperature: -7 };
  }
}

export const { schema, sdl, compileText } = buildFederatedSchema([WeatherResolver], {});
