import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase } from "../support/database/database.ts";
import { startOperation, untilEnded } from "../support/exports/operations.ts";
import { run } from "./processes.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-exporter-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { PORT: "0", LOG_LEVEL: "silent", MORAINE_DATA: folder };

describe("`moraine start --only exporter`", () => {
  it("runs jobs, serves files to those who have a link, and ends with code 0 on SIGTERM", async () => {
    await using database = await createTestDatabase();
    await using exporter = await run("start --only exporter", { ...env, DATABASE_URL: database.url });
    const [url] = await exporter.until(/http:\/\/[\d.:]+/);
    // No chain is configured.
    expect(await untilEnded(database.pool, await startOperation(database.pool))).toMatchObject({
      operation_status: "FAILED",
      code: "ErrInvalidRequest",
    });
    const file = await fetch(`${url}/v1/operations/6e4b1de4-7d0e-4d57-9d64-0a3d5e1f2c11/file`);
    expect({ status: file.status, ...((await file.json()) as object) }).toMatchObject({ status: 403, statusCode: 403 });
    expect((await fetch(`${url}/v1/chains`)).status).toBe(404);
    exporter.child.kill("SIGTERM");
    expect(await once(exporter.child, "exit")).toEqual([0, null]);
  });

  it("needs a database", async () => {
    await using exporter = await run("start --only exporter", env);
    expect(await once(exporter.child, "exit")).toEqual([1, null]);
    expect(exporter.output().trim()).toBe(
      "setting databaseUrl is missing: the exporter needs a database when it runs alone",
    );
  });
});
