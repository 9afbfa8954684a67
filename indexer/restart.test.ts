import { openRecording } from "../recordings/recording.ts";
import { ALPHA, startReplayNode } from "../recordings/replay-node.ts";
import { createTestDatabase } from "../test/support/database/database.ts";
import { startIndexing } from "../test/support/indexed/indexing.ts";
import { restartReason } from "./shared/restart-reason.ts";

const C = "/ext/bc/C/rpc";

it("a chain whose indexing fails shows the last error until it works again", async () => {
  await using node = await startReplayNode({ recording: openRecording(ALPHA) });
  node.setHead("C", 20);
  await using database = await createTestDatabase();
  await using indexing = await startIndexing({ chainId: 760_011, nodeUrl: node.url + C, database });
  await indexing.untilState("FOLLOWING", /^$/);
  await database.pool.query("ALTER TABLE evm_logs RENAME TO away");
  node.setHead("C", 60);
  expect(await indexing.untilState("WAITING")).toBe(
    "the indexing failed and restarts (the database cannot be used: error 42P01)",
  );
  await database.pool.query("ALTER TABLE away RENAME TO evm_logs");
  await indexing.untilState("FOLLOWING", /^$/);
});

it("the reason of a restart has neither the words of the database nor details of a bug", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 10.0.0.7:5432"), { code: "ECONNREFUSED" });
  expect(restartReason(refused)).toBe(
    "the indexing failed and restarts (the database cannot be used: connection refused)",
  );
  expect(restartReason(new TypeError("x is not a function"))).toBe(
    "the indexing failed and restarts (an error in Moraine, which is in the log)",
  );
});
