import { createPlanner } from "../../gateway/plan/planner.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { ROUTES } from "../../rest-compat/routes.ts";
import { readKnownValues } from "../../tools/attack/known-values.ts";
import { reportText } from "../../tools/attack/report.ts";
import { attack } from "../../tools/attack/run.ts";
import { isFullRun } from "../support/full.ts";
import { type Api, startApi } from "./api.ts";
import { PATH_RULES } from "./paths.ts";
import { RULES, routeOf } from "./rules.ts";

describe("the rules", () => {
  it("have unique ids", () => {
    expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
  });

  it("belong to one route each, and every route has rules", () => {
    const ruled = new Set(RULES.filter(({ id }) => /\.\d+$/.test(id)).map(routeOf));
    expect([...new Set(RULES.map(routeOf))].sort()).toEqual(ROUTES.map(({ id }) => id).sort());
    expect([...ruled].sort()).toEqual(ROUTES.map(({ id }) => id).sort());
  });

  it("set a statement budget for every route", () => {
    const budgeted = RULES.filter(({ id }) => id.endsWith(".S1")).map(routeOf);
    expect(budgeted.sort()).toEqual(ROUTES.map(({ id }) => id).sort());
  });
});

describe("the stack over the recording", () => {
  let api: Api;
  beforeAll(async () => {
    api = await startApi({ signatures: true });
  });
  afterAll(() => api[Symbol.asyncDispose]());

  describe("on any path", () => {
    it.each(PATH_RULES)("$id $level $title", ({ check }) => check(api));
  });

  describe.each(ROUTES)("$id $method $path", ({ id }) => {
    it.each(RULES.filter((rule) => routeOf(rule) === id))("$id $level $title", ({ check }) => check(api));
  });

  it("answers generated hostile requests in the documented form", async () => {
    const url = `http://127.0.0.1:${api.port}`;
    const schema = createPlanner(committedSupergraph(), []).schema;
    const known = await readKnownValues(url);
    const report = await attack({ url, schema, known, seed: 15, from: 0, to: isFullRun ? 20_000 : 100 });
    expect(reportText(report, { url, seed: 15, seconds: 0, memory: [], printsAll: false })).toMatch(
      /^0 answers without the documented form$/m,
    );
  });
});
