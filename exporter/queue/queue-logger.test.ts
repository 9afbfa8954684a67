import { createLogLines } from "../../test/support/log-lines.ts";
import { createQueueLogger, JobReturned } from "./queue-logger.ts";

describe("the log lines of the job queue", () => {
  it("name the export of their job, and those about an outage of the database are left to the log of outages", () => {
    const { logger, lines } = createLogLines("debug");
    const outages: unknown[] = [];
    const outage = { failedBy: (error: unknown) => void outages.push(error) };
    const queue = createQueueLogger(logger, outage).scope({ workerId: "w" });
    const job = { id: "1", payload: { operationId: "an-export" } };
    queue.info("Completed task 1", { job, success: true });
    queue.error("Failed task 1", { job, error: new Error("no space") });
    queue.error("Failed task 1", { job, error: new JobReturned("stopped") });
    queue.info("Worker started");
    const lost = new Error("Connection terminated unexpectedly");
    queue.error("PostgreSQL idle client generated error", { error: lost });
    queue.error("Failed to release job 1", { fatalError: lost, job });
    const named = { workerId: "w", operationId: "an-export" };
    expect(lines).toMatchObject([
      { level: 20, ...named },
      { level: 40, ...named, err: { message: "no space" } },
      { level: 20, ...named },
      { level: 20, workerId: "w", msg: "Worker started" },
    ]);
    expect(outages).toEqual([lost, lost]);
    expect(lines[2]).not.toHaveProperty("err");
    expect(lines[3]).not.toHaveProperty("operationId");
  });
});
