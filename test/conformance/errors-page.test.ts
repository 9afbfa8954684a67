import { readFileSync } from "node:fs";
import { FAILURES } from "../../core/errors/errors.ts";

describe("docs/errors.md", () => {
  it("lists exactly the failures of the code", () => {
    const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
    const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| ([\w ]+) \| (-\d+) \| (.+) \|$/gm)];
    const documented = rows.map(([, code, http, status, rpc]) => [
      code,
      { http: Number(http), status, rpc: Number(rpc) },
    ]);
    expect(documented).toEqual(Object.entries(FAILURES));
  });
});
