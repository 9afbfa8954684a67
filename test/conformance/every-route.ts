import { statementsOf } from "../support/database/statements.ts";
import { exchangeBytes } from "../support/node/listen.ts";
import type { Api, LimitedApi } from "./api.ts";
import { type Rule, rule } from "./rule.ts";

/** A route with a request that it answers with 200. */
export interface AnyRoute {
  readonly id: string;
  readonly path: string;
  /** The required parameters, without the question mark. */
  readonly query?: string;
  /** Converts a response of the hosted dialect to the form in the REST specification, if they differ. */
  readonly unhosted?: (text: string) => string;
  /** A query parameter, with a valid and an invalid value. */
  readonly parameter?: { readonly name: string; readonly good: string; readonly bad: string };
  /** Compute units of a request. */
  readonly units: number;
  /** Maximum number of statements that a request runs, for any page size. */
  readonly statements: number;
}

/** The rules of every route. */
export function everyRouteRules(route: AnyRoute): Rule[] {
  return [...formRules(route), ...parameterRules(route), ...limitRules(route), budgetRule(route)];
}

/** The path with its query and more parameters. */
const withQuery = (path: string, query: string | undefined, more = ""): string => {
  const all = [query ?? [], more || []].flat().join("&");
  return all ? `${path}?${all}` : path;
};

function formRules({ id, path: bare, query, unhosted = (text) => text }: AnyRoute): Rule[] {
  const path = withQuery(bare, query);
  return [
    rule(`${id}.F1`, "MUST", "returns application/json with a content length and a request id", async (api) => {
      const { headers, text } = await api.get(path, { headers: { "x-request-id": "mine-1" } });
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
      expect(headers.get("x-request-id")).toBe("mine-1");
    }),
    rule(`${id}.F2`, "CHOICE", "contains no null: fields without a value are omitted", async (api) => {
      expect(nullsIn((await api.get(path)).body, "body")).toEqual([]);
    }),
    rule(
      `${id}.F3`,
      "CHOICE",
      "returns 404 for methods other than GET and HEAD, and answers HEAD without a body",
      async (api) => {
        for (const method of ["POST", "PUT", "DELETE", "PATCH"])
          expect(await api.refusal(path, { method })).toEqual([404, `Cannot ${method} ${bare}`]);
        const { status, text } = await api.get(path, { method: "HEAD" });
        expect([status, text]).toEqual([200, ""]);
      },
    ),
    rule(
      `${id}.F4`,
      "CHOICE",
      "matches paths with double and trailing slashes, but not in another letter case",
      async (api) => {
        const { text } = await api.get(path);
        for (const same of [`/${bare}`, `${bare}/`, bare.replace("/v1/", "//v1///")])
          expect((await api.get(withQuery(same, query))).text).toBe(text);
        for (const other of [bare.replace("/v1/", "/V1/"), bare.replace("/v1/c", "/v1/C").replace("/v1/n", "/v1/N")])
          expect(await api.refusal(withQuery(other, query))).toEqual([404, `Cannot GET ${other}`]);
      },
    ),
    rule(`${id}.F5`, "MUST", "returns the same below /hosted, apart from the documented differences", async (api) => {
      expect(unhosted((await api.get(`/hosted${path}`)).text)).toBe((await api.get(path)).text);
    }),
  ];
}

function parameterRules({ id, path, query, parameter }: AnyRoute): Rule[] {
  const at = (more: string) => withQuery(path, query, more);
  const always = [
    rule(`${id}.Q1`, "CHOICE", "ignores unknown parameters, also repeated ones", async (api) => {
      const { text } = await api.get(at(""));
      expect((await api.get(at("unknown=1&unknown=2&PAGESIZE=x&rlToken="))).text).toBe(text);
    }),
    rule(`${id}.Q2`, "CHOICE", "refuses malformed percent-encoding in path or query with 400", async (api) => {
      for (const malformed of [at("a=%"), at("%zz=1"), withQuery(`${path}%E0%A4%A`, query), at("a=%ff")])
        expect(await rawStatus(api, malformed)).toBe(400);
    }),
  ];
  return parameter ? [...always, ...namedParameterRules(id, at, parameter)] : always;
}

function namedParameterRules(
  id: string,
  at: (more: string) => string,
  { name, good, bad }: NonNullable<AnyRoute["parameter"]>,
): Rule[] {
  return [
    rule(`${id}.Q3`, "CHOICE", `refuses a repeated ${name} with 400 and names it`, async (api) => {
      const expected = [400, `${name} must be given once, got also "${good}"`];
      expect(await api.refusal(at(`${name}=${good}&${name}=${good}`))).toEqual(expected);
    }),
    rule(`${id}.Q4`, "CHOICE", `treats an empty ${name} as absent`, async (api) => {
      expect((await api.get(at(`${name}=`))).text).toBe((await api.get(at(""))).text);
      expect((await api.get(at(`${name}=&${name}=${good}`))).status).toBe(200);
    }),
    rule(
      `${id}.Q5`,
      "CHOICE",
      `refuses an invalid ${name} with one sentence that names it and quotes its value`,
      async (api) => {
        const [status, message] = await api.refusal(at(`${name}=${bad}`));
        expect([status, message]).toEqual([400, expect.stringMatching(new RegExp(`^${name} must be [^.]+, got `))]);
      },
    ),
  ];
}

/** The clock of rate limits. */
const limitsClock = { nowMs: 75_500 };
const TEN_MINUTES_MS = 600_000;

/** A server with this rate limit, of which no units are used yet. Its clock is 15.5 s after the start of a later minute. */
function limitedTo(api: Api, computeUnitsPerMinute: number): Promise<LimitedApi> {
  limitsClock.nowMs = (Math.floor(limitsClock.nowMs / TEN_MINUTES_MS) + 1) * TEN_MINUTES_MS + 75_500;
  const options = { settings: { computeUnitsPerMinute }, nowMs: () => limitsClock.nowMs };
  return api.shared(`limited to ${computeUnitsPerMinute}`, () => api.limited(options));
}

function limitRules({ id, path: bare, query, units }: AnyRoute): Rule[] {
  const path = withQuery(bare, query);
  return [
    rule(`${id}.L1`, "CHOICE", `costs ${units} compute units and reports the remaining units`, async (api) => {
      const limited = await limitedTo(api, 100);
      const { headers } = await limited.get(path);
      expect(headers.get("ratelimit-limit")).toBe("100");
      expect(headers.get("ratelimit-remaining")).toBe(String(100 - units));
      expect(headers.get("ratelimit-policy")).toBe('"minute";q=100;w=60');
      expect(headers.get("retry-after")).toBeNull();
    }),
    rule(
      `${id}.L2`,
      "MUST",
      "returns 429 above the limit, and serves the caller again after retry-after",
      async (api) => {
        const limited = await limitedTo(api, units);
        expect((await limited.get(path)).status).toBe(200);
        const { status, headers, body } = await limited.get(path);
        expect([status, headers.get("retry-after"), headers.get("ratelimit-reset")]).toEqual([429, "45", "45"]);
        expect(body).toMatchObject({ error: "Too Many Requests" });
        limitsClock.nowMs += Number(headers.get("retry-after")) * 1_000;
        expect((await limited.get(path)).status).toBe(200);
      },
    ),
    rule(
      `${id}.L3`,
      "MUST",
      "accepts a key in either header or no key, and refuses an unknown key with 401",
      async (api) => {
        const start = () => api.limited({ settings: { apiKeys: [{ key: "a-good-key" }] } });
        const keyed = await api.shared("with a key", start);
        for (const name of ["x-service-api-key", "x-glacier-api-key"]) {
          expect((await keyed.get(path, { headers: { [name]: "a-good-key" } })).status).toBe(200);
          expect((await keyed.get(path, { headers: { [name]: "another" } })).status).toBe(401);
        }
        expect((await keyed.get(path)).status).toBe(200);
      },
    ),
  ];
}

function budgetRule({ id, path, query, statements }: AnyRoute): Rule {
  return rule(`${id}.S1`, "CHOICE", `runs at most ${statements} statements for a page of any size`, async (api) => {
    for (const pageSize of [1, 10, 100]) {
      const get = () => api.get(withQuery(path, query, `pageSize=${pageSize}`));
      // The first request may fill caches that later ones use.
      await get();
      expect((await statementsOf(get)).length).toBeLessThanOrEqual(statements);
    }
  });
}

/** Does not use `fetch`, which would correct a malformed path. */
async function rawStatus({ port }: Api, target: string): Promise<number> {
  const answer = await exchangeBytes(port, `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  return Number(answer.split(" ")[1]);
}

function nullsIn(value: unknown, at: string): string[] {
  if (value === null) return [at];
  if (typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, member]) => nullsIn(member, `${at}.${key}`));
}
