import {
  buildSchema,
  type FieldNode,
  type GraphQLEnumType,
  type GraphQLScalarType,
  getArgumentValues,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
  valueFromASTUntyped,
} from "graphql";
import { readDefaults } from "../schema/resolvers.ts";
import { compileArguments } from "./arguments.ts";
import { Unwritable } from "./text-run.ts";

const schema = buildSchema(`
  scalar Even
  scalar Anything
  enum Order { ASCENDING DESCENDING }
  input Range { from: Int to: Int = 9 order: Order = DESCENDING even: Even }
  input Strict { count: Int! limit: Int! = 5 ranges: [Range!] }
  input Nested { range: Range strict: Strict orders: [Order!]! = [ASCENDING] matrix: [[Int]] any: Anything }
  input Selector @oneOf { block: Int time: Int range: Range }
  type Query {
    field(
      nested: Nested
      range: Range = { from: 1 }
      required: Int
      strict: Strict
      defaulted: Int! = 4
      order: Order = ASCENDING
      orders: [Order]
      ranges: [Range]
      selector: Selector
      even: Even
      any: Anything
    ): String
    needs(count: Int!): String
  }`);
const even = schema.getType("Even") as GraphQLScalarType;
even.parseValue = (value) => {
  if (typeof value !== "number" || value % 2 !== 0) throw new TypeError(`not even: ${value}`);
  return { half: value / 2 };
};
even.parseLiteral = (node) => even.parseValue(node.kind === Kind.INT ? Number(node.value) : null);
const anything = schema.getType("Anything") as GraphQLScalarType;
anything.parseLiteral = (node, variables) => {
  const value = valueFromASTUntyped(node, variables);
  if (JSON.stringify(value).includes("refused")) throw new TypeError("refused");
  return value;
};
// The values of enums differ from their names.
for (const value of (schema.getType("Order") as GraphQLEnumType).getValues()) value.value = value.name.toLowerCase();
readDefaults(schema);

interface Outcome {
  readonly values?: unknown;
  readonly error?: string;
}

function outcomeOf(read: () => unknown): Outcome {
  try {
    return { values: read() };
  } catch (error) {
    if (error instanceof Unwritable) throw error;
    return { error: String(error) };
  }
}

/** What the compiled function and graphql-js make of the arguments of the first field. Both have the same variables, which are coerced. */
function outcomes(query: string, given: Readonly<Record<string, unknown>>) {
  const operation = parse(query).definitions[0] as OperationDefinitionNode;
  const node = operation.selectionSet.selections[0] as FieldNode;
  const definition = schema.getQueryType()?.getFields()[node.name.value];
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], given);
  if (!definition || !coerced) throw new Error("the variables do not fit");
  return {
    compiled: outcomeOf(() => compileArguments(definition, node)(coerced)),
    expected: outcomeOf(() => getArgumentValues(definition, node, coerced)),
  };
}

/** Compares the order of members too, but no prototypes: graphql-js makes objects without one of literals, and with one of variables. */
function expectEqual({ compiled, expected }: ReturnType<typeof outcomes>): void {
  expect(JSON.stringify(compiled)).toBe(JSON.stringify(expected));
}

type Case = readonly [query: string, ...variables: Readonly<Record<string, unknown>>[]];

const named = (cases: readonly Case[]) => cases.map(([query, ...all]) => ({ query, all }));

const CASES: readonly Case[] = [
  ["{ field }", {}],
  ["{ field(nested: { range: { from: 2 } }, orders: DESCENDING, selector: { block: 1 }, any: { a: [1, null] }) }", {}],
  ["{ field(range: null, orders: null, order: null, nested: null) }", {}],
  [
    "query ($from: Int, $to: Int) { field(range: { from: $from, to: $to }) }",
    {},
    { from: 1, to: 2 },
    { from: null, to: null },
    { to: 3 },
  ],
  ["query ($from: Int = 7, $to: Int = null) { field(range: { from: $from, to: $to }) }", {}, { from: null }, { to: 1 }],
  [
    "query ($order: Order) { field(order: $order, range: { order: $order }, nested: { orders: DESCENDING }) }",
    {},
    { order: "DESCENDING" },
    { order: null },
  ],
  [
    "query ($order: Order!) { field(orders: [ASCENDING, $order], nested: { orders: [$order, $order] }) }",
    { order: "DESCENDING" },
  ],
  [
    "query ($order: Order = ASCENDING) { field(nested: { orders: [$order, DESCENDING] }) }",
    {},
    { order: null },
    { order: "DESCENDING" },
  ],
  [
    "query ($orders: [Order!]) { field(orders: $orders, nested: { matrix: [[1]] }) }",
    {},
    { orders: ["ASCENDING"] },
    { orders: "DESCENDING" },
    { orders: null },
  ],
  [
    "query ($orders: [Order!] = [DESCENDING]) { field(nested: { orders: $orders }) }",
    {},
    { orders: [] },
    { orders: null },
  ],
  [
    "query ($one: Int, $row: [Int]) { field(nested: { matrix: [[$one, 2], $row, [], null] }) }",
    {},
    { one: 1, row: [3, null] },
    { one: null, row: null },
    { row: 4 },
  ],
  [
    "query ($even: Even) { field(even: $even, range: { even: $even }, nested: { range: { even: 4, to: 1 } }) }",
    {},
    { even: 8 },
    { even: null },
  ],
  [
    "query ($x: Int) { field(any: { x: $x, list: [$x, { x: $x }] }, nested: { any: { x: [$x] } }) }",
    {},
    { x: 1 },
    { x: null },
  ],
  ["query ($text: String) { field(nested: { any: { text: $text } }) }", { text: "fits" }, { text: "refused" }],
  ["query ($from: Int) { field(ranges: [{ from: $from }, { from: 2 }, null]) }", {}, { from: 1 }],
  [
    "query ($from: Int) { field(ranges: { from: $from }, strict: { count: 1, ranges: { to: $from } }) }",
    {},
    { from: 1 },
    { from: null },
  ],
  [
    "query ($range: Range) { field(range: $range, ranges: [$range, { from: 1 }], nested: { range: $range }) }",
    {},
    { range: { from: 1 } },
    { range: null },
  ],
  [
    "query ($range: Range = { from: 3 }) { field(strict: { count: 1, ranges: [$range] }) }",
    {},
    { range: {} },
    { range: null },
  ],
  [
    "query ($ranges: [Range]) { field(ranges: $ranges) }",
    {},
    { ranges: [{ to: null }, null] },
    { ranges: { from: 1 } },
  ],
  ["query ($count: Int = 1) { field(strict: { count: $count }) }", {}, { count: 2 }, { count: null }],
  ["query ($limit: Int) { field(strict: { count: 1, limit: $limit }) }", {}, { limit: 2 }, { limit: null }],
  [
    "query ($count: Int!, $limit: Int! = 6) { field(nested: { strict: { count: $count, limit: $limit } }) }",
    { count: 1 },
    { count: 1, limit: 2 },
  ],
  [
    "query ($defaulted: Int) { field(defaulted: $defaulted, required: $defaulted) }",
    {},
    { defaulted: 1 },
    { defaulted: null },
  ],
  ["query ($count: Int = 1) { needs(count: $count) }", {}, { count: 2 }, { count: null }],
  ["query ($block: Int!) { field(selector: { block: $block }) }", { block: 1 }],
  ["query ($selector: Selector) { field(selector: $selector) }", {}, { selector: { time: 1 } }, { selector: null }],
  ["query ($from: Int) { field(selector: { range: { from: $from } }) }", {}, { from: 1 }],
];

/** Operations that validation refuses. */
const INVALID_CASES: readonly Case[] = [
  ["query ($block: Int) { field(selector: { block: $block }) }", {}, { block: null }, { block: 2 }],
  [
    "query ($block: Int, $time: Int) { field(selector: { block: $block, time: $time }) }",
    {},
    { block: 1 },
    { block: 1, time: 2 },
  ],
  ["query ($count: Int) { field(strict: { count: $count }) }", {}, { count: null }, { count: 2 }],
  ["query ($order: Order) { field(nested: { orders: [$order] }) }", {}, { order: null }, { order: "ASCENDING" }],
  ["query ($from: Int) { field(strict: { ranges: [{ from: $from }] }) }", {}, { from: 1 }],
  ["query ($count: Int) { needs(count: $count) }", {}, { count: null }],
  ["{ needs }", {}],
  ["query ($x: Int) { field(required: { x: $x }, range: [$x]) }", { x: 1 }],
  ["{ field(range: { from: $missing, unknown: 1 }, orders: [$missing], unknown: 1) }", {}],
];

describe("the arguments of a compiled operation", () => {
  it.each(named(CASES))("are those of graphql-js: $query", ({ query, all }) => {
    expect(validate(schema, parse(query)).map(String)).toEqual([]);
    for (const variables of all) expectEqual(outcomes(query, variables));
  });

  it.each(named(INVALID_CASES))("fail as in graphql-js: $query", ({ query, all }) => {
    for (const variables of all) expectEqual(outcomes(query, variables));
  });

  it.each([
    "{ field(range: { from: true }) }",
    "{ field(selector: { block: 1, time: 2 }) }",
    "{ needs(count: null) }",
    "query ($to: Int) { field(range: { to: $to, even: 3 }) }",
  ])("are left to the reference executor if a literal does not fit: %s", (query) => {
    expect(() => outcomes(query, {})).toThrow(Unwritable);
  });

  it("are other objects in each run, and constants are made once", () => {
    let parsed = 0;
    const { parseLiteral } = anything;
    anything.parseLiteral = (node, variables) => {
      parsed++;
      return parseLiteral(node, variables);
    };
    const operation = parse(`query ($to: Int) { field(range: { to: $to }, nested: { any: 1, range: { to: $to } }) }`)
      .definitions[0] as OperationDefinitionNode;
    const definition = schema.getQueryType()?.getFields()["field"];
    if (!definition) throw new Error("the schema has no such field");
    const read = compileArguments(definition, operation.selectionSet.selections[0] as FieldNode);
    const [first, second] = [read({ to: 1 }), read({ to: 2 })];
    anything.parseLiteral = parseLiteral;
    expect(parsed).toBe(1);
    expect([first["range"], second["range"]]).toMatchObject([{ to: 1 }, { to: 2 }]);
    expect([first["nested"], second["nested"]]).toMatchObject([{ any: 1, range: { to: 1 } }, { range: { to: 2 } }]);
  });

  it("have no values that variables inherit", () => {
    const { compiled } = outcomes(
      "query ($toString: Int) { field(range: { to: $toString }, required: $toString) }",
      {},
    );
    expect(compiled).toMatchObject({ values: { range: { to: 9 } } });
    expect(compiled.values).not.toHaveProperty("required");
  });
});
