import { BadUpstreamData } from "../../core/errors/errors.ts";
import { recordedBlocks } from "../../test/support/recorded/recorded-blocks.ts";
import { EVM_DICTIONARY } from "../evm/raw-store/dictionary.ts";
import { createPayloadCodec } from "./payload.ts";

const codec = createPayloadCodec(EVM_DICTIONARY);

describe("payloads", () => {
  it("of every kind of JSON value decode to the same value", async () => {
    const values = [null, 0, "", "\u0000\ud800é🏔", [], {}, { a: [{ b: "0x" }] }, "x".repeat(1 << 20)];
    for (const value of values) expect(await codec.decode(await codec.encode(value))).toEqual(value);
  });

  it("that are nested too deeply are refused as invalid data of the node", async () => {
    const deep: unknown = JSON.parse(`${"[".repeat(200_000)}${"]".repeat(200_000)}`);
    await expect(codec.encode({ deep })).rejects.toBeInstanceOf(BadUpstreamData);
  });

  it("of recorded blocks are smaller than a fifth of their JSON text", async () => {
    const blocks = recordedBlocks().map(({ block, receipts }) => ({ block, receipts }));
    const encoded = await Promise.all(blocks.map((block) => codec.encode(block)));
    expect(await Promise.all(encoded.map((payload) => codec.decode(payload)))).toEqual(blocks);
    const text = blocks.reduce((sum, block) => sum + JSON.stringify(block).length, 0);
    expect(Buffer.concat(encoded).length).toBeLessThan(text / 5);
  });

  it("of the first version can be decoded, because the dictionary is part of the format and must not change", async () => {
    const stored = "gxY3oJY7UnUOKohQi3gA";
    expect(await codec.decode(Buffer.from(stored, "base64"))).toEqual({ block: { number: "0x1" }, receipts: [] });
  });

  it("that are damaged are refused", async () => {
    const payload = await codec.encode({ block: "0x1234", receipts: [] });
    await expect(codec.decode(payload.subarray(0, payload.length - 3))).rejects.toThrow();
  });
});
