import { withoutAddresses } from "../../../core/errors/redaction.ts";
import { recordedHealth } from "../../../test/support/recorded/recorded-health.ts";
import { reportOf } from "./report.ts";
import { createReportSubscriptions } from "./report-subscriptions.ts";
import type { HealthCheck, HealthReport } from "./types.ts";
import { mergedChecks, parseNodeHealth } from "./upstream/node-report.ts";

const L1 = "BKBZ6xXTnT86B4L5fp8rvtcmNSpvtNz8En9jG61ywV2uWyeHy";
const PRIMARY = "11111111111111111111111111111111LpoYY";

const check = (name: string, tags: string[], error: string | null = null): HealthCheck => ({
  name,
  tags,
  error,
  message: null,
  timestamp: "2026-11-21T08:02:41Z",
  duration: "1",
  contiguousFailures: null,
  timeOfFirstFailure: null,
});

const CHECKS = [
  check("router", ["application"]),
  check("P", [PRIMARY]),
  check("an-l1", [L1], "broken"),
  check("C", [PRIMARY]),
  check("untagged", []),
  check("database", ["application"]),
];
const names = (tags?: readonly string[] | null) => reportOf(CHECKS, tags).checks.map(({ name }) => name);

describe("the selection of checks", () => {
  it.each([undefined, null, [], ["all"], ["all", L1]])("with the tags %j contains every check, by name", (tags) => {
    expect(names(tags)).toEqual(["C", "P", "an-l1", "database", "router", "untagged"]);
    expect(reportOf(CHECKS, tags).healthy).toBe(false);
  });

  it.each([
    [[PRIMARY], ["C", "P", "database", "router"], true],
    [[L1], ["an-l1", "database", "router"], false],
    [[L1, PRIMARY], ["C", "P", "an-l1", "database", "router"], false],
    [["application"], ["database", "router"], true],
    [["P"], ["database", "router"], true],
    [[""], ["database", "router"], true],
    [["All"], ["database", "router"], true],
    [[`${L1},${PRIMARY}`], ["database", "router"], true],
  ])("with the tags %j contains checks with these tags and those of the application", (tags, expected, healthy) => {
    expect(names(tags)).toEqual(expected);
    expect(reportOf(CHECKS, tags).healthy).toBe(healthy);
  });

  it("without checks is healthy", () => {
    expect(reportOf([], ["any"])).toEqual({ healthy: true, checks: [] });
  });

  it("equals a real node's for every recorded selection of a node with an L1", () => {
    const answers = recordedHealth("with-l1-health-get").filter(({ path }) => /^\/ext\/health\?tag=[\w]+$/.test(path));
    const whole = recordedHealth("with-l1-health-get").find(({ path }) => path === "/ext/health");
    const l1 = Object.keys(whole?.checks ?? {}).find((name) => name.length > 40) ?? "";
    const subnet =
      answers.map(({ path }) => path.split("=")[1] ?? "").find((tag) => tag.length > 40 && tag !== PRIMARY) ?? "";
    const health = parseNodeHealth(whole?.text ?? "", withoutAddresses);
    if (!health) throw new Error("no health");
    const merged = mergedChecks(health, (name) => (name === l1 ? subnet : null));
    expect([answers.length > 4, l1 !== "", subnet !== ""]).toEqual([true, true, true]);
    for (const { path, checks } of answers) {
      const selected = reportOf(merged, [decodeURIComponent(path.split("=")[1] ?? "")]);
      expect([path, selected.checks.map(({ name }) => name)]).toEqual([
        path,
        Object.keys(checks).map((name) => `node/${name}`),
      ]);
    }
  });
});

describe("a node's merged health", () => {
  const files = ["health-start-2s", "health-outage-2s", "health-shutdown", "chain-failed-health-get"];
  it.each(files)("has the node's values in %s", (file) => {
    const answers = recordedHealth(file).filter(({ checks }) => Object.keys(checks).length > 0);
    expect(answers.length).toBeGreaterThan(5);
    for (const { text, checks, healthy } of answers) {
      const health = parseNodeHealth(text, withoutAddresses);
      const merged = health && mergedChecks(health, () => null);
      expect(merged?.every(({ error }) => error === null)).toBe(healthy);
      const back = (merged ?? []).map(({ name, tags: _, ...result }) => {
        const given = Object.entries(result).filter(([, value]) => value !== null);
        return [name.replace("node/", ""), { ...Object.fromEntries(given), duration: Number(result.duration) }];
      });
      expect(Object.fromEntries(back)).toEqual(checks);
    }
  });

  it.each([
    "",
    "null",
    "[]",
    "{}",
    "404 page not found\n",
    "<html>",
    '{"checks":{}}',
    '{"checks":[],"healthy":true}',
    '{"checks":{"P":{}},"healthy":true}',
    '{"checks":{"P":{"timestamp":1,"duration":1}},"healthy":true}',
    '{"jsonrpc":"2.0","result":{"checks":{},"healthy":true},"id":1}',
  ])("is not parsed from %j", (text) => {
    expect(parseNodeHealth(text, withoutAddresses)).toBeNull();
  });
});

describe("the subscription to reports", () => {
  it("sends the current report, then one whenever a failure or its reason changes, and ends when it is closed", async () => {
    let present: HealthCheck[] = [check("P", [PRIMARY], "not yet run")];
    using feed = createReportSubscriptions();
    const following = feed.follow(() => reportOf(present));
    const set = (...checks: HealthCheck[]) => {
      present = checks;
      feed.notify();
    };
    const errors = ({ value }: IteratorResult<HealthReport>) => value.checks.map((one: HealthCheck) => one.error);
    expect(errors(await following.next())).toEqual(["not yet run"]);
    const second = following.next();
    set(check("P", [PRIMARY], "not yet run"));
    set(check("P", [PRIMARY], "broken"));
    expect(errors(await second)).toEqual(["broken"]);
    const third = following.next();
    set({ ...check("P", [PRIMARY], "broken"), contiguousFailures: 2, timestamp: "2026-11-21T08:02:43Z" });
    set(check("P", [PRIMARY]));
    expect((await third).value).toMatchObject({ healthy: true });
    const fourth = following.next();
    feed[Symbol.dispose]();
    expect(await fourth).toEqual({ done: true, value: undefined });
    expect(await following.next()).toEqual({ done: true, value: undefined });
  });

  it("sends a slow reader only the newest report, and none to one who left", async () => {
    let error = "a";
    using feed = createReportSubscriptions();
    const following = feed.follow(() => reportOf([check("P", [], error)]));
    await following.next();
    for (error of ["b", "c", "d"]) feed.notify();
    expect((await following.next()).value.checks[0].error).toBe("d");
    await following.return?.();
    error = "e";
    feed.notify();
    expect(await following.next()).toEqual({ done: true, value: undefined });
  });
});
