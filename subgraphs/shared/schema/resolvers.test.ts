import { execute, parse } from "graphql";
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  createUnionType,
  Field,
  FieldResolver,
  Info,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
} from "type-graphql";
import { GRAPHQL_FORM } from "../../../core/graph/answer-text.ts";
import { buildFederatedSchema } from "../federated-schema.ts";
import { LoadsAll } from "./load-all.ts";

@ObjectType({ description: "A river of the tests." })
class TestRiver {
  @Field(() => String, { description: "Name." })
  name!: string;
}

@ObjectType({ description: "A lake of the tests." })
class TestLake {
  @Field(() => String, { description: "Name." })
  name!: string;
}

const TestWater = createUnionType({
  name: "TestWater",
  types: () => [TestRiver, TestLake] as const,
  resolveType: ({ name }) => (name.startsWith("Lake") ? "TestLake" : "TestRiver"),
});

@ArgsType()
class TestWatersArgs {
  @Field(() => Int, { nullable: true, defaultValue: 2, description: "Number of waters." })
  count!: number;

  get last(): number {
    return this.count - 1;
  }
}

const NAMES = ["Rhone", "Lake Geneva", "Arve"];

interface TestContext {
  readonly lengths: Map<TestRiver, number>;
}

const loadLengths = async (rivers: TestRiver[], { lengths }: TestContext): Promise<void> => {
  for (const river of rivers) lengths.set(river, river.name.length);
};

@Resolver(() => TestRiver)
class TestRiverResolver {
  readonly unit = "km";

  @Query(() => [TestWater])
  waters(@Args(() => TestWatersArgs) args: TestWatersArgs): { name: string }[] {
    return NAMES.slice(0, args.last + 1).map((name) => ({ name }));
  }

  @Query(() => [TestRiver])
  rivers(@Arg("name", () => String) name: string): TestRiver[] {
    return [{ name }];
  }

  @FieldResolver(() => String)
  @LoadsAll(loadLengths)
  length(@Root() river: TestRiver, @Ctx() { lengths }: TestContext): string | Promise<string> {
    const length = lengths.get(river);
    return length === undefined ? Promise.resolve(`? ${this.unit}`) : `${length} ${this.unit}`;
  }

  @FieldResolver(() => String)
  inLanguage(
    @Ctx() _context: TestContext,
    @Arg("language", () => String) language: string,
    @Root() { name }: TestRiver,
  ): string {
    return `${name} (${language})`;
  }
}

const { schema, compileText } = buildFederatedSchema([TestRiverResolver], {});

async function answers(source: string) {
  const document = parse(source);
  const run = compileText(document, { form: GRAPHQL_FORM, scope: "answer" });
  const context = (): TestContext => ({ lengths: new Map() });
  return {
    reference: await execute({ schema, document, contextValue: context() }),
    compiled: JSON.parse(String(await run?.({}, context()))),
  };
}

describe("fields call the methods of resolver classes", () => {
  it.each([
    [
      "with an object of the class of their arguments",
      "{ waters { ... on TestRiver { name } } }",
      { waters: [{ name: "Rhone" }, {}] },
    ],
    [
      "with single arguments, in the order of the method",
      '{ rivers(name: "Rhone") { inLanguage(language: "fr") } }',
      { rivers: [{ inLanguage: "Rhone (fr)" }] },
    ],
    [
      "with the types of unions",
      "{ waters(count: 3) { __typename } }",
      { waters: ["TestRiver", "TestLake", "TestRiver"].map((__typename) => ({ __typename })) },
    ],
  ])("%s", async (_, query, data) => {
    const { reference, compiled } = await answers(query);
    expect(JSON.parse(JSON.stringify(reference))).toEqual({ data });
    expect(compiled).toEqual({ data });
  });

  it("after what they need is loaded for all objects of the compiled form", async () => {
    const { reference, compiled } = await answers('{ rivers(name: "Rhone") { length } }');
    expect(reference.data).toEqual({ rivers: [{ length: "? km" }] });
    expect(compiled.data).toEqual({ rivers: [{ length: "5 km" }] });
  });
});

describe("a schema is refused", () => {
  it("if a method has a parameter that resolvers do not get", () => {
    @Resolver(() => TestLake)
    class TestLakeResolver {
      @Query(() => TestLake)
      lake(@Info() _info: unknown): TestLake {
        return { name: "Lake Geneva" };
      }
    }
    expect(() => buildFederatedSchema([TestLakeResolver], {})).toThrow(
      "TestLakeResolver.lake has a parameter for info",
    );
  });

  it("if a union does not state the types of its objects", () => {
    const TestPlace = createUnionType({ name: "TestPlace", types: () => [TestRiver, TestLake] as const });
    @Resolver()
    class TestPlaceResolver {
      @Query(() => TestPlace)
      place(): TestLake {
        return { name: "Lake Geneva" };
      }
    }
    expect(() => buildFederatedSchema([TestPlaceResolver], {})).toThrow("the union TestPlace needs a resolveType");
  });
});
