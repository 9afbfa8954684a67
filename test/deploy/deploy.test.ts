import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { METRICS } from "../../core/observability/definitions.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
  readonly labels: { readonly severity: string };
}

const read = (path: string): string => readFileSync(path, "utf8");
const ALERTS = "deploy/prometheus/alerts.yml";
const { groups } = parse(read(ALERTS)) as { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** Series of Prometheus itself and of Node.js. */
const OTHERS = ["up", "process_resident_memory_bytes", "nodejs_eventloop_lag_p99_seconds"];
const DEFINITIONS = Object.values(METRICS).map(({ name, type, labels }) => ({
  name,
  type,
  labels: Object.keys(labels),
}));
const NAMES = DEFINITIONS.flatMap(({ name, type }) =>
  type === "histogram" ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
);

/** The names of series in an expression: words before a selector or a bracket, or alone, that are no functions or keywords. */
const seriesIn = (expression: string): string[] =>
  expression.match(/\b(?:moraine|nodejs|process)_[a-z0-9_]+\b|\bup\b/g) ?? [];

/** The labels that an expression selects or groups by, with the metrics it reads. */
const labelsIn = (expression: string): string[] => [
  ...[...expression.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)"/g)].map(([, label = ""]) => label),
  ...[...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels = ""]) =>
    labels.split(",").map((label) => label.trim()),
  ),
];
/** Labels that Prometheus adds. */
const ADDED = ["job", "instance", "le", "process"];

function expectKnown(expression: string): void {
  const series = seriesIn(expression);
  expect(series.length).toBeGreaterThan(0);
  for (const name of series) expect([...NAMES, ...OTHERS]).toContain(name);
  const known = DEFINITIONS.filter(({ name }) => series.some((one) => one.startsWith(name))).flatMap(
    ({ labels }) => labels,
  );
  for (const label of labelsIn(expression)) expect([...known, ...ADDED]).toContain(label);
}

describe("the alert rules", () => {
  it("have one name each, a severity and a summary", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { labels, annotations } of rules) {
      expect(["critical", "warning"]).toContain(labels.severity);
      expect(annotations.summary).not.toBe("");
    }
  });

  it.each(rules.map(({ alert, expr }) => [alert, expr]))("%s reads metrics and labels that exist", (_alert, expr) => {
    expectKnown(expr);
  });

  it("are the sections of the runbook", () => {
    const sections = [...read("docs/runbook.md").matchAll(/^## (Moraine\w+)$/gm)].map(([, name]) => name);
    expect(sections.sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });
});

it("the dashboard reads metrics and labels that exist", () => {
  const { panels } = JSON.parse(read("deploy/grafana/moraine.json")) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  };
  for (const { targets } of panels) for (const { expr } of targets) expectKnown(expr);
});

/** The tools that check the files where they are installed. */
const LINTERS: readonly (readonly [tool: string, args: readonly string[]])[] = [
  ["promtool", ["check", "rules", ALERTS]],
  ["caddy", ["validate", "--adapter", "caddyfile", "--config", "deploy/proxy/Caddyfile"]],
  ["hadolint", ["Dockerfile"]],
  ["kustomize", ["build", "deploy/kubernetes/base"]],
  ["kustomize", ["build", "deploy/kubernetes/external-postgresql"]],
];

describe("the linter", () => {
  for (const [tool, args] of LINTERS) {
    const isInstalled = spawnSync(tool, ["--help"]).error === undefined;
    (isInstalled ? it : it.skip)(`${tool} accepts ${args.at(-1)}${isInstalled ? "" : " (not installed)"}`, () => {
      const { status, stdout, stderr } = spawnSync(tool, args, { encoding: "utf8" });
      expect({ status, output: status === 0 ? "" : stdout + stderr }).toEqual({ status: 0, output: "" });
    });
  }
});

describe("the systemd unit", () => {
  const UNIT = "deploy/systemd/moraine.service";
  const unit = read(UNIT);

  it("starts the program and gives it the time that a stop takes", () => {
    const settingOf = (key: string) => new RegExp(`^${key}=(.*)$`, "m").exec(unit)?.[1];
    expect(settingOf("ExecStart")).toBe("/usr/bin/node /opt/moraine/moraine start");
    expect(settingOf("ExecReload")).toBe("/usr/bin/node /opt/moraine/moraine reload");
    expect(Number(settingOf("TimeoutStopSec"))).toBeGreaterThanOrEqual(25);
    expect(settingOf("User")).toBe("moraine");
  });

  const isInstalled = spawnSync("systemd-analyze", ["--version"]).error === undefined;
  (isInstalled ? it : it.skip)(`has only keys that systemd knows${isInstalled ? "" : " (not installed)"}`, () => {
    const directory = mkdtempSync(join(tmpdir(), "moraine-unit-"));
    const file = join(directory, "moraine.service");
    // The paths of this machine, because systemd looks for the program.
    writeFileSync(file, unit.replaceAll("/opt/moraine", process.cwd()).replace("/usr/bin/node", process.execPath));
    const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" });
    rmSync(directory, { recursive: true });
    // It ends with code 0 for unknown keys, and prints them.
    expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: "" });
  });
});
