import { CHAIN_ID, type Subject } from "./database.ts";
import { ms, percentile } from "./figures.ts";
import { createTarget, get, inTurns, type Load, type Target } from "./load.ts";
import { startServer } from "./start-server.ts";
import { SELF_SENDER } from "./synthetic/filling.ts";
import type { Line } from "./table.ts";

const PAGE_SIZE = 10;
const PAGES = 10_000;
/** The last of these pages are measured, in turns. */
const MEASURED_PAGES = 1_000;
/** Requests for the first page, and as many for the last pages, after those of the warm-up. */
const REQUESTS = 5_000;
const WARM_UP = 1_000;

/** Lists with at least as many rows as the pages have. */
const LISTS = {
  "E9, a wallet with 100,000 transfers": `/v1/chains/${CHAIN_ID}/addresses/${SELF_SENDER}/transactions:listErc20`,
  "E14, 500,000 blocks": `/v1/chains/${CHAIN_ID}/blocks`,
};

export interface PageTimes {
  readonly name: string;
  /** Times of requests in milliseconds. */
  readonly first: readonly number[];
  readonly last: readonly number[];
}

/** Reads lists page by page up to page 10,000, and measures requests for the first page and for the last pages in turns. */
export async function measurePages(url: string, { evmChains }: Subject): Promise<PageTimes[]> {
  await using server = await startServer({ kind: "moraine", url, evmChains });
  await using target = createTarget(server.url);
  const measured: PageTimes[] = [];
  for (const [name, path] of Object.entries(LISTS)) measured.push({ name, ...(await measureList(target, path)) });
  return measured;
}

async function measureList(target: Target, path: string): Promise<Omit<PageTimes, "name">> {
  const firstPage = get(`${path}?pageSize=${PAGE_SIZE}`);
  const lastPages = (await tokensOf(target, path)).map((token) => get(`${firstPage.path}&pageToken=${token}`));
  const first: number[] = [];
  const last: number[] = [];
  const measure = async (page: Load, times: number[]): Promise<void> => {
    const startedAt = performance.now();
    await target.ask(page);
    times.push(performance.now() - startedAt);
  };
  const next = inTurns(lastPages);
  // The order changes each time: otherwise, garbage collections could always meet the requests for the same page.
  for (let sent = 0; sent < WARM_UP + REQUESTS; sent += 2) {
    await measure(firstPage, first);
    await measure(next(), last);
    await measure(next(), last);
    await measure(firstPage, first);
  }
  return { first: first.slice(WARM_UP), last: last.slice(WARM_UP) };
}

/** The tokens of the last pages. Throws if the list has fewer pages. */
async function tokensOf(target: Target, path: string): Promise<string[]> {
  const tokens: string[] = [];
  let token = "";
  for (let page = 2; page <= PAGES; page++) {
    const { nextPageToken } = JSON.parse(
      await target.ask(get(`${path}?pageSize=${PAGE_SIZE}${token && `&pageToken=${token}`}`)),
    ) as { nextPageToken?: string };
    if (!nextPageToken) throw new Error(`${path} has only ${page - 1} pages`);
    token = nextPageToken;
    if (page > PAGES - MEASURED_PAGES) tokens.push(token);
  }
  return tokens;
}

/** A ratio above 1: the last pages take longer than the first one. */
export function pageLines(measured: readonly PageTimes[]): Line[] {
  const header = [
    `page ${PAGES.toLocaleString("en")} against page 1`,
    "",
    "p50 first",
    "p50 last",
    "ratio",
    "p99 first",
    "p99 last",
    "ratio",
  ];
  const rows = measured.map(({ name, first, last }) => [
    name,
    "",
    ...[0.5, 0.99].flatMap((share) => {
      const [ofFirst, ofLast] = [percentile(first, share), percentile(last, share)];
      return [ms(ofFirst), ms(ofLast), (ofLast / ofFirst).toFixed(2)];
    }),
  ]);
  return [header, ...rows];
}
