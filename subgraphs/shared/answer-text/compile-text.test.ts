import {
  execute,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  parse,
} from "graphql";
import { GRAPHQL_FORM } from "../../../core/graph/answer-text.ts";
import { createTextCompiler } from "./compile-text.ts";

interface Token {
  readonly name: string;
  readonly tags: readonly string[];
}

interface Item {
  readonly number: number;
  readonly token: Token;
}

let itemsOfRun: Item[] = [];
let prices = new Map<Token, number>();

const token = new GraphQLObjectType<Token>({
  name: "Token",
  fields: {
    name: { type: new GraphQLNonNull(GraphQLString) },
    tags: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLString))) },
    price: { type: GraphQLInt, resolve: async (root) => prices.get(root) ?? null },
  },
});
const item = new GraphQLObjectType<Item>({
  name: "Item",
  fields: {
    number: { type: new GraphQLNonNull(GraphQLInt) },
    token: { type: new GraphQLNonNull(token) },
  },
});
const schema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: "Query",
    fields: {
      items: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(item))), resolve: () => itemsOfRun },
    },
  }),
});

async function expectedText(query: string): Promise<string> {
  return JSON.stringify(await execute({ schema, document: parse(query) }));
}

async function compiledText(query: string): Promise<string | null> {
  const run = createTextCompiler(schema)(parse(query), { form: GRAPHQL_FORM, scope: "answer" });
  const answer = await run?.({}, {});
  return answer === null ? null : String(answer);
}

/** A token that counts how often its name is read. */
function countingToken(name: string): Token & { reads: number } {
  return {
    reads: 0,
    get name() {
      this.reads++;
      return name;
    },
    tags: [name, "tag"],
  };
}

const itemsWith = (...tokens: Token[]): Item[] => tokens.map((one, number) => ({ number, token: one }));

describe("items of a list that have the same object", () => {
  it("have its text, which is written once if they follow each other", async () => {
    const [one, two] = [countingToken("one"), countingToken("two")];
    itemsOfRun = itemsWith(one, one, one, two, one);
    const query = "{ items { number token { name } } }";
    const text = await compiledText(query);
    expect([one.reads, two.reads]).toEqual([2, 1]);
    expect(text).toBe(await expectedText(query));
  });

  it("have the fields that were pending when it was written first", async () => {
    const [one, two] = [countingToken("one"), countingToken("two")];
    prices = new Map([[one, 1]]);
    itemsOfRun = itemsWith(one, one, two, two, one);
    const query = "{ items { number token { name price } other: token { price name } } }";
    expect(await compiledText(query)).toBe(await expectedText(query));
  });

  it("have its lists, also if these are long", async () => {
    const one = { name: "one", tags: Array.from({ length: 9_000 }, (_, at) => `tag ${at}`) };
    itemsOfRun = itemsWith(one, one, countingToken("two"), one);
    const query = "{ items { token { tags name } number } }";
    expect(await compiledText(query)).toBe(await expectedText(query));
  });

  it("are left to the reference executor if the object is missing", async () => {
    const missing = undefined as unknown as Token;
    itemsOfRun = itemsWith(missing, missing);
    expect(await compiledText("{ items { token { name } } }")).toBeNull();
  });
});
