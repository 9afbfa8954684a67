import { configSchema } from "../../core/config/config-schema.ts";
import { percentile } from "./figures.ts";
import {
  createTarget,
  type Load,
  type NextLoad,
  nextPageTokenIn,
  type Requests,
  type Target,
  timesInTurns,
} from "./load.ts";
import { startServer } from "./start-server.ts";
import type { Line } from "./table.ts";

/** With fewer requests, a few garbage collections would decide the 99th percentile. */
const REQUESTS: Requests = { warmUp: 1_000, measured: 3_000 };
/** Lists that are read to get the page tokens of later pages. */
const LISTS = 10;

/** Rows that are a small or a large part of the database. */
export interface Sized {
  /** Makes random numbers from 0 to 1, always the same ones. */
  readonly random: () => number;
}

/** Functions by name that return a function which makes requests with random parameters. */
export type Questions<Subject> = Readonly<
  Record<string, (subject: Subject, target: Target) => NextLoad | Promise<NextLoad>>
>;

/** Times of the requests of a list, in milliseconds, for each size. */
export interface SizeTimes {
  readonly name: string;
  readonly p50: readonly number[];
  readonly p99: readonly number[];
}

/** A list, whose requests are made of a page token and a page size. */
export interface List {
  request(pageToken: string, pageSize: number): Load;
  /** Size of the measured pages. */
  readonly pageSize: number;
  /** Size of the pages that are read to get their tokens. */
  readonly readPageSize: number;
}

/** The entry of a synthetic chain in the configuration. Its node is never asked. */
export const syntheticChain = (chainId: number): object => ({
  chainId,
  network: "fuji",
  nodeUrl: "http://127.0.0.1:1",
  chainName: "Synthetic",
});

/** Reads up to `pages` pages of lists, and then requests pages that begin after any of these. */
export function laterPages<Subject extends Sized>(
  pages: number,
  listOf: (subject: Subject) => List,
): Questions<Subject>[string] {
  return async (subject, target) => {
    const requests: Load[] = [];
    for (let read = 0; read < LISTS; read++) {
      const list = listOf(subject);
      for (let page = 0, token: string | undefined = ""; token !== undefined && page < pages; page++) {
        token = nextPageTokenIn(await target.ask(list.request(token, list.readPageSize)));
        if (token !== undefined) requests.push(list.request(token, list.pageSize));
      }
    }
    if (requests.length === 0) throw new Error(`a list has only one page: ${listOf(subject).request("", 1).body}`);
    return () => requests[Math.floor(subject.random() * requests.length)] as Load;
  };
}

/** Sends each question to a server for all sizes in turns. */
export async function measureBySize<Subject>(
  url: string,
  settings: { readonly evmChains: readonly object[]; readonly primaryNetworks?: readonly object[] },
  subjects: readonly Subject[],
  questions: Questions<Subject>,
): Promise<SizeTimes[]> {
  const { evmChains } = configSchema.parse({ evmChains: settings.evmChains });
  const { primaryNetworks = [] } = settings;
  await using server = await startServer({ kind: "moraine", url, evmChains, primaryNetworks });
  await using target = createTarget(server.url);
  const times: SizeTimes[] = [];
  for (const [name, question] of Object.entries(questions)) {
    const kinds: NextLoad[] = [];
    for (const subject of subjects) kinds.push(await question(subject, target));
    const measured = await timesInTurns(target, kinds, REQUESTS);
    times.push({
      name,
      p50: measured.map((one) => percentile(one, 0.5)),
      p99: measured.map((one) => percentile(one, 0.99)),
    });
  }
  return times;
}

/** A linear congruential generator (Numerical Recipes). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** A table of the times. A ratio above 1: the large part takes longer than the small one. */
export function timesBySizeLines(title: string, rows: readonly number[], times: readonly SizeTimes[]): Line[] {
  const sizes = rows.map((size) => size.toLocaleString("en"));
  const ratio = ([small = Number.NaN, large = Number.NaN]: readonly number[]): string => (large / small).toFixed(2);
  const figures = (one: readonly number[]) => [...one.map((ms) => ms.toFixed(1)), ratio(one)];
  return [
    [title, "", ...["p50", "p99"].flatMap((name) => [...sizes.map((size) => `${name} ms, ${size}`), "ratio"])],
    ...times.map(({ name, p50, p99 }) => [name, "", ...figures(p50), ...figures(p99)]),
  ];
}
