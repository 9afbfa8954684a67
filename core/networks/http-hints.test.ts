import { hintFor, hintForCode } from "./http-hints.ts";

it("the hint for HTTP 403 names avalanchego's option, that for 404 the paths of nodes, and no other status has a hint", () => {
  expect(hintFor(403)).toContain("--http-allowed-hosts");
  expect(hintFor(404)).toMatch(
    /EVM chain ends in \/ext\/bc\/<alias or blockchain id>\/rpc.*every other nodeUrl is the part before \/ext/,
  );
  for (const status of [200, 400, 401, 429, 500, 503]) expect(hintFor(status)).toBe("");
});

it.each([
  "Client sent an HTTP request to an HTTPS server.\n",
  "<center>The plain HTTP request was sent to HTTPS port</center>",
])("the hint for a port that expects TLS names the scheme: %j", (body) => {
  expect(hintFor(400, body)).toBe(": it expects TLS at this port: begin its URL with https://");
  expect(hintFor(200, body)).toBe("");
});

it("codes that are no mistakes of TLS have no hint", () => {
  for (const code of ["ECONNREFUSED", "ECONNRESET", "UND_ERR_SOCKET", "ENOTFOUND", undefined])
    expect(hintForCode(code)).toBe("");
});
