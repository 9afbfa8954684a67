import { buildSchema } from "graphql";
import { parseOperation } from "../../graph/operation.ts";
import type { Dialect } from "../../routes.ts";
import { valueRule } from "./dialects.ts";
import { compileSerialiser } from "./serialiser.ts";

const schema = buildSchema(`
  scalar Quantity scalar Timestamp scalar Address scalar Hash scalar Hex scalar Json
  enum Kind { one two }
  interface Named { name: String! }
  type Price { currencyCode: String! value: String! }
  type Leaf implements Named { name: String! size: Int }
  type Twig implements Named { name: String! length: Float leaves: [Leaf]! }
  union Part = Leaf | Twig
  type Sample {
    text: String! maybe: String id: ID quantity: Quantity! timestamp: Timestamp address: Address hash: Hash! hex: Hex
    int: Int! float: Float flag: Boolean kind: Kind kinds: [Kind!]! json: Json price: Price prices: [Price!]
    child: Sample children: [Sample!] matrix: [[Int]!] texts: [String] named: Named part: Part parts: [Part!]
  }
  type Query { sample: Sample }`);

const SELECTION = `maybe text id quantity timestamp address hash hex int float flag kind kinds json texts matrix
  price { value currencyCode } prices { value } renamed: text`;
const DOCUMENT = `
  query { body: sample { ...Fields child { maybe flag } children { ...Fields children { text child { ...Fields } } } 
    named { __typename ... on Leaf { size } name ... on Twig { length leaves { name size } } } parts { ... on Leaf { name } ...OfTwig } } }
  fragment Fields on Sample { ${SELECTION} }
  fragment OfTwig on Twig { name length }`;

const write = compileSerialiser(parseOperation("sample", DOCUMENT), schema, "contract");

/** The expected value: a copy without fields that are null. Nulls in a list are kept. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]));
}

/** A generator of numbers from 0 to 1 with a fixed seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const TEXTS = [
  "",
  "plain",
  'a "quote"',
  "back\\slash",
  "\u0000\u0001\u001f",
  "line\nbreak\ttab",
  "\u2028\u2029",
  "\u007f\u0085",
];
const SPECIAL_TEXTS = [
  ...TEXTS,
  "é中",
  "😀",
  "\ud800",
  "a\udfffb",
  "\udc00\ud800",
  "</script>",
  "[",
  "]",
  "{}",
  "\ufeff",
  "\uffff",
];

function createMaker(random: () => number) {
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;
  const maybe = (make: () => unknown) => pick([null, undefined, 1, 1, 1]) && make();
  const list = (make: () => unknown) => Array.from({ length: pick([0, 1, 2, 5]) }, make);
  const price = () => ({ value: pick(["1", "0.05", "-3.10"]), currencyCode: pick(SPECIAL_TEXTS) });
  const leaf = () => ({ __typename: "Leaf", size: maybe(() => 3), name: pick(SPECIAL_TEXTS) });
  const twig = () => ({
    __typename: "Twig",
    name: pick(SPECIAL_TEXTS),
    length: maybe(() => 1.5),
    leaves: list(maybeLeaf),
  });
  const maybeLeaf = () => pick([null, { name: pick(SPECIAL_TEXTS), size: maybe(() => 1) }]);
  const fields = () => ({
    maybe: maybe(() => pick(SPECIAL_TEXTS)),
    text: pick(SPECIAL_TEXTS),
    id: maybe(() => pick(SPECIAL_TEXTS)),
    quantity: pick(["0", "9".repeat(78)]),
    timestamp: maybe(() => 1_700_000_000),
    address: maybe(() => `0x${"aB".repeat(20)}`),
    hash: `0x${"ab".repeat(32)}`,
    hex: maybe(() => "0x"),
    int: pick([0, -1, 2_147_483_647]),
    float: maybe(() => pick([0, -0, 1e21, 1e-7, 0.1, -1.5])),
    flag: maybe(() => pick([true, false])),
    kind: maybe(() => "one"),
    kinds: list(() => "two"),
    json: maybe(() => pick<unknown>([{ a: [null, { b: "\ud800" }] }, [], "x", 0, false])),
    texts: maybe(() => list(() => pick([null, ...SPECIAL_TEXTS]))),
    matrix: maybe(() => list(() => list(() => pick([null, 1, -2])))),
    price: maybe(price),
    prices: maybe(() => list(() => ({ value: "1" }))),
    renamed: pick(SPECIAL_TEXTS),
  });
  const deep = () => ({ text: pick(SPECIAL_TEXTS), child: maybe(fields) });
  return () => ({
    ...fields(),
    child: maybe(() => ({ maybe: maybe(() => "x"), flag: maybe(() => true) })),
    children: maybe(() => list(() => ({ ...fields(), children: maybe(() => list(deep)) }))),
    named: maybe(() => pick([leaf, twig])()),
    parts: maybe(() => list(() => pick<unknown>([{ name: "l" }, { name: "t", length: maybe(() => 2) }]))),
  });
}

describe("the serialiser", () => {
  it("writes the same as JSON.stringify of a copy without nulls, for random data", () => {
    const make = createMaker(createRandom(1));
    for (let round = 0; round < 2_000; round++) {
      const body = make();
      expect(JSON.parse(write(body))).toEqual(JSON.parse(JSON.stringify(withoutNulls(body))));
      expect(write(body)).toHaveLength(JSON.stringify(withoutNulls(body)).length);
    }
  });

  it("writes fields in the order of the operation", () => {
    const text = compileSerialiser(
      parseOperation("sample", "{ body: sample { int b: text a: maybe } }"),
      schema,
      "contract",
    );
    expect(text({ a: "1", b: "2", int: 3 })).toBe('{"int":3,"b":"2","a":"1"}');
    expect(text({ a: null, b: "\ud800", int: 3 })).toBe('{"int":3,"b":"\\ud800"}');
  });

  it("writes an object whose fields are all null as an empty one", () => {
    const text = compileSerialiser(
      parseOperation("sample", "{ body: sample { maybe child { flag } } }"),
      schema,
      "contract",
    );
    expect(text({ maybe: null, child: { flag: null } })).toBe('{"child":{}}');
    expect(text({ maybe: null, child: null })).toBe("{}");
  });

  it.each<[Dialect, string]>([
    ["contract", '{"price":{"value":"42.420","currencyCode":"usd"},"text":"1"}'],
    ["hosted", '{"price":{"value":42.420,"currencyCode":"usd"},"text":"1"}'],
  ])("D2 writes a price of the %s dialect as %s", (dialect, expected) => {
    const operation = parseOperation("price", "{ body: sample { price { value currencyCode } text } }");
    const text = compileSerialiser(operation, schema, dialect);
    expect(text({ price: { value: "42.420", currencyCode: "usd" }, text: "1" })).toBe(expected);
  });

  it.each(["1", "-0.5", "1e-7", "0.000000000000000000001", "123456789012345678901234567890.5", ".5", "007"])(
    "D2 writes %s as a JSON number",
    (value) => {
      const text = valueRule("hosted", "Price", "value")?.(value) as string;
      expect(JSON.parse(text)).toBe(Number(value));
    },
  );

  it.each<[Dialect, string, string]>([
    ["contract", "Erc721TokenMetadata", '"invalid_token_uri"'],
    ["contract", "Erc1155TokenMetadata", '"invalid_token_uri"'],
    ["hosted", "Erc721TokenMetadata", '"INVALID_TOKEN_URI"'],
  ])("D4 writes the metadata status of the %s dialect for %s as %s", (dialect, type, expected) => {
    const schema = buildSchema(
      `enum Status { INVALID_TOKEN_URI } type ${type} { indexStatus: Status! } type Query { it: ${type} }`,
    );
    const text = compileSerialiser(parseOperation("status", "{ body: it { indexStatus } }"), schema, dialect);
    expect(text({ indexStatus: "INVALID_TOKEN_URI" })).toBe(`{"indexStatus":${expected}}`);
  });

  it("D5, D6 writes a member under its name in the dialect", () => {
    const sdl =
      buildSchema(`type PrimaryNetworkTransactionConnection { xChainTransactions: [Int!] cChainTransactions: [Int!] }
      type Query { page: PrimaryNetworkTransactionConnection }`);
    const operation = parseOperation("page", "{ body: page { xChainTransactions cChainTransactions } }");
    const texts = (dialect: Dialect) => {
      const text = compileSerialiser(operation, sdl, dialect);
      return [text({ xChainTransactions: [1], cChainTransactions: null }), text({ cChainTransactions: [2] })];
    };
    expect(texts("hosted")).toEqual(['{"transactions":[1]}', '{"transactions":[2]}']);
    expect(texts("contract")).toEqual(['{"xChainTransactions":[1]}', '{"cChainTransactions":[2]}']);
  });

  it("D9 writes a metric's value as a number with all its digits in the hosted dialect", () => {
    const sdl = buildSchema("type ChainMetricValue { value: String! } type Query { it: ChainMetricValue }");
    const text = compileSerialiser(parseOperation("value", "{ body: it { value } }"), sdl, "hosted");
    expect(text({ value: "123456789012345678901234.05" })).toBe('{"value":123456789012345678901234.05}');
  });

  it("adds the members that every body of a route has", () => {
    const operation = parseOperation("sample", "{ body: sample { int child { maybe } } }");
    const text = compileSerialiser(operation, schema, "contract", { status: 200 });
    expect(text({ int: 1, child: {} })).toBe('{"int":1,"child":{},"status":200}');
  });

  it("refuses to compile an operation that it could not write", () => {
    const compile = (document: string) => compileSerialiser(parseOperation("sample", document), schema, "contract");
    expect(() => compile("{ body: nothing }")).toThrow("Query.nothing");
    expect(() => compile("{ body: sample { ...Missing } }")).toThrow("fragment");
    expect(() => compile("{ body: sample { part { ... on Leaf { x: size } ... on Twig { x: length } } } }")).toThrow(
      "two types as x",
    );
  });
});
