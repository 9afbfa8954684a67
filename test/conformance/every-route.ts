import { statementsOf } from "../support/database/statements.ts";
import { exchangeBytes } from "../support/node/listen.ts";
import type { Api, LimitedApi } from "./api.ts";
import { type AnyRoute, type Rule, rule } from "./rule.ts";

/** The rules of every route. */
export function everyRouteRules(route: AnyRoute): Rule[] {
  return [...formRules(route), ...parameterRules(route), ...limitRules(route), budgetRule(route)];
}

const methodOf = ({ body }: AnyRoute): "GET" | "POST" => (body === undefined ? "GET" : "POST");

/** Returns a function that sends the route's request with another target or other headers. */
export function sending({ body }: AnyRoute) {
  const own = body === undefined ? {} : { method: "POST", body };
  const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  return (api: Pick<Api, "get">, target: string, headers: Readonly<Record<string, string>> = {}) =>
    api.get(target, { ...own, headers: { ...type, ...headers } });
}

/** The path with its query and more parameters. */
export const withQuery = (path: string, query: string | undefined, more = ""): string => {
  const all = [query ?? [], more || []].flat().join("&");
  return all ? `${path}?${all}` : path;
};

const METHODS_TITLE = {
  GET: "returns 404 for methods other than GET and HEAD, and answers HEAD without a body",
  POST: "returns 404 for methods other than POST",
} as const;

function formRules(route: AnyRoute): Rule[] {
  const { id, path: bare, query } = route;
  const path = withQuery(bare, query);
  const send = sending(route);
  const method = methodOf(route);
  return [
    rule(`${id}.F1`, "MUST", "returns application/json with a content length and a request id", async (api) => {
      const { headers, text } = await send(api, path, { "x-request-id": "mine-1", "accept-encoding": "identity" });
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
      expect(headers.get("x-request-id")).toBe("mine-1");
    }),
    rule(`${id}.F2`, "CHOICE", "contains no null: fields without a value are omitted", async (api) => {
      expect(nullsIn((await send(api, path)).body, "body")).toEqual([]);
    }),
    rule(`${id}.F3`, "CHOICE", METHODS_TITLE[method], async (api) => {
      for (const other of ["GET", "POST", "PUT", "DELETE", "PATCH"].filter((name) => name !== method))
        expect(await api.refusal(path, { method: other })).toEqual([404, `Cannot ${other} ${bare}`]);
      const { status, text } = await api.get(path, { method: "HEAD" });
      expect([status, text]).toEqual([method === "GET" ? 200 : 404, ""]);
    }),
    rule(
      `${id}.F4`,
      "CHOICE",
      "matches paths with double and trailing slashes, but not in another letter case",
      async (api) => {
        const { text } = await send(api, path);
        for (const same of [`/${bare}`, `${bare}/`, bare.replace(/\/(v\d)\//, "//$1///")])
          expect((await send(api, withQuery(same, query))).text).toBe(text);
        for (const small of [/\/v\d\//, /\/v\d\/./]) {
          const other = bare.replace(small, (start) => start.toUpperCase());
          const { status, body } = await send(api, withQuery(other, query));
          expect([status, body]).toMatchObject([404, { message: `Cannot ${method} ${other}` }]);
        }
      },
    ),
    dialectRule(route, path),
  ];
}

function dialectRule(route: AnyRoute, path: string): Rule {
  const { id, isHostedOnly, unhosted = (text: string) => text } = route;
  const send = sending(route);
  if (isHostedOnly)
    return rule(`${id}.F5`, "CHOICE", "does not exist outside the hosted dialect", async (api) => {
      const answer = await fetch(`http://127.0.0.1:${api.port}${path.slice("/hosted".length)}`);
      expect(answer.status).toBe(404);
    });
  return rule(
    `${id}.F5`,
    "MUST",
    "returns the same below /hosted, apart from the documented differences",
    async (api) => {
      expect(unhosted((await send(api, `/hosted${path}`)).text)).toBe((await send(api, path)).text);
    },
  );
}

function parameterRules(route: AnyRoute): Rule[] {
  const { id, path, query, parameter } = route;
  const send = sending(route);
  const at = (more: string) => withQuery(path, query, more);
  const always = [
    rule(`${id}.Q1`, "CHOICE", "ignores unknown parameters, also repeated ones", async (api) => {
      const { text } = await send(api, at(""));
      expect((await send(api, at("unknown=1&unknown=2&PAGESIZE=x&rlToken="))).text).toBe(text);
    }),
    rule(`${id}.Q2`, "CHOICE", "refuses malformed percent-encoding in path or query with 400", async (api) => {
      for (const malformed of [at("a=%"), at("%zz=1"), withQuery(`${path}%E0%A4%A`, query), at("a=%ff")])
        expect(await rawStatus(api, route, malformed)).toBe(400);
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
    rule(`${id}.Q6`, "CHOICE", `reads ${name} with brackets after it, and refuses any other suffix`, async (api) => {
      const { status, text } = await api.get(at(`${name}=${good}`));
      for (const suffix of ["[]", "[0]", "%5B%5D"])
        expect(await api.get(at(`${name}${suffix}=${good}`))).toMatchObject({ status, text });
      for (const suffix of ["[x]", "[0][0]", ".0"])
        expect(await api.refusal(at(`${name}${suffix}=${good}`))).toEqual([
          400,
          `${name} must be named ${name}, ${name}[] or ${name}[0], got "${name}${suffix}"`,
        ]);
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

function limitRules(route: AnyRoute): Rule[] {
  const { id, path: bare, query, units } = route;
  const send = sending(route);
  const path = withQuery(bare, query);
  return [
    rule(`${id}.L1`, "CHOICE", `costs ${units} compute units and reports the remaining units`, async (api) => {
      const limit = Math.max(100, units);
      const limited = await limitedTo(api, limit);
      const { headers } = await send(limited, path);
      expect(headers.get("ratelimit-limit")).toBe(String(limit));
      expect(headers.get("ratelimit-remaining")).toBe(String(limit - units));
      expect(headers.get("ratelimit-policy")).toBe(`"minute";q=${limit};w=60`);
      expect(headers.get("retry-after")).toBeNull();
    }),
    rule(
      `${id}.L2`,
      "MUST",
      "returns 429 above the limit, and serves the caller again after retry-after",
      async (api) => {
        const limited = await limitedTo(api, units);
        expect((await send(limited, path)).status).toBe(200);
        const { status, headers, body } = await send(limited, path);
        expect([status, headers.get("retry-after"), headers.get("ratelimit-reset")]).toEqual([429, "45", "45"]);
        expect(body).toMatchObject({ error: "Too Many Requests" });
        limitsClock.nowMs += Number(headers.get("retry-after")) * 1_000;
        expect((await send(limited, path)).status).toBe(200);
      },
    ),
    keyRule(route, path),
  ];
}

function keyRule(route: AnyRoute, path: string): Rule {
  const { id, isKeyless } = route;
  const send = sending(route);
  const title = isKeyless
    ? "needs no key, and ignores keys, also unknown ones"
    : "accepts a key in either header or no key, and refuses an unknown key with 401";
  return rule(`${id}.L3`, "MUST", title, async (api) => {
    const start = () => api.limited({ settings: { apiKeys: [{ key: "a-good-key" }] } });
    const keyed = await api.shared("with a key", start);
    for (const name of ["x-service-api-key", "x-glacier-api-key"]) {
      expect((await send(keyed, path, { [name]: "a-good-key" })).status).toBe(200);
      expect((await send(keyed, path, { [name]: "another" })).status).toBe(isKeyless ? 200 : 401);
    }
    expect((await send(keyed, path)).status).toBe(200);
  });
}

function budgetRule(route: AnyRoute): Rule {
  const { id, path, query, statements } = route;
  const send = sending(route);
  const title = `runs at most ${statements} statements for a page of any size`;
  const budget = rule(`${id}.S1`, "CHOICE", title, async (api) => {
    for (const pageSize of [1, 10, 100]) {
      const get = () => send(api, withQuery(path, query, `pageSize=${pageSize}`));
      // The first request may fill caches that later ones use.
      await get();
      expect((await statementsOf(get)).length).toBeLessThanOrEqual(statements);
    }
  });
  return { ...budget, route };
}

/** Does not use `fetch`, which would correct a malformed path. */
async function rawStatus({ port }: Api, route: AnyRoute, target: string): Promise<number> {
  const { body = "" } = route;
  const head = `${methodOf(route)} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n`;
  const answer = await exchangeBytes(port, `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  return Number(answer.split(" ")[1]);
}

function nullsIn(value: unknown, at: string): string[] {
  if (value === null) return [at];
  if (typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, member]) => nullsIn(member, `${at}.${key}`));
}
