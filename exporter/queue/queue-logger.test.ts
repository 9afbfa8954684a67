import { createLogLines } from "../../test/support/log-lines.ts";
import { createQueueLogger, JobReturned } from "./queue-logger.ts";

describe("the log lines of the job queue", () => {
  it("name the export of their job", () => {
    const { logger, lines } = createLogLines("debug");
    const queue = createQueueLogger(logger).scope({ workerId: "w" });
    const job = { id: "1", payload: { operationId: "an-export" } };
    queue.info("Completed task 1", { job, success: true });
    queue.error("Failed task 1", { job, error: new Error("no space") });
    queue.error("Failed task 1", { job, error: new JobReturned("stopped") });
    queue.info("Worker started");
    const named = { workerId: "w", operationId: "an-export" };
    expect(lines).toMatchObject([
      { level: 20, ...named },
      { level: 40, ...named, err: { message: "no space" } },
      { level: 20, ...named },
      { level: 20, workerId: "w", msg: "Worker started" },
    ]);
    expect(lines[2]).not.toHaveProperty("err");
    expect(lines[3]).not.toHaveProperty("operationId");
  });
});
