import type { IncomingMessage } from "node:http";
import { buildSchema } from "graphql";
import { parseOperation } from "../../graph/operation.ts";
import { compileVariables } from "./variables.ts";

const schema = buildSchema(`
  enum Kind { FULL SIMPLE }
  input Point { x: Int! y: Float }
  input Options { addresses: [String!] kinds: [Kind!] isShort: Boolean points: [Point!] matrix: [[Int!]!] }
  input Order { type: Kind! id: ID firstDate: String options: Options! limit: Int = 10 }
  type Query { all: Int }`);

const operation = parseOperation("all", "query All($id: String!, $order: Order!, $token: String) { body: all }");
const route = { path: "/v1/{id}", base: "data", body: "order", headers: { "idempotency-key": "token" } } as const;
const parse = compileVariables(route, operation, schema);

type Headers = Readonly<Record<string, string | undefined>>;

function variables(body: string | Uint8Array | null, given: Headers = {}, query = "") {
  const headers = { "content-type": "application/json", ...given };
  const headersDistinct = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  const request = { headers, headersDistinct } as unknown as IncomingMessage;
  return parse({ request, params: { id: "7" }, query, body: body === null ? null : Buffer.from(body) });
}

const orderOf = (body: string) => variables(body)["order"];
const SMALL = '{"type":"FULL","options":{}}';

describe("the body of a request", () => {
  it.each([
    [SMALL, { type: "FULL", options: {} }],
    [' \n{"options" : {} ,\t"type":"SIMPLE"}\r\n', { options: {}, type: "SIMPLE" }],
    ['{"ty\\u0070e":"F\\u0055LL","options":{},"id":"\\ud83d\\ude00é"}', { type: "FULL", options: {}, id: "😀é" }],
    [
      '{"type":"FULL","limit":-2147483648,"options":{"addresses":[],"kinds":["SIMPLE","FULL"],"isShort":false,"points":[{"x":1.0,"y":1e-3},{"x":-0}],"matrix":[[],[1,2]]}}',
      {
        type: "FULL",
        limit: -2147483648,
        options: {
          addresses: [],
          kinds: ["SIMPLE", "FULL"],
          isShort: false,
          points: [{ x: 1, y: 0.001 }, { x: -0 }],
          matrix: [[], [1, 2]],
        },
      },
    ],
  ])("%s is the variable %j", (body, order) => {
    expect(orderOf(body)).toEqual(order);
  });

  it.each([
    ["[]", "the body must be an object, got []"],
    ['"{}"', 'the body must be an object, got "{}"'],
    ["null", "the body must be an object, got null"],
    ["{}", "type must be given"],
    ['{"type":"FULL"}', "options must be given"],
    ['{"type":"full","options":{}}', 'type must be one of FULL, SIMPLE, got "full"'],
    ['{"type":1,"options":{}}', "type must be one of FULL, SIMPLE, got 1"],
    ['{"type":"toString","options":{}}', 'type must be one of FULL, SIMPLE, got "toString"'],
    ['{"type":"FULL","options":null}', "options must be an object, got null"],
    ['{"type":"FULL","options":[{}]}', "options must be an object, got [{}]"],
    ['{"type":"FULL","options":{},"firstDate":null}', "firstDate must be a string, got null"],
    ['{"type":"FULL","options":{},"id":5}', "id must be a string, got 5"],
    ['{"type":"FULL","options":{},"limit":"5"}', 'limit must be an integer of at most 32 bits, got "5"'],
    ['{"type":"FULL","options":{},"limit":2147483648}', "limit must be an integer of at most 32 bits, got 2147483648"],
    ['{"type":"FULL","options":{"isShort":0}}', "options.isShort must be true or false, got 0"],
    ['{"type":"FULL","options":{"addresses":"a"}}', 'options.addresses must be a list, got "a"'],
    ['{"type":"FULL","options":{"addresses":["a","b",5]}}', "options.addresses[2] must be a string, got 5"],
    ['{"type":"FULL","options":{"addresses":[null]}}', "options.addresses[0] must be a string, got null"],
    ['{"type":"FULL","options":{"kinds":["FULL","x"]}}', 'options.kinds[1] must be one of FULL, SIMPLE, got "x"'],
    ['{"type":"FULL","options":{"points":[{"x":1},{"y":1}]}}', "options.points[1].x must be given"],
    ['{"type":"FULL","options":{"points":[{"x":1,"y":1e999}]}}', "options.points[0].y must be a number, got 1e999"],
    ['{"type":"FULL","options":{"points":{}}}', "options.points must be a list, got {}"],
    [
      '{"type":"FULL","options":{"matrix":[[1],[2,"x"]]}}',
      'options.matrix[1][1] must be an integer of at most 32 bits, got "x"',
    ],
  ])("%s is refused: %s", (body, message) => {
    expect(() => orderOf(body)).toThrow(message);
  });

  it.each([
    [
      '{"type":"FULL","options":{},"foo":1}',
      "foo is not a member; the members of the body are type, id, firstDate, options, limit",
    ],
    [
      '{"type":"FULL","options":{"Addresses":[]}}',
      "options.Addresses is not a member; the members of options are addresses, kinds, isShort, points, matrix",
    ],
    [
      '{"type":"FULL","options":{"points":[{"z":1}]}}',
      "options.points[0].z is not a member; the members of options.points[0] are x, y",
    ],
    ['{"__proto__":{}}', "__proto__ is not a member; the members of the body are type, id, firstDate, options, limit"],
    ['{"a \\"b":1}', '"a \\"b" is not a member; the members of the body are type, id, firstDate, options, limit'],
  ])("%s is refused for a member that its type does not have", (body, message) => {
    expect(() => orderOf(body)).toThrow(message);
  });

  it.each([
    ['{"type":"FULL","options":{},"type":"FULL"}', 'type must be given once, got also "FULL"'],
    ['{"type":"FULL","options":{},"t\\u0079pe":"SIMPLE"}', 'type must be given once, got also "SIMPLE"'],
    [
      '{"type":"FULL","options":{"addresses":[],"addresses":["a"]}}',
      'options.addresses must be given once, got also ["a"]',
    ],
    ['{"type":"FULL","options":{"points":[{"x":1,"x":1}]}}', "options.points[0].x must be given once, got also 1"],
  ])("%s is refused for a repeated member", (body, message) => {
    expect(() => orderOf(body)).toThrow(message);
  });

  it.each([
    ["", "the body must be an object, got an empty body"],
    [null, "the body must be an object, got an empty body"],
    [" ", "the body must be JSON: EOF"],
    ["{", "the body must be JSON: unexpected EOF"],
    ["{'type':1}", "the body must be JSON: invalid character '\\'' looking for beginning of object key string"],
    [`${SMALL},`, "the body must be JSON: invalid character ',' after top-level value"],
    [`${SMALL}${SMALL}`, "the body must be JSON: invalid character '{' after top-level value"],
    ["\ufeff{}", "the body must be JSON: invalid character"],
    [Buffer.from('{"type":"\xff"}', "latin1"), "the body must be UTF-8"],
    [Buffer.from('{"type":"FULL","options":{"addresses":["\xed\xa0\x80"]}}', "latin1"), "the body must be UTF-8"],
  ])("%j is refused: %s", (body, message) => {
    expect(() => variables(body)).toThrow(message);
  });

  it.each(["[", '{"options":', '{"options":[', '[{"a":'])("of a mebibyte of %s is refused", (nested) => {
    expect(() => variables(nested.repeat(Math.floor(2 ** 20 / nested.length)))).toThrow(
      /must be JSON: .* exceeded max depth$/,
    );
  });

  it("is refused because of its first wrong member, even if that is nested deeply", () => {
    const nested = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
    expect(() => variables(nested)).toThrow(/^a is not a member/);
    expect(() => variables(`{"type":"FULL","options":${nested}}`)).toThrow(/^options\.a is not a member/);
    expect(() => variables(`{"type":${nested}}`)).toThrow(/^type must be one of FULL, SIMPLE, got /);
  });

  it.each([
    ["application/json", undefined],
    ["Application/JSON ; charset=utf-8", undefined],
    ["application/json", "identity"],
  ])("is read with content-type %s and content-encoding %s", (type, encoding) => {
    const headers = { "content-type": type, "content-encoding": encoding };
    expect(variables(SMALL, headers)["order"]).toEqual({ type: "FULL", options: {} });
  });

  it.each([
    ["content-type", "", "content-type must be application/json, got no content-type"],
    ["content-type", undefined, "content-type must be application/json, got no content-type"],
    ["content-type", "application/x-www-form-urlencoded", /^content-type must be application\/json, got "app/],
    ["content-type", "multipart/form-data; boundary=x", /^content-type must be application\/json, got "multi/],
    ["content-type", "text/plain; application/json", /^content-type must be application\/json, got "text/],
    ["content-type", "text/plain", 'content-type must be application/json, got "text/plain"'],
    ["content-type", "application/json5", 'content-type must be application/json, got "application/json5"'],
    ["content-encoding", "gzip", 'content-encoding must be identity, got "gzip"'],
  ])("is refused with %s %s", (name, value, message) => {
    expect(() => variables(SMALL, { [name]: value })).toThrow(message);
  });

  it("is refused as a bug if code before the Router has read it", () => {
    expect(() => variables(null, { "content-length": "5" })).toThrow(/the request body was read before the Router/);
  });
});

describe("the other variables of a request with a body", () => {
  it("come from the path and from headers, and not from the query", () => {
    const order = { type: "FULL", options: {} };
    expect(variables(SMALL, {}, "order=1&token=x&id=8")).toEqual({ id: "7", order });
    expect(variables(SMALL, { "idempotency-key": '"a b~"' })).toEqual({ id: "7", token: '"a b~"', order });
    expect(variables(SMALL, { "idempotency-key": "" })).toEqual({ id: "7", order });
    expect(variables(SMALL, { "idempotency-key": "x".repeat(255) })).toMatchObject({ token: "x".repeat(255) });
  });

  it.each(["x".repeat(256), "é", "a\tb"])(
    "are refused if a header is not at most 255 printable characters: %s",
    (key) => {
      expect(() => variables(SMALL, { "idempotency-key": key })).toThrow(
        /^idempotency-key must be at most 255 printable ASCII characters, got "/,
      );
    },
  );
});

it("a type that a body cannot have is an error at the start", () => {
  const other = buildSchema("scalar Json input Order { any: Json } type Query { all: Int }");
  expect(() => compileVariables(route, operation, other)).toThrow("cannot have the type Json");
  const without = parseOperation("all", "query All($id: String!, $token: String) { body: all }");
  expect(() => compileVariables(route, without, schema)).toThrow("no variable order");
});
