import { type Moraine, startMoraine } from "../../commands/moraine.ts";
import { createLocalCounters } from "../../core/limits/rate-counters.ts";
import { createLogger } from "../../core/observability/logger.ts";
import type { TestDatabase } from "../support/database/database.ts";
import { createMetricsDatabase, METRICS_CHAIN, METRICS_CONFIG } from "../support/indexed/metrics-chain.ts";

const TOKEN = `0x${"ab".repeat(20)}`;
const METRICS_PATHS = [
  `/v2/chains/${METRICS_CHAIN}/contracts/${TOKEN}/balances?threshold=0`,
  `/v1/avg_tps/${METRICS_CHAIN}`,
  `/hosted/v2/chains/${METRICS_CHAIN}/metrics/txCount`,
];

let database: TestDatabase;
let moraine: Moraine;
beforeAll(async () => {
  database = await createMetricsDatabase();
  moraine = await startMoraine({
    config: { ...METRICS_CONFIG, metricsPort: 0 },
    database,
    counters: createLocalCounters(),
    logger: createLogger("silent"),
    idleGraceMs: 0,
  });
});
afterAll(async () => {
  await moraine[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function answerAt(port: number | null, path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, body: await response.json() };
}

describe("with the setting metricsPort", () => {
  it.each(METRICS_PATHS)("%s is served on that port only", async (path) => {
    expect((await answerAt(moraine.metricsPort, path)).status).toBe(200);
    expect((await answerAt(moraine.port, path)).status).toBe(404);
  });

  it("data paths are served on the other port only, and errors of the metrics port have a list of messages", async () => {
    expect((await answerAt(moraine.port, "/v1/chains")).status).toBe(200);
    expect(await answerAt(moraine.metricsPort, "/v1/chains")).toMatchObject({
      status: 404,
      body: { message: ["Cannot GET /v1/chains"] },
    });
  });
});
