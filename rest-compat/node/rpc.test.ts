import { NO_ARGUMENT, type Parameter, readArguments } from "./arguments.ts";
import { findMethod } from "./method-name.ts";
import { METHODS } from "./methods.ts";
import { errorBody, problemBody, resultBody } from "./rpc-reply.ts";
import { parseRpcRequest } from "./rpc-request.ts";
import { type Shape, write } from "./shape.ts";

const parsed = (text: string | Buffer) => parseRpcRequest(Buffer.from(text));

describe("the envelope of a request", () => {
  it.each([
    [
      "members in any casing",
      '{"JSONRPC":"2.0","\u017fID":5,"Method":"a.b","PARAM\u017f":[1],"iD":2}',
      "a.b",
      "[1]",
      "2",
    ],
    [
      "the last of two members",
      '{"jsonrpc":"1","method":"x","method":"y","id":1,"id":"2","jsonrpc":"2.0"}',
      "y",
      null,
      '"2"',
    ],
    ["a null that takes an id back", '{"jsonrpc":"2.0","method":"x","id":1,"id":null,"method":null}', "x", null, null],
    [
      "escapes and lone surrogates",
      '{"jsonrpc":"2.0","method":"\\u0061\\ud800.\\ud83d\\ude00"}',
      "a\ufffd.😀",
      null,
      null,
    ],
  ])("knows %s", (_, text, method, params, id) => {
    const request = parsed(text);
    expect(request.problem).toBeNull();
    const texts = [request.params, request.id].map((raw) => raw && Buffer.from(raw).toString());
    expect([request.method, ...texts]).toEqual([method, params, id]);
  });

  it("takes each byte that is no UTF-8 for a character that is missing", () => {
    const bytes = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","method":"'),
      Buffer.from([0xe2, 0x82, 0x2e]),
      Buffer.from('"}'),
    ]);
    expect(parsed(bytes).method).toBe("\ufffd\ufffd.");
  });

  it("names the first of two wrong types, and tells what it could read", () => {
    const request = parsed('{"method":[],"jsonrpc":2,"id":{"<": [1, 2]},"params":{"a" :" & "}}');
    const message = "json: cannot unmarshal array into Go struct field serverRequest.method of type string";
    expect(request.problem).toEqual({ code: -32700, message });
    expect(problemBody(request, request.problem ?? { code: 0, message: "" })?.toString()).toBe(
      `{"jsonrpc":"2.0","error":{"code":-32700,"message":"${message}","data":{"jsonrpc":"","method":"",` +
        `"params":{"a":" \\u0026 "},"id":{"\\u003c":[1,2]}}},"id":{"\\u003c":[1,2]}}\n`,
    );
  });

  it("is answered with its id as it was sent", () => {
    const id = Buffer.concat([Buffer.from('"\u2028<'), Buffer.from([0xff]), Buffer.from('\\"  "')]);
    const body = resultBody({ id }, "{}");
    expect(body?.toString("latin1")).toBe('{"jsonrpc":"2.0","result":{},"id":"\\u2028\\u003c\u00ff\\"  "}\n');
    expect(resultBody({ id: null }, "{}")).toBeNull();
    expect(errorBody({ id: null }, { code: 1, message: "" })).toBeNull();
  });
});

describe("a method's name", () => {
  const methods = new Map([["info.IsBootstrapped", "found"]]);

  it.each([
    ["info.isBootstrapped", { method: "found" }],
    ["info.\u0131sBootstrapped", { method: "found" }],
    ["info.IsBootstrapped", { refusal: "method must start with a non-uppercase letter" }],
    ["info.isbootstrapped", { refusal: `rpc: can't find method "info.Isbootstrapped"` }],
    ["Info.isBootstrapped", { refusal: `rpc: can't find service "Info.IsBootstrapped"` }],
    ["info.\u00dfx", { refusal: `rpc: can't find method "info.\u00dfx"` }],
    ["info.a.b", { refusal: `rpc: service/method request ill-formed: "info.A.b"` }],
    ["", { refusal: `rpc: service/method request ill-formed: ""` }],
    ['a\u0000\n\u00a0\\"', { refusal: String.raw`rpc: service/method request ill-formed: "a\x00\n\u00a0\\\""` }],
  ])("%j is found or refused as a node does", (name, found) => {
    expect(findMethod(methods, name)).toEqual(found);
  });

  it("is one of the sixteen that the contract has", () => {
    expect(METHODS.map(({ id }) => id)).toEqual("N1 N2 N3 N4 N5 N6 N7 N8 N9 N10 N11 N12 N13 H5 H6 H7".split(" "));
  });
});

describe("arguments", () => {
  const parameters: Parameter[] = [
    { member: "chain", variable: "chain", type: "text" },
    { member: "nodeIDs", variable: "nodeIds", type: "nodeIds" },
    { member: "tags", variable: "tags", type: "texts" },
  ];
  const read = (text: string) => readArguments(Buffer.from(text), parameters);
  const NODE = "NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg";

  it.each([
    ["{}", {}],
    ["[]", {}],
    ["[null]", {}],
    ['[{"chain":"P"},{"chain":1},5]', { chain: "P" }],
    ['{"CHAIN":"P","chain":null,"foo":1e400}', { chain: "P" }],
    ['{"tags":["a",null,""],"Tag\u017f":["b"]}', { tags: ["b"] }],
    ['{"tags":["a"],"tags":null}', { tags: null }],
    ['{"tags":[null]}', { tags: [""] }],
    [`{"nodeids":["${NODE}","${NODE}",null]}`, { nodeIds: [NODE, NODE, "NodeID-111111111111111111116DBWJs"] }],
  ])("%s are read", (text, variables) => {
    expect(read(text)).toEqual(variables);
  });

  it.each([
    ...["1", "true", "false", '"x"', '["x"]', "[[]]", '{"chain":1}', '{"chain":["P"]}', '{"tags":"a"}', '{"tags":[1]}'],
    ...['{"nodeIDs":"x"}', '{"nodeIDs":[""]}', '{"nodeIDs":[1]}', `{"nodeIDs":["${NODE.slice(7)}"]}`],
    ...[`{"nodeIDs":["${NODE}x"]}`, `{"nodeIDs":["\\u004eodeID-${NODE.slice(7)}"]}`],
  ])("%s are refused", (text) => {
    expect(read(text)).toBeNull();
    expect(NO_ARGUMENT).toMatch(/^couldn't unmarshal an argument/);
  });
});

describe("a result", () => {
  it.each<[string, Shape, unknown, string]>([
    ["text in Go's escapes", "plain", "<&>\u2028\u0001\b\u00e9", '"\\u003c\\u0026\\u003e\\u2028\\u0001\\b\u00e9"'],
    ["numbers as text", "text", 12345, '"12345"'],
    ["numbers of any size", "digits", "18446744073709551615", "18446744073709551615"],
    ["floats", "plain", [0.8, 1e21, 1e-7, 100], "[0.8,1e+21,1e-7,100]"],
    ["how many there are", { count: true }, [{}, {}], '"2"'],
    [
      "maps in the order of bytes",
      { key: "k", map: { field: "v" } },
      [
        { k: "é", v: 1 },
        { k: "b", v: 2 },
        { k: "A", v: 3 },
      ],
      '{"A":3,"b":2,"é":1}',
    ],
    [
      "keys that are numbers as texts",
      { key: "k", map: { field: "v" } },
      [
        { k: "9", v: 1 },
        { k: "10", v: 2 },
      ],
      '{"10":2,"9":1}',
    ],
    [
      "members in their order, without those that are null",
      {
        members: [
          ["b", "y", "plain"],
          ["a", "x", "plain"],
          ["c", "z", "plain"],
        ],
      },
      { x: 1, y: 2, z: null },
      '{"b":2,"a":1}',
    ],
    [
      "members that nobody named",
      {
        members: [
          ["a", "x", "plain"],
          ["...", "more", "plain"],
        ],
      },
      { x: 1, more: { "<": [1] } },
      '{"a":1,"\\u003c":[1]}',
    ],
  ])("has %s", (_, shape, value, text) => {
    expect(write(shape, value)).toBe(text);
  });
});
