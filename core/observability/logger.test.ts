import { execFileSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ExpectedError } from "../errors/expected-error.ts";
import { createLogger, nameInLogs } from "./logger.ts";
import { runInRequest } from "./request-id.ts";

function written(isTerminal: boolean) {
  const lines: string[] = [];
  const logger = createLogger("info", { isTerminal, stream: { write: (line) => void lines.push(line) } });
  return { logger, lines };
}

describe("log lines", () => {
  it("are JSON where no person reads them", () => {
    const { logger, lines } = written(false);
    logger.warn({ chainId: "7" }, "the node is down");
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      level: "warn",
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      chainId: "7",
      msg: "the node is down",
    });
  });

  it("have ids as text, also if they are numbers where they are logged", () => {
    const { logger, lines } = written(false);
    logger.info({ chainId: 7, height: 5 }, "first");
    logger.warn({ networkId: 5, chainId: "8" }, "second");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { chainId: "7", height: 5 },
      { networkId: "5", chainId: "8" },
    ]);
  });

  it("are text on a terminal, in place of the progress below the cursor, with date and time zone", () => {
    const { logger, lines } = written(true);
    logger.warn({ reason: "no answer" }, "the node is down");
    expect(lines.join("")).toMatch(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the terminal's sequence
      /^\r\x1b\[J\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [+-]\d{4}\] WARN: the node is down \(reason no answer\)\n$/,
    );
  });

  it("have on a terminal the names of chains, and no fields that are unknown or repeat the message", () => {
    nameInLogs({ chainId: "7" }, "Seven");
    nameInLogs({ networkId: "5", chain: "P" }, "P-Chain");
    const { logger, lines } = written(true);
    logger.info({ chainId: 7, reason: "it is down", detail: null }, "the node fails: it is down");
    logger.info({ networkId: "5", chain: "P", blockNumber: 3 }, "indexing follows the node's head");
    logger.info({ chainId: "80008" }, "stored");
    logger.info({ err: new ExpectedError("the port is used") }, "it cannot start");
    expect(lines.map((line) => line.replace(/^.*INFO: /s, ""))).toEqual([
      "Seven: the node fails: it is down\n",
      "P-Chain: indexing follows the node's head (blockNumber 3)\n",
      "chain 80008: stored\n",
      "it cannot start: the port is used\n",
    ]);
  });

  it("have a stack only for errors that may be bugs", () => {
    const { logger, lines } = written(false);
    for (const error of [
      new Error("Connection terminated unexpectedly"),
      new ExpectedError("mend it"),
      new TypeError("x"),
    ])
      logger.warn({ err: error }, "failed");
    expect(lines.map((line) => "stack" in JSON.parse(line).err)).toEqual([false, false, true]);
  });

  it("have of an error its type, message, stack and texts, and no objects such as the connection that was lost", () => {
    const { logger, lines } = written(false);
    const lost = (message: string) =>
      Object.assign(new RangeError(message), { code: "X0001", client: { secretKey: 7, password: "p" } });
    logger.warn({ err: lost("one") }, "lost");
    logger.warn({ err: new AggregateError([lost("two"), "three", { client: {} }], "all") }, "lost");
    const error = {
      type: "RangeError",
      message: "one",
      stack: expect.stringContaining("RangeError: one"),
      code: "X0001",
    };
    expect(lines.map((line) => JSON.parse(line).err)).toEqual([
      error,
      {
        type: "AggregateError",
        message: "all",
        stack: expect.any(String),
        aggregateErrors: [
          { ...error, message: "two", stack: expect.any(String) },
          "three",
          "an object that is not an error",
        ],
      },
    ]);
  });

  it("have the id of the request for which they are written, also later", async () => {
    const { logger, lines } = written(false);
    const work = async (id: string) => {
      logger.info("first");
      await sleep(1);
      logger.info({ requestId: id }, "second");
      logger.info("third");
    };
    await Promise.all(["r1", "r2"].map((id) => runInRequest(id, () => work(id))));
    logger.info("outside");
    const parsed = lines.map((line) => JSON.parse(line) as { readonly msg: string; readonly requestId?: string });
    for (const id of ["r1", "r2"])
      expect(parsed.filter(({ requestId }) => requestId === id).map(({ msg }) => msg)).toEqual([
        "first",
        "second",
        "third",
      ]);
    expect(parsed.at(-1)).not.toHaveProperty("requestId");
  });

  it("that cannot be written do not end the process", () => {
    const fullDisk = openSync("/dev/full", "w");
    try {
      const output = execFileSync(process.execPath, ["--import", "tsx", "test/support/log-and-go-on.ts"], {
        stdio: ["ignore", "pipe", fullDisk],
        encoding: "utf8",
      });
      expect(output).toBe("the process goes on\n");
    } finally {
      closeSync(fullDisk);
    }
  });
});
