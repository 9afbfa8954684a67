import { expectedPeriods } from "../support/oracle/metrics-oracle.ts";
import { keylessChainIdRules } from "./chain-id.ts";
import { everyRouteRules } from "./every-route.ts";
import { factsOf } from "./recorded-facts.ts";
import { type Rule, rule } from "./rule.ts";

const pathOf = (chainId: string | number) => `/v1/avg_tps/${chainId}`;
const PATH = pathOf(760011);

const CONTENT_RULES: readonly Rule[] = [
  rule("E21.1", "MUST", "lists the average of every day up to the last block, newest first", async (api) => {
    for (const chainId of [760011, 760012]) {
      const { counted } = factsOf(chainId);
      const days = expectedPeriods(counted, "DAY");
      expect(days.length).toBeGreaterThan(0);
      expect(await api.body(pathOf(chainId))).toEqual({
        results: days.map(({ periodStart, averageTps }) => ({ timestamp: periodStart, value: averageTps })),
        status: 200,
        lastRun: counted.at(-1)?.seconds,
      });
    }
  }),
  rule("E21.2", "MUST", "returns the message of an error as a list", async (api) => {
    const { status, body } = await api.get(`${PATH}?pageToken=x`);
    expect([status, body]).toEqual([
      400,
      {
        message: ['the page token or cursor must be from a page with the same parameters, got "x"'],
        statusCode: 400,
        error: "Bad Request",
      },
    ]);
  }),
  rule("E21.3", "CHOICE", "takes no parameter but pageToken", async (api) => {
    const { text } = await api.get(PATH);
    expect((await api.get(`${PATH}?pageSize=0&startTimestamp=x&timeInterval=hour`)).text).toBe(text);
  }),
  rule("E21.4", "CHOICE", "has a rate limit of its own, which data paths do not use up", async (api) => {
    const settings = { computeUnitsPerMinute: 1, metricsComputeUnitsPerMinute: 150 };
    await using limited = await api.limited({ settings, nowMs: () => 0 });
    const remaining = async (path: string) => (await limited.get(path)).headers.get("ratelimit-remaining");
    expect(await remaining("/v1/chains")).toBe("0");
    expect(await remaining(PATH)).toBe("50");
    expect([(await limited.get("/v1/chains")).status, (await limited.get(PATH)).status]).toEqual([429, 429]);
  }),
];

/** All rules of E21. Pages of more than one hundred days are tested in `metric-pages.test.ts`. */
export const AVERAGE_TPS_RULES: readonly Rule[] = [
  ...CONTENT_RULES,
  ...keylessChainIdRules("E21", pathOf),
  ...everyRouteRules({
    id: "E21",
    path: PATH,
    units: 100,
    isKeyless: true,
    // A page that is not the last one needs a second statement, for its token.
    statements: 1,
  }),
];
