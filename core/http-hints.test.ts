import { hintFor } from "./http-hints.ts";

it("the hint for HTTP 403 names avalanchego's option, and no other status has a hint", () => {
  expect(hintFor(403)).toContain("--http-allowed-hosts");
  for (const status of [200, 401, 404, 429, 500, 503]) expect(hintFor(status)).toBe("");
});
