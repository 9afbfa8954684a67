import { expectedPeriods, expectedValues } from "../support/oracle/metrics-oracle.ts";
import { keylessChainIdRules } from "./chain-id.ts";
import { everyRouteRules } from "./every-route.ts";
import { factsOf } from "./recorded-facts.ts";
import { type Rule, rule } from "./rule.ts";

const pathOf = (chainId: string | number, metric = "txCount") => `/hosted/v2/chains/${chainId}/metrics/${metric}`;
const PATH = pathOf(760011);

/** Metrics of every interval, then metrics of days only. */
export const PERIOD_METRICS = ["txCount", "gasUsed", "feesPaid", "activeAddresses", "contracts"] as const;
export const DAY_METRICS = [
  "avgTps",
  "avgGps",
  "avgGasPrice",
  "cumulativeTxCount",
  "cumulativeAddresses",
  "cumulativeContracts",
] as const;
/** Metrics of the hosted service that Moraine does not have. */
const OTHER_METRICS = ["activeSenders", "cumulativeDeployers", "deployers", "maxGps", "maxTps", "maxGasPrice"];
export const INTERVALS = { hour: "HOUR", day: "DAY", week: "WEEK", month: "MONTH" } as const;

const CONTENT_RULES: readonly Rule[] = [
  rule("E21M.1", "MUST", "returns every metric of both chains as the blocks give it", async (api) => {
    for (const chainId of [760011, 760012])
      for (const metric of [...PERIOD_METRICS, ...DAY_METRICS]) {
        const { counted } = factsOf(chainId);
        const days = expectedPeriods(counted, "DAY");
        const values = expectedValues(metric, days, counted);
        expect(await api.body(pathOf(chainId, metric))).toEqual({
          results: days.map(({ periodStart }, index) => ({ value: values[index], timestamp: periodStart })),
        });
      }
  }),
  rule("E21M.2", "MUST", "returns metrics by hour, day, week and month", async (api) => {
    const { counted } = factsOf(760012);
    for (const [timeInterval, interval] of Object.entries(INTERVALS)) {
      const periods = expectedPeriods(counted, interval);
      expect(await api.body(`${pathOf(760012)}?timeInterval=${timeInterval}`)).toEqual({
        results: periods.map(({ periodStart, transactions }) => ({
          value: Number(transactions),
          timestamp: periodStart,
        })),
      });
    }
  }),
  rule(
    "E21M.3",
    "MUST",
    "refuses metrics that begin with avg or cumulative by another interval than day",
    async (api) => {
      for (const metric of DAY_METRICS)
        for (const timeInterval of ["hour", "week", "month"])
          expect(await api.refusal(`${pathOf(760011, metric)}?timeInterval=${timeInterval}`)).toEqual([
            400,
            `timeInterval must be day for ${metric}, got "${timeInterval}"`,
          ]);
    },
  ),
  rule("E21M.4", "CHOICE", "refuses metrics that it does not have, and names those that it has", async (api) => {
    const names = /^metric must be one of avgTps, txCount, .*avgGasPrice, got "/;
    for (const metric of [...OTHER_METRICS, "AVGTPS", "x", "%00"])
      expect(await api.refusal(pathOf(760011, metric))).toEqual([400, expect.stringMatching(names)]);
  }),
  rule("E21M.5", "MUST", "refuses a pageSize outside 1 to 2160", async (api) => {
    for (const size of ["0", "2161", "-1"])
      expect(await api.refusal(`${PATH}?pageSize=${size}`)).toEqual([
        400,
        `the page size must be from 1 to 2160, got ${size}`,
      ]);
    expect((await api.get(`${PATH}?pageSize=2160`)).status).toBe(200);
  }),
  rule("E21M.6", "MUST", "returns a sentence for each rule that a request violates", async (api) => {
    const messageOf = async (path: string) => ((await api.get(path)).body as { message: string[] }).message;
    expect(await messageOf(`${pathOf(760011, "x")}?pageSize=ten&timeInterval=year&startTimestamp=-1`)).toEqual([
      expect.stringMatching(/^metric must be one of /),
      'pageSize must be an integer of at most 32 bits, got "ten"',
      'timeInterval must be one of hour, day, week, month, got "year"',
      'startTimestamp must be a non-negative integer, got "-1"',
    ]);
    expect(await messageOf(`${pathOf(760011, "avgTps")}?pageSize=0&timeInterval=hour&pageToken=x`)).toEqual([
      'timeInterval must be day for avgTps, got "hour"',
      "the page size must be from 1 to 2160, got 0",
      'the page token or cursor must be from a page with the same parameters, got "x"',
    ]);
  }),
];

/** All rules of the hosted service's successor of E21. Pages are tested in `metric-pages.test.ts`. */
export const CHAIN_METRIC_RULES: readonly Rule[] = [
  ...CONTENT_RULES,
  ...keylessChainIdRules("E21M", pathOf),
  ...everyRouteRules({
    id: "E21M",
    path: PATH,
    units: 100,
    isKeyless: true,
    isHostedOnly: true,
    statements: 1,
    parameter: { name: "timeInterval", good: "day", bad: "year" },
  }),
];
