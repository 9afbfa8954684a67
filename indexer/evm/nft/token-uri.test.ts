import { type Content, textOf } from "./data-uri.ts";
import { MetadataUnavailable } from "./statuses.ts";
import { fillId, parseTokenUri } from "./token-uri.ts";

const GATEWAY = "https://gateway.test/";
const CID = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";
const OLD_CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG";

/** The text of a data: URI, the URL of any other, or the status. */
function found(uri: string): string {
  try {
    const place = parseTokenUri(uri, GATEWAY);
    return "url" in place ? `${place.isGateway ? "gateway " : ""}${place.url.href}` : textOf(place.content);
  } catch (error) {
    if (!(error instanceof MetadataUnavailable)) throw error;
    return error.status;
  }
}

describe("a token's URI", () => {
  it.each([
    ['data:application/json,{"name":"plain"}', '{"name":"plain"}'],
    ["data:,x", "x"],
    ["DATA:application/json,{}", "{}"],
    ["data:application/json;base64,eyJhIjoxfQ==", '{"a":1}'],
    ["data:application/json;BASE64,eyJhIjoxfQ", '{"a":1}'],
    ["data:application/json;charset=utf-8;base64,eyJhIjoxfQ%3D%3D", '{"a":1}'],
    ["data:application/json;base64,eyJh\n IjoxfQ==", '{"a":1}'],
    ["data:application/json;base64,8J-miA", "🦈"],
    ["data:application/json;utf8,%7B%22n%22%3A%22%C3%A9%20%E6%B0%B7%22%7D", '{"n":"é 氷"}'],
    ['data:application/json;utf8,{"n":"é #2 of 5% and 100%"}', '{"n":"é #2 of 5% and 100%"}'],
    ['data:application/json,{"name":"50%25 off%20now"}', '{"name":"50%25 off%20now"}'],
    [
      'data:application/json,{"image":"https://host.test/a%20b?c=%2F#d"}',
      '{"image":"https://host.test/a%20b?c=%2F#d"}',
    ],
    ['data:,{"name":"%22 is a quote"}', '{"name":"%22 is a quote"}'],
    ['data:,{"name":"%5C"}', '{"name":"%5C"}'],
    ['data:application/json;charset=iso-8859-1,{"name":"é"}', '{"name":"é"}'],
    ['data:application/json,{"name":"%22}', '{"name":""}'],
    ["data:application/json,%7B%22name%22:%22100%2525%22%7D", '{"name":"100%25"}'],
    ["data:application/json;charset=iso-8859-1,%E9", "é"],
    ["data:application/json;charset=nonsense,%C3%A9", "é"],
    ["data:application/json;base64;base64,eyJhIjoxfQ==", '{"a":1}'],
    ["data:text/plain,a,b", "a,b"],
    ["data:,%FF", "\ufffd"],
  ])("with inline content: %s", (uri, text) => expect(found(uri)).toBe(text));

  it.each([
    "data:application/json;base64",
    "data:application/json;base64,{}",
    "data:;base64,eyJhIjoxfQ===",
    "",
    "not a uri",
    '{"name":"JSON itself"}',
    "//metadata.test/1",
    "metadata/1.json",
    CID,
    "https:",
    "https://",
    "https:metadata.test/1",
    "https:// metadata.test/1",
    "https://metadata.test:99999/1",
    "https://1.2.3.4.5/",
    `https://metadata.test/${"x".repeat(9_000)}`,
    "ipfs://",
    "ipfs://zero",
    "ipfs://metadata.test/1",
    `ipfs://${CID}@metadata.test/1`,
    `ipfs://${CID}/../../api/v0/add`,
    `ipfs://${CID}/a/%2e%2E/b`,
    `ipfs://${CID}/.`,
    `ipfs://${CID}/a\\..\\b?x=1#y`,
    `ipfs://${CID}/a%2F..%2F..%2Fb`,
    `ipfs://${CID}/a/..%2f..%2fx`,
    `ipfs://${CID}/..%5c..%5Cx`,
    "ipfs://ipfs/../../admin",
  ])("that is invalid: %s", (uri) => expect(found(uri)).toBe("INVALID_TOKEN_URI"));

  it.each([
    "http://metadata.test/1",
    "ar://moraine-deed-12",
    "gopher://moraine.invalid/7",
    "ftp://metadata.test/1",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "ipns://metadata.test/1",
    "blob:https://metadata.test/1",
    "constructor:x",
    "valueof:x",
  ])("of an unsupported scheme: %s", (uri) => expect(found(uri)).toBe("INVALID_TOKEN_URI_SCHEME"));

  it.each([
    ["https://metadata.test/1?a=b#c", "https://metadata.test/1?a=b#c"],
    ["HTTPS://Metadata.Test/1", "https://metadata.test/1"],
    [`ipfs://${CID}`, `gateway https://gateway.test/ipfs/${CID}`],
    [`ipfs://${CID}/4.json`, `gateway https://gateway.test/ipfs/${CID}/4.json`],
    [`ipfs://ipfs/${CID}/4.json`, `gateway https://gateway.test/ipfs/${CID}/4.json`],
    [`ipfs:/ipfs/${CID}`, `gateway https://gateway.test/ipfs/${CID}`],
    [`ipfs:${CID}`, `gateway https://gateway.test/ipfs/${CID}`],
    [`IPFS://${OLD_CID}/a b/c%20d/é`, `gateway https://gateway.test/ipfs/${OLD_CID}/a%20b/c%20d/%C3%A9`],
    [`ipfs://${CID}/a..b/...?x=1#y`, `gateway https://gateway.test/ipfs/${CID}/a..b/...`],
    [`ipfs://${CID}/a%252F..%252Fb`, `gateway https://gateway.test/ipfs/${CID}/a%252F..%252Fb`],
    [`ipfs://${CID}/%zz\ud800`, `gateway https://gateway.test/ipfs/${CID}/%25zz%EF%BF%BD`],
  ])("with a remote address: %s", (uri, url) => expect(found(uri)).toBe(url));

  it("keeps the path of the operator's gateway", () => {
    const place = parseTokenUri(`ipfs://${CID}/1`, "http://10.0.0.5:8080/gate") as { url: URL };
    expect(place.url.href).toBe(`http://10.0.0.5:8080/gate/ipfs/${CID}/1`);
  });

  it("of an ERC-1155 token has its id as 64 lower-case hex digits for every {id}", () => {
    const hex = `${"0".repeat(61)}abc`;
    expect(fillId("https://a/{id}/%7Bid%7D/{ID}.json", "2748")).toBe(`https://a/${hex}/${hex}/${hex}.json`);
    const most = (2n ** 256n - 1n).toString();
    expect(fillId("{id}", most)).toBe("f".repeat(64));
    expect(fillId("{id}", "0")).toBe("0".repeat(64));
  });

  it("of an ERC-1155 token is refused if the id makes it too long", () => {
    const uri = `data:,${"{id}".repeat(750_000)}`;
    expect(() => fillId(uri, "1", 3_145_728)).toThrow(
      expect.objectContaining({ status: "METADATA_CONTENT_TOO_LARGE" }),
    );
    expect(fillId("ab{id}", "1", 66)).toHaveLength(66);
    expect(() => fillId("ab{id}", "1", 65)).toThrow(MetadataUnavailable);
  });

  it("may have large content", () => {
    const { content } = parseTokenUri(`data:,${"%41".repeat(1_000_000)}`, GATEWAY) as { content: Content };
    expect(content.bytes.length).toBe(1_000_000);
  });
});
