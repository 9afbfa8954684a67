import type { Api } from "./api.ts";
import { type Rule, rule } from "./rule.ts";

/** A list route, with the properties that the rules of pagination need. */
export interface ListRoute {
  readonly id: string;
  /** Query of a list of more than twenty items. */
  readonly path: string;
  /** The same list under other spellings of its parameters. */
  readonly spellings: readonly string[];
  /** The route with other parameters, by the name of the difference. */
  readonly others: Readonly<Record<string, string>>;
  /** The field with the items. */
  readonly items: string;
  /** A unique key of an item. */
  readonly key: (item: Item) => string;
  /** The keys of all items in order, from the recording. */
  readonly expected: (api: Api) => readonly string[];
  /** Default and maximum page size. Default: 10 and 100. */
  readonly sizes?: { readonly initial: number; readonly most: number };
}

const USUAL = { initial: 10, most: 100 };

type Item = Readonly<Record<string, unknown>>;
type Body = Readonly<Record<string, unknown>> & { readonly nextPageToken?: string };

const HOUR_MS = 3_600_000;

/** A path with additional query parameters. */
const withQuery = (path: string, query: string): string =>
  query ? `${path}${path.includes("?") ? "&" : "?"}${query}` : path;

/** The rules of pagination, for one list route. */
export function paginationRules(list: ListRoute): Rule[] {
  return [...sizeRules(list), ...walkRules(list), ...tokenRules(list)];
}

function sizeRules({ id, path, items, expected, sizes: { initial, most } = USUAL }: ListRoute): Rule[] {
  const sizeOf = async (api: Api, query: string) =>
    ((await api.body<Body>(withQuery(path, query)))[items] as Item[]).length;
  return [
    rule(`${id}.P1`, "MUST", `returns ${initial} items a page by default`, async (api) => {
      expect(await sizeOf(api, "")).toBe(Math.min(initial, expected(api).length));
    }),
    rule(
      `${id}.P2`,
      "MUST",
      `accepts a pageSize from 1 to ${most} and returns at most that many items`,
      async (api) => {
        expect(await sizeOf(api, "pageSize=1")).toBe(1);
        expect(await sizeOf(api, `pageSize=${most}`)).toBe(Math.min(most, expected(api).length));
      },
    ),
    rule(`${id}.P3`, "MUST", "refuses any other pageSize with 400", async (api) => {
      for (const size of ["0", String(most + 1), "-1", "2147483647"])
        expect(await api.refusal(withQuery(path, `pageSize=${size}`))).toEqual([
          400,
          `the page size must be from 1 to ${most}, got ${size}`,
        ]);
      for (const size of ["ten", "1.5", "1e1", "1e%2B21", "0x10", "%20", "2147483648", "NaN"])
        expect(await api.refusal(withQuery(path, `pageSize=${size}`))).toEqual([
          400,
          expect.stringMatching(/^(the page size|pageSize) must be /),
        ]);
    }),
  ];
}

function walkRules(list: ListRoute): Rule[] {
  const { id, path, expected } = list;
  const walk = async (api: Api, size: number) => (await walked(api, list, path, size)).flat();
  return [
    rule(`${id}.P4`, "MUST", "nextPageToken leads to every item once, in order, for any page size", async (api) => {
      for (const size of [1, 7, 10, 100]) expect(await walk(api, size)).toEqual(expected(api));
    }),
    rule(`${id}.P5`, "MUST", "omits nextPageToken on the last page, even if that page is full", async (api) => {
      const count = expected(api).length;
      const size = [...Array(100).keys()].reverse().find((some) => some > 1 && count % some === 0) ?? 1;
      const pages = await walked(api, list, path, size);
      expect(pages).toHaveLength(count / size);
    }),
    rule(`${id}.P6`, "CHOICE", "accepts another pageSize on each page", async (api) => {
      const first = await api.body<Body>(withQuery(path, `pageSize=3`));
      const next = await api.body<Body>(withQuery(path, `pageSize=5&pageToken=${first.nextPageToken}`));
      expect(keys(list, next)).toEqual(expected(api).slice(3, 8));
    }),
    rule(`${id}.P7`, "CHOICE", "accepts a page token with other spellings of the same parameters", async (api) => {
      const { nextPageToken } = await api.body<Body>(withQuery(path, `pageSize=3`));
      for (const spelling of list.spellings) {
        const next = await api.body<Body>(withQuery(spelling, `pageSize=3&pageToken=${nextPageToken}`));
        expect(keys(list, next)).toEqual(expected(api).slice(3, 6));
      }
    }),
    rule(`${id}.P8`, "CHOICE", "returns the first page for an empty pageToken", async (api) => {
      expect(await api.body(withQuery(path, `pageToken=`))).toEqual(await api.body(path));
    }),
  ];
}

function tokenRules({ id, path, others }: ListRoute): Rule[] {
  const tokenOf = async (api: Api) => (await api.body<Body>(withQuery(path, "pageSize=3"))).nextPageToken as string;
  const refused = async (api: Api, url: string) => {
    expect(await api.refusal(url)).toEqual([400, expect.stringMatching(/^the page token or cursor /)]);
  };
  const changes = Object.entries(others).map(([what, other]) =>
    rule(`${id}.P9 ${what}`, "CHOICE", `refuses a page token with another ${what} with 400`, async (api) => {
      await refused(api, withQuery(other, `pageToken=${await tokenOf(api)}`));
    }),
  );
  return [
    ...changes,
    rule(
      `${id}.P10`,
      "CHOICE",
      "refuses a page token that Moraine did not issue with 400, never with 500",
      async (api) => {
        const token = await tokenOf(api);
        const flipped = token.startsWith("A") ? `B${token.slice(1)}` : `A${token.slice(1)}`;
        const uuid = "bb29d07a-2bcf-4cb4-a795-5fc6d25655d9";
        for (const odd of [
          flipped,
          token.slice(0, -1),
          `${token}AAAA`,
          uuid,
          "x",
          "%00",
          "%F0%9F%98%80",
          "null",
          "A".repeat(4_000),
        ])
          await refused(api, withQuery(path, `pageToken=${odd}`));
      },
    ),
    rule(`${id}.P11`, "CHOICE", "accepts a page token for 24 hours, then refuses it with 400", async (api) => {
      const startMs = Date.parse("2030-01-01T00:00:00Z");
      let next = "";
      await api.atTime(startMs, async () => {
        next = withQuery(path, `pageToken=${await tokenOf(api)}`);
      });
      await api.atTime(startMs + 24 * HOUR_MS - 1_000, async () => {
        expect((await api.get(next)).status).toBe(200);
      });
      await api.atTime(startMs + 24 * HOUR_MS + 2_000, () => refused(api, next));
    }),
  ];
}

/** Keys of the items of each page, from the first to the last. */
async function walked(api: Api, list: ListRoute, path: string, size: number): Promise<string[][]> {
  const pages: string[][] = [];
  for (let query = ""; ; ) {
    const page = await api.body<Body>(withQuery(path, `pageSize=${size}${query}`));
    pages.push(keys(list, page));
    if (!("nextPageToken" in page)) return pages;
    query = `&pageToken=${encodeURIComponent(String(page.nextPageToken))}`;
  }
}

function keys({ items, key }: ListRoute, body: Body): string[] {
  return (body[items] as Item[]).map(key);
}
