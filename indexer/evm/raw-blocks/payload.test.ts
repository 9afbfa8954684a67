import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { TRACE_DICTIONARY } from "./dictionary.ts";
import { createPayloadCodec } from "./payload.ts";

const codec = createPayloadCodec(TRACE_DICTIONARY);
const TRACES = [[[0, "CALL", "", "", "0", "30000", "21000", null, 32]], [[1, "CREATE2", "0x12", null]]];
const STORED = "i0Y1joDTQLaDjICnOIMKQyOI4bGxsQA=";

describe("payloads", () => {
  it("of every kind of JSON value decode to the same value", async () => {
    const values = [null, 0, "", "\u0000\ud800é🏔", [], {}, { a: [{ b: "0x" }] }, "x".repeat(1 << 20)];
    for (const value of values) expect(await codec.decode(await codec.encode(value))).toEqual(value);
  });

  it("that are nested too deeply are refused as invalid data of the node", async () => {
    const deep: unknown = JSON.parse(`${"[".repeat(200_000)}${"]".repeat(200_000)}`);
    await expect(codec.encode({ deep })).rejects.toBeInstanceOf(BadUpstreamData);
  });

  it("of call trees that are stored can be decoded, because their dictionary is part of the format and must not change", async () => {
    expect(await codec.decode(Buffer.from(STORED, "base64"))).toEqual(TRACES);
  });

  it("that are damaged are refused", async () => {
    const payload = await codec.encode({ block: "0x1234", receipts: [] });
    await expect(codec.decode(payload.subarray(0, payload.length - 3))).rejects.toThrow();
  });
});
