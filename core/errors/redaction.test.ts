import { createRedaction } from "./redaction.ts";

const URL =
  "https://us%21er:pass%2Fword@node.example:9650/v3/a1b2c3d4e5/ext/bc/2q9eChain/rpc?apikey=query%20key&net=mainnet-7";
const HEADERS = { authorization: "Bearer header-token", "x-api-key": "other-header" };
const SECRETS = [
  "us!er",
  "us%21er",
  "pass/word",
  "pass%2Fword",
  "a1b2c3d4e5",
  "query key",
  "query%20key",
  "header-token",
  "other-header",
];
const redact = createRedaction({ url: URL, headers: HEADERS });

describe("a text of a server loses the secrets of its settings", () => {
  it.each<[form: string, text: string]>([
    ["its URL", `Post "${URL}": dial tcp: lookup failed`],
    ["its URL without the account", `GET ${URL.replace(/\/\/.*@/, "//")} 502`],
    ["its URL in escaped JSON", JSON.stringify({ url: URL.replaceAll("/", "\\/") })],
    ["its account and host without a scheme", "no route to us!er:pass/word@node.example:9650"],
    ["its path and query", "cannot route /v3/a1b2c3d4e5/ext/bc/2q9eChain/rpc?apikey=query%20key&net=mainnet-7"],
    ["each secret by itself", `refused: ${SECRETS.join(", ")}`],
    ["its headers", `bad headers: ${JSON.stringify(HEADERS)}`],
    ["basic authentication", `Basic ${Buffer.from("us!er:pass/word").toString("base64")} is refused`],
    ["secrets in other letter case", SECRETS.join(" ").toUpperCase()],
  ])("if it contains %s", (_form, text) => {
    const redacted = redact(text).toLowerCase();
    for (const secret of SECRETS) expect(redacted).not.toContain(secret.toLowerCase());
    expect(redacted).not.toContain(Buffer.from("us!er:pass/word").toString("base64").toLowerCase());
  });

  it("of any other server's URL too", () => {
    expect(redact("see http://u:p@10.0.0.7/secret?key=1, then go on")).toBe("see [removed] then go on");
    expect(redact("via redis://:pw@cache:6379/0.")).toBe("via [removed]");
  });

  it("and keeps everything else, such as names of APIs and of the chain", () => {
    const text = "the chain 2q9eChain has no /ext/bc/C/rpc at v3: code -32000, state 0xab is not available";
    expect(redact(text)).toBe(text);
  });
});

it("a short part of a URL is no secret: it occurs in words", () => {
  expect(createRedaction({ url: "http://a:b@h/x?y=z" })("a bad day by the xylophone")).toBe(
    "a bad day by the xylophone",
  );
});
