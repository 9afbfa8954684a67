import { testConfig } from "../../test/support/config.ts";
import { nicenessOf } from "./niceness.ts";

describe("the niceness of an indexer beside an API", () => {
  it("holds for sessions of the embedded PostgreSQL only: process ids of another server may be those of this machine's processes", () => {
    const indexing = { niceness: 7 };
    expect(nicenessOf(testConfig({ indexing }))).toEqual({ process: 7, sessions: 7 });
    const databaseUrl = "postgresql://127.0.0.1:5432/moraine";
    expect(nicenessOf(testConfig({ indexing, databaseUrl }))).toEqual({ process: 7, sessions: 0 });
  });
});
