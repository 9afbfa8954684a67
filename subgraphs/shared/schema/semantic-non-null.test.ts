import { graphql } from "graphql";
import { Query, Resolver } from "type-graphql";
import { buildFederatedSchema } from "../federated-schema.ts";

@Resolver()
class Values {
  @Query(() => String, { description: "Null only by mistake." })
  required(): string {
    return undefined as unknown as string;
  }

  @Query(() => String, { description: "The same, later." })
  async promised(): Promise<string> {
    return null as unknown as string;
  }

  @Query(() => String, { nullable: true, description: "May be null." })
  optional(): string | null {
    return null;
  }

  @Query(() => String, { description: "Present." })
  present(): string {
    return "here";
  }
}

describe("a root field whose null only means failure", () => {
  const { schema } = buildFederatedSchema([Values], {});

  it("is nullable", () => {
    const fields = schema.getQueryType()?.getFields() ?? {};
    expect(["required", "promised", "present"].map((name) => String(fields[name]?.type))).toEqual(
      Array(3).fill("String"),
    );
  });

  it("has an error if it is null by mistake; others may be null, and are answered beside it", async () => {
    const { data, errors } = await graphql({ schema, source: "{ required promised optional present }" });
    expect({ ...data }).toEqual({ required: null, promised: null, optional: null, present: "here" });
    expect(errors?.map(({ path, message }) => [path?.join(), message]).toSorted()).toEqual([
      ["promised", "Cannot return null for the field Query.promised."],
      ["required", "Cannot return null for the field Query.required."],
    ]);
  });
});
