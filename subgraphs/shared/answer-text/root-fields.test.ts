import { buildSchema, type ExecutionResult, execute, type GraphQLResolveInfo, parse } from "graphql";
import { GRAPHQL_FORM } from "../../../core/graph/answer-text.ts";
import { createTextCompiler } from "./compile-text.ts";

const schema = buildSchema(`
  enum Order { ASCENDING DESCENDING }
  input Range { from: Int to: Int = 9 }
  interface Named { name: String! }
  type Person implements Named { name: String! age: Int friends: [Being!]! }
  type Robot implements Named { name: String! model: String! age: String }
  union Being = Person | Robot
  type Query {
    echo(text: String = "none", count: Int!, order: Order, orders: [Order!], nested: [[Int]], range: Range): String
    beings: [Being]!
    named: Named
    later: [Being]!
    broken: Person
    missing: Person!
    age: Int
  }`);

let beings: unknown[] = [];
let calls: string[] = [];
let infos: GraphQLResolveInfo[] = [];
const RESOLVERS: Readonly<Record<string, (args: unknown, info: GraphQLResolveInfo) => unknown>> = {
  echo: (args) => JSON.stringify(Object.entries(args as object).sort(([one], [two]) => (one < two ? -1 : 1))),
  beings: () => beings,
  named: () => beings[0],
  later: () => beings.map(async (one) => one),
  broken() {
    throw new Error("broken");
  },
  missing: () => null,
  age: async () => 7,
};
for (const field of Object.values(schema.getQueryType()?.getFields() ?? {}))
  field.resolve = (_source, args, _context, info) => {
    calls.push(field.name);
    infos.push(info);
    return RESOLVERS[field.name]?.(args, info);
  };
beforeEach(() => {
  calls = [];
  infos = [];
  beings = [
    {
      __typename: "Person",
      name: "Ann",
      age: 3,
      friends: [{ __typename: "Robot", name: "R", model: "one", age: "old" }],
    },
    null,
    { __typename: "Robot", name: "Rob", model: "two", age: "new" },
  ];
});

type Variables = Readonly<Record<string, unknown>>;

async function compiled(
  query: string,
  variables: Variables = {},
): Promise<ExecutionResult | string | null | undefined> {
  const run = createTextCompiler(schema)(parse(query), { form: GRAPHQL_FORM, scope: "answer" });
  const answer = await run?.(variables, {});
  return Buffer.isBuffer(answer) ? String(answer) : answer;
}

const referenceOf = async (query: string, variableValues: Variables = {}): Promise<ExecutionResult> =>
  execute({ schema, document: parse(query), contextValue: {}, variableValues });

async function expectText(query: string, variables: Variables = {}): Promise<void> {
  expect(await compiled(query, variables)).toBe(JSON.stringify(await referenceOf(query, variables)));
}

describe("the arguments of a root field", () => {
  const ECHO = `query ($text: String, $count: Int! = 4, $order: Order, $orders: [Order!], $nested: [[Int]] = [[1]]) {
    echo(text: $text, count: $count, order: $order, orders: $orders, nested: $nested) }`;

  it.each<Variables>([
    {},
    { text: "given", count: 5, order: "DESCENDING", orders: ["ASCENDING"], nested: [[1, null], null] },
    { text: null, order: null, orders: null, nested: null },
    { text: undefined, orders: "ASCENDING", nested: 3 },
    { unknown: 1, __proto__: { text: "inherited", order: "DESCENDING" } },
  ])("have the values that graphql-js makes of the variables %j", (variables) => expectText(ECHO, variables));

  it.each<Variables>([
    { count: null },
    { count: "5" },
    { text: 5, count: 2.5, order: "SIDEWAYS", orders: ["ASCENDING", null], nested: [["x"]] },
  ])("have the errors of graphql-js for the variables %j, and no resolver is called", async (variables) => {
    const answer = await compiled(ECHO, variables);
    expect(calls).toEqual([]);
    expect(answer).toEqual(await referenceOf(ECHO, variables));
  });

  it("are made of literals and of variables inside them", async () => {
    const query =
      "query ($to: Int, $text: String!) { echo(count: 1, range: { from: 2, to: $to }, nested: [[$to]], text: $text) }";
    await expectText(query, { text: "a" });
    await expectText(query, { text: "a", to: 4 });
    await expectText(`query ($range: Range) { echo(count: 1, range: $range) }`, { range: { from: 1 } });
    await expectText("query ($toString: String) { echo(count: 1, text: $toString) }");
  });

  it("fail as in graphql-js if a variable that may be null is null for a required argument", async () => {
    const query = "query ($count: Int = 1) { echo(count: $count) }";
    await expectText(query);
    expect(await compiled(query, { count: null })).toEqual(await referenceOf(query, { count: null }));
  });
});

describe("a resolver of a root field", () => {
  it("gets what graphql-js passes to it", async () => {
    const query = "query Q($text: String) { first: echo(text: $text, count: 1) ...F } fragment F on Query { age }";
    await compiled(query, { text: "a" });
    const [first, age] = infos;
    infos = [];
    await referenceOf(query, { text: "a" });
    expect([first, age]).toEqual(infos);
  });

  it("is called once if it fails, and the result has its error", async () => {
    expect(await compiled("{ broken { name } }")).toEqual(await referenceOf("{ broken { name } }"));
    expect(await compiled("{ it: missing { name } }")).toEqual(await referenceOf("{ it: missing { name } }"));
    expect(calls).toEqual(["broken", "broken", "missing", "missing"]);
  });

  it("is left to the reference executor if it fails beside other fields", async () => {
    expect(await compiled("{ age broken { name } }")).toBeNull();
  });
});

describe("an object of an interface or a union", () => {
  it("has the fields of its type, in the order of the operation", async () => {
    await expectText(
      "{ __typename beings { ... on Person { age name } __typename ... on Named { name } ... on Robot { year: age model } } named { name } }",
    );
    await expectText(
      "{ beings { ... on Person { friends { ... on Robot { model } } } ... on Person { friends { __typename } } } }",
    );
    await expectText("{ beings { ... on Robot { model } } named { ... on Person { age } } }");
  });

  it("may come later than its list", async () => {
    await expectText("{ later { ... on Named { name } ... on Robot { model } } age }");
  });

  it.each([
    ["has no type", {}],
    ["has a type that is not possible", { __typename: "Query", name: "x" }],
    ["is an error", new Error("failed")],
    ["has a missing value", { __typename: "Robot", name: "x" }],
    ["is a promise that fails", Promise.reject(new Error("failed"))],
  ])("is left to the reference executor if it %s", async (_, being) => {
    beings = [beings[0], being];
    if (being instanceof Promise) being.catch(() => {});
    expect(await compiled("{ later { ... on Robot { model } } }")).toBeNull();
  });
});

describe("a directive", () => {
  it.each([
    "{ age @skip(if: true) }",
    "query ($yes: Boolean = true) { named { name @skip(if: $yes) } }",
    "{ named { name } named @skip(if: true) { ... on Person { age } } }",
    "{ named { ... @include(if: false) { name } __typename } }",
    "{ named { ...F @skip(if: true) __typename } } fragment F on Named { name }",
  ])("is left to the reference executor: %s", async (query) => {
    expect(await compiled(query)).toBeUndefined();
  });
});
