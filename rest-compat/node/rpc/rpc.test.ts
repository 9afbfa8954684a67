import { INVALID_ARGUMENT, type Parameter, readArguments } from "./arguments.ts";
import { goJson } from "./json/go-text.ts";
import { findMethod } from "./method-name.ts";
import { METHODS } from "./methods.ts";
import { errorBody, problemBody, refusalBody, resultBody } from "./reply.ts";
import { parseRpcRequest } from "./request.ts";
import { type Shape, write } from "./result-shape.ts";

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
    ["a null that removes an id", '{"jsonrpc":"2.0","method":"x","id":1,"id":null,"method":null}', "x", null, null],
    [
      "escapes and lone surrogates",
      '{"jsonrpc":"2.0","method":"\\u0061\\ud800.\\ud83d\\ude00"}',
      "a\ufffd.😀",
      null,
      null,
    ],
  ])("reads %s", (_, text, method, params, id) => {
    const request = parsed(text);
    expect(request.problem).toBeNull();
    const texts = [request.params, request.id].map((raw) => raw && Buffer.from(raw).toString());
    expect([request.method, ...texts]).toEqual([method, params, id]);
  });

  it("reads each byte that is not UTF-8 as U+FFFD", () => {
    const bytes = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","method":"'),
      Buffer.from([0xe2, 0x82, 0x2e]),
      Buffer.from('"}'),
    ]);
    expect(parsed(bytes).method).toBe("\ufffd\ufffd.");
  });

  it("decodes strings like a decoder that reads character by character, for 5,000 strings of random bytes", () => {
    const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const character = (bytes: Buffer) => {
      for (let width = 1; width <= 4; width++)
        try {
          return { text: strict.decode(bytes.subarray(0, width)), width };
        } catch {}
      return { text: "\ufffd", width: 1 };
    };
    const bounds = [0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbb, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1];
    bounds.push(0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff);
    let state = 1;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return bounds[state % bounds.length] as number;
    };
    for (let i = 0; i < 5_000; i++) {
      const sent = Buffer.from(Array.from({ length: i % 9 }, random));
      let text = "";
      for (let at = 0; at < sent.length; ) {
        const next = character(sent.subarray(at));
        text += next.text;
        at += next.width;
      }
      const body = Buffer.concat([Buffer.from('{"jsonrpc":"2.0","method":"'), sent, Buffer.from('"}')]);
      expect(parsed(body).method).toBe(text);
    }
  });

  it("is read if it contains a megabyte of bytes that are not UTF-8, in one string or many", () => {
    const of = (length: number) => Buffer.concat([Buffer.from('"'), Buffer.alloc(length, 0xff), Buffer.from('"')]);
    const open = Buffer.from('{"jsonrpc":"2.0","method":');
    const close = Buffer.from("}");
    expect(parsed(Buffer.concat([open, of(1_000_000), close])).method).toBe("\ufffd".repeat(1_000_000));
    const member = Buffer.concat([of(1), Buffer.from(":0,")]);
    const many = Array.from({ length: 200_000 }, () => member);
    expect(parsed(Buffer.concat([Buffer.from("{"), ...many, open.subarray(1), of(1), close])).method).toBe("\ufffd");
  });

  it("is refused with the first of two wrong types, and with the members that could be read", () => {
    const request = parsed('{"method":[],"jsonrpc":2,"id":{"<": [1, 2]},"params":{"a" :" & "}}');
    const message = "json: cannot unmarshal array into Go struct field serverRequest.method of type string";
    expect(request.problem).toEqual({ code: -32700, message });
    expect(problemBody(request, request.problem ?? { code: 0, message: "" })?.toString()).toBe(
      `{"jsonrpc":"2.0","error":{"code":-32700,"message":"${message}","data":{"jsonrpc":"","method":"",` +
        `"params":{"a":" \\u0026 "},"id":{"\\u003c":[1,2]}}},"id":{"\\u003c":[1,2]}}\n`,
    );
  });

  it.each<[string, unknown]>([
    ["a million characters that are escaped", "<".repeat(1_000_000)],
    ["a list with white space", Array.from({ length: 300_000 }, () => 1)],
    [
      "other values",
      [{ "<&>": ["\u2028\u2029\u2027\u202a\ufeff", 'a " \\" \\\\', " \n\t", "\ud83d\ude00"] }, [], {}, null, -1.5e-9],
    ],
  ])("is answered with its id as Go writes it: %s", (_, id) => {
    const body = resultBody({ id: Buffer.from(JSON.stringify(id, null, "\t")) }, "{}")?.toString();
    expect(body === `{"jsonrpc":"2.0","result":{},"id":${goJson(id)}}\n`).toBe(true);
  });

  it("is refused with its id, or null if the id could not be read; a notification gets no body", () => {
    const refused = (text: string | null) =>
      refusalBody(text === null ? null : parsed(text), { code: 1, message: "m" })?.toString() ?? null;
    const body = (id: string) => `{"jsonrpc":"2.0","error":{"code":1,"message":"m","data":null},"id":${id}}\n`;
    expect(refused('{"jsonrpc":"2.0","method":"a","id":1.0}')).toBe(body("1.0"));
    expect(refused('{"method":1,"id":"x"}')).toBe(body('"x"'));
    for (const unread of [null, "", "{", "[]", '{"method":1}']) expect(refused(unread)).toBe(body("null"));
    expect(refused('{"jsonrpc":"2.0","method":"a"}')).toBeNull();
  });

  it("is answered with the bytes of its id as they were sent", () => {
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
  ])("%j is found or refused as by a node", (name, found) => {
    expect(findMethod(methods, name)).toEqual(found);
  });

  it("is one of the sixteen of the contract", () => {
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
    [`{"nodeIDs":[${"null,".repeat(200_000)}null]}`, { nodeIds: ["NodeID-111111111111111111116DBWJs"] }],
    [`{"nodeids":["${NODE}","${NODE}",null]}`, { nodeIds: [NODE, NODE, "NodeID-111111111111111111116DBWJs"] }],
  ])("%s are read", (text, variables) => {
    expect(read(text)).toEqual(variables);
  });

  it("are read up to one node id more than the graph accepts", () => {
    const variables = read(`{"nodeIDs":[${`"${NODE}",`.repeat(5_100)}1]}`);
    expect(variables?.["nodeIds"]).toHaveLength(5_001);
  });

  it.each([
    "1",
    "true",
    "false",
    '"x"',
    '["x"]',
    "[[]]",
    '{"chain":1}',
    '{"chain":["P"]}',
    '{"tags":"a"}',
    '{"tags":[1]}',
    '{"nodeIDs":"x"}',
    '{"nodeIDs":[""]}',
    '{"nodeIDs":[1]}',
    `{"nodeIDs":["${NODE.slice(7)}"]}`,
    `{"nodeIDs":["${NODE}x"]}`,
    `{"nodeIDs":["\\u004eodeID-${NODE.slice(7)}"]}`,
  ])("%s are refused", (text) => {
    expect(read(text)).toBeNull();
    expect(INVALID_ARGUMENT).toMatch(/^couldn't unmarshal an argument/);
  });
});

describe("a result", () => {
  it.each<[string, Shape, unknown, string]>([
    ["text in Go's escapes", "plain", "<&>\u2028\u0001\b\u00e9", '"\\u003c\\u0026\\u003e\\u2028\\u0001\\b\u00e9"'],
    ["numbers as text", "text", 12345, '"12345"'],
    ["numbers of any size", "digits", "18446744073709551615", "18446744073709551615"],
    ["floats", "plain", [0.8, 1e21, 1e-7, 100], "[0.8,1e+21,1e-7,100]"],
    ["the number of items", { count: true }, [{}, {}], '"2"'],
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
      "numeric keys in the order of strings",
      { key: "k", map: { field: "v" } },
      [
        { k: "9", v: 1 },
        { k: "10", v: 2 },
      ],
      '{"10":2,"9":1}',
    ],
    [
      "members in their order, without nulls",
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
      "the members of a member named ...",
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
