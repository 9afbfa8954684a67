import { type ErcType, MAX_URI_CHARACTERS, type Metadata, NO_METADATA, parseMetadata } from "./metadata.ts";
import { MetadataUnavailable } from "./statuses.ts";

function parsed(value: unknown, ercType: ErcType = "ERC-721"): Partial<Metadata> {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return Object.fromEntries(Object.entries(parseMetadata(text, ercType, "10")).filter(([, found]) => found !== null));
}

function statusOf(text: string): string {
  try {
    parseMetadata(text, "ERC-721", "10");
    return "INDEXED";
  } catch (error) {
    if (!(error instanceof MetadataUnavailable)) throw error;
    return error.status;
  }
}

describe("a token's metadata", () => {
  it("has every field under its name in the API", () => {
    const common = {
      name: "Deed",
      symbol: "D",
      image: "ipfs://image",
      description: "A deed",
      animation_url: "https://a/b.mp4",
      external_url: "https://a",
      background_color: "ffffff",
      attributes: [{ trait_type: "weight", value: 12 }],
      decimals: 3,
      properties: { rich: { value: "x" } },
    };
    const expected = {
      name: "Deed",
      symbol: "D",
      image_uri: "ipfs://image",
      description: "A deed",
      animation_uri: "https://a/b.mp4",
      external_url: "https://a",
      background: "ffffff",
    };
    expect(parsed(common)).toEqual({ ...expected, attributes: '[{"trait_type":"weight","value":12}]' });
    expect(parsed(common, "ERC-1155")).toEqual({ ...expected, decimals: 3, properties: '{"rich":{"value":"x"}}' });
  });

  it("uses image_url if there is no image", () => {
    expect(parsed({ image_url: "b" })).toEqual({ image_uri: "b" });
    expect(parsed({ image: { is: "none" }, image_url: "b" })).toEqual({ image_uri: "b" });
    expect(parsed({ image: "a", image_url: "b" })).toEqual({ image_uri: "a" });
  });

  it("omits fields of the wrong type, and accepts an integer as text", () => {
    expect(
      parsed({ name: 7, symbol: 1.5, description: ["x"], image: null, attributes: "x", external_url: true }),
    ).toEqual({
      name: "7",
    });
    expect(parsed('{"name": 12345678901234567890, "symbol": ""}')).toEqual({});
  });

  it.each([
    [0, 0],
    [255, 255],
    [256, undefined],
    [-1, undefined],
    [1.5, undefined],
    ["18", undefined],
    [null, undefined],
  ])("with decimals %j has the decimals %j", (decimals, expected) => {
    expect(parsed({ decimals }, "ERC-1155")).toEqual(expected === undefined ? {} : { decimals: expected });
  });

  it("of ERC-1155 has the token id in place of {id}", () => {
    const hex = `${"0".repeat(63)}a`;
    const metadata = { image: "https://a/{id}.png", properties: { file: "{id}" } };
    expect(parsed(metadata, "ERC-1155")).toEqual({
      image_uri: `https://a/${hex}.png`,
      properties: `{"file":"${hex}"}`,
    });
    expect(parsed(metadata)).toEqual({ image_uri: "https://a/{id}.png" });
    expect(parsed({ name: "{id}".repeat(250), image: "{id}".repeat(2_000) }, "ERC-1155").name).toHaveLength(1_000);
    expect(parsed({ image: "{id}".repeat(2_000) }, "ERC-1155")).toEqual({});
  });

  it("may be an empty object", () => {
    expect(parseMetadata("{}", "ERC-721", "1")).toEqual(NO_METADATA);
  });

  it.each([
    ["[1,2,3]", "INVALID_METADATA"],
    ['"text"', "INVALID_METADATA"],
    ["12", "INVALID_METADATA"],
    ["null", "INVALID_METADATA"],
    ["", "INVALID_METADATA_JSON"],
    ['{"name":"broken', "INVALID_METADATA_JSON"],
    ["hello", "INVALID_METADATA_JSON"],
    ["<html></html>", "INVALID_METADATA_JSON"],
    ["{name: 1}", "INVALID_METADATA_JSON"],
    ['{"a":1}{"b":2}', "INVALID_METADATA_JSON"],
  ])("is refused if it is %s: %s", (text, status) => expect(statusOf(text)).toBe(status));

  it("may have fields with the names of Object's own properties", () => {
    const text =
      '{"__proto__": {"name": "polluted"}, "constructor": {"name": 1}, "toString": 1, "attributes": {"__proto__": 1}}';
    expect(parsed(text)).toEqual({ attributes: '{"__proto__":1}' });
    expect(({} as { name?: string }).name).toBeUndefined();
  });

  it("may be nested deeply", () => {
    const deep = "[".repeat(400_000) + "]".repeat(400_000);
    expect(statusOf(`{"name": "x", "attributes": ${deep}}`)).toBe("INDEXED");
    expect(parsed(`{"name": "x", "attributes": ${deep}}`)).toEqual({ name: "x" });
  });

  it("is stored without characters that PostgreSQL refuses", () => {
    expect(parsed({ name: "a\0b\ud800c", description: "\0" })).toEqual({ name: "ab\ufffdc" });
    expect(parsed({ attributes: ["\0\ud800"] })).toEqual({ attributes: '["\\u0000\\ud800"]' });
  });

  it("is kept as text, even if a browser would run it", () => {
    const name = "<script>alert(1)</script>";
    expect(parsed({ name, image: "javascript:alert(1)" })).toEqual({ name, image_uri: "javascript:alert(1)" });
  });

  it("has long names and descriptions cut between characters, and omits other long texts", () => {
    const long = "x".repeat(MAX_URI_CHARACTERS);
    const cut = parsed({ name: long, description: `${"x".repeat(9_999)}🦈`, image: long, animation_url: `${long}x` });
    expect(cut.name).toHaveLength(1_000);
    expect(cut.description).toBe("x".repeat(9_999));
    expect(cut.image_uri).toHaveLength(MAX_URI_CHARACTERS);
    expect(cut.animation_uri).toBeUndefined();
    expect(parsed({ attributes: [long] })).toEqual({});
  });
});
