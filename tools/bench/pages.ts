import { CHAIN_ID, type Subject } from "./database.ts";
import { ms, percentile } from "./figures.ts";
import {
  createTarget,
  get,
  inTurns,
  type Load,
  nextPageTokenIn,
  type Requests,
  type Target,
  timesInTurns,
} from "./load.ts";
import { startServer } from "./start-server.ts";
import { SELF_SENDER } from "./synthetic/filling.ts";
import type { Line } from "./table.ts";

const PAGE_SIZE = 10;
const PAGES = 10_000;
/** The last of these pages are measured, in turns. */
const MEASURED_PAGES = 1_000;
/** For the first page, and as many for the last pages. */
const REQUESTS: Requests = { warmUp: 1_000, measured: 5_000 };

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
  const firstPage = `${path}?pageSize=${PAGE_SIZE}`;
  const lastPages = await lastPagesOf(target, firstPage);
  const [first = [], last = []] = await timesInTurns(target, [() => get(firstPage), inTurns(lastPages)], REQUESTS);
  return { first, last };
}

/** The requests for the last pages. Throws if the list has fewer pages. */
async function lastPagesOf(target: Target, firstPage: string): Promise<Load[]> {
  const pages: Load[] = [];
  let page = get(firstPage);
  for (let number = 2; number <= PAGES; number++) {
    const token = nextPageTokenIn(await target.ask(page));
    if (token === undefined) throw new Error(`${firstPage} has only ${number - 1} pages`);
    page = get(`${firstPage}&pageToken=${token}`);
    if (number > PAGES - MEASURED_PAGES) pages.push(page);
  }
  return pages;
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
