import { startTestServer, type TestServer } from "./test-server.ts";

declare global {
  var moraineTestServer: TestServer | undefined;
  var moraineRemoveRunFolder: (() => void) | undefined;
}

/** Starts the PostgreSQL server for a run of the tests. Its URLs and the prefix of its databases are in environment variables. */
export default async function startServer(): Promise<void> {
  const server = await startTestServer();
  globalThis.moraineTestServer = server;
  process.env["MORAINE_TEST_SERVER"] = server.url;
  process.env["MORAINE_TEST_SUPERUSER"] = server.superuserUrl;
  process.env["MORAINE_TEST_PREFIX"] = server.prefix;
}
