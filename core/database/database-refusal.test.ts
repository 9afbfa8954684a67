import pg from "pg";
import { databaseRefusal } from "./database-refusal.ts";

describe("the line about a database that cannot be used", () => {
  it.each([
    [
      "Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?",
      "Connection refused",
    ],
    ["fe_sendauth: no password supplied", "fe_sendauth: no password supplied"],
  ])("names the worker of Citus that the coordinator cannot use, and not the coordinator: %s", (told, first) => {
    const reason = "connection to the remote node moraine@10.0.0.3:5432 failed with the following error:";
    const error = Object.assign(new pg.DatabaseError(`${reason} ${told}`, 0, "error"), { code: "08006" });
    expect(databaseRefusal(error)).toBe(
      `the database cannot be used (${reason} ${first}): start this worker of Citus, or let the coordinator and the other workers log in to it (docs/operate/citus.md)`,
    );
  });
});
