import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request as httpRequest } from "undici";
import { linkedController } from "../../core/async/linked-controller.ts";
import { messageOf, quoted } from "../../core/errors/errors.ts";
import { CURRENCIES, type Currency } from "../../core/networks/prices.ts";
import { isJsonText, isObject, parseJsonTexts } from "../shared/number-text.ts";
import { retryAfterMs } from "../shared/retry-after.ts";
import { type PriceRow, type PriceSource, PriceSourceFailed } from "./source.ts";
import { parsePriceValue } from "./value.ts";

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 1 << 26;
/** Asset ids per request. */
const BATCH_IDS = 100;
const ATTEMPTS = 6;
const MAX_RETRY_AFTER_MS = 3_600_000;
/** The period of the hosted API's rate limit. */
const DEFAULT_RETRY_AFTER_MS = 60_000;
/** Maximum time by which the clock of the source may be ahead of this clock. */
const CLOCK_SKEW_SECONDS = 600;

/** A client of CoinGecko's API or a compatible one. */
export interface CoinGecko extends AsyncDisposable {
  /** The current prices of assets, in all currencies. */
  current(assets: readonly string[]): PriceSource;
  /** The prices of an asset between two times, in all currencies, at the API's resolution. */
  history(asset: string, fromSeconds: number, toSeconds: number): PriceSource;
}

export interface CoinGeckoOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends every request. */
  readonly signal: AbortSignal;
  /** Called with a description of the unknown assets and invalid values of an answer, which are skipped. */
  readonly warn: (message: string) => void;
  /** Default 15 s. */
  readonly timeoutMs?: number;
  readonly nowSeconds?: () => number;
}

/** Opens no connection before the first request. Failed requests throw `PriceSourceFailed`. */
export function createCoinGecko(options: CoinGeckoOptions): CoinGecko {
  const { warn, signal, nowSeconds = () => Math.floor(Date.now() / 1_000) } = options;
  const agent = new Agent({ connections: 1, maxResponseSize: MAX_RESPONSE_BYTES });
  const get = (path: string, query: Readonly<Record<string, string>>) =>
    fetchJson(agent, options, { path, query: new URLSearchParams({ ...query, precision: "full" }) });

  async function* current(assets: readonly string[]): AsyncGenerator<readonly PriceRow[]> {
    for (let from = 0; from < assets.length; from += BATCH_IDS) {
      const ids = assets.slice(from, from + BATCH_IDS);
      const query = { ids: ids.join(","), vs_currencies: CURRENCIES.join(","), include_last_updated_at: "true" };
      const answer = await get("/simple/price", query);
      const problems = createProblems();
      const rows = currentRows({ ids, answer, nowSeconds: nowSeconds(), problems });
      for (const text of problems.texts()) warn(text);
      yield rows;
    }
  }

  async function* history(asset: string, from: number, to: number): AsyncGenerator<readonly PriceRow[]> {
    for (const currency of CURRENCIES) {
      const query = { vs_currency: currency, from: String(from), to: String(to) };
      const answer = await withRetries(signal, () =>
        get(`/coins/${encodeURIComponent(asset)}/market_chart/range`, query),
      );
      const problems = createProblems();
      const rows = historyRows(asset, currency, answer, problems);
      for (const text of problems.texts()) warn(text);
      yield rows;
    }
  }

  return {
    current: (assets) => ({ batches: () => current(assets) }),
    history: (asset, from, to) => ({ batches: () => history(asset, from, to) }),
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

/** Retries a request that the source's rate limit refused, after the time that the source gives. */
async function withRetries<Answer>(signal: AbortSignal, request: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request();
    } catch (error) {
      const retryAfterMs = error instanceof PriceSourceFailed ? error.retryAfterMs : 0;
      if (retryAfterMs === 0 || attempt === ATTEMPTS) throw error;
      await sleep(retryAfterMs, undefined, { signal });
    }
  }
}

async function fetchJson(
  dispatcher: Agent,
  { url, headers, signal, timeoutMs = TIMEOUT_MS }: CoinGeckoOptions,
  { path, query }: { readonly path: string; readonly query: URLSearchParams },
): Promise<Readonly<Record<string, unknown>>> {
  using limited = linkedController(signal);
  const timeout = new PriceSourceFailed(`the source of prices gave no answer within ${timeoutMs} ms`);
  const timer = setTimeout(() => limited.abort(timeout), timeoutMs);
  try {
    const {
      statusCode,
      headers: responseHeaders,
      body,
    } = await httpRequest(`${url.replace(/\/+$/, "")}${path}?${query}`, {
      dispatcher,
      headers: { accept: "application/json", ...headers },
      signal: limited.signal,
    });
    const text = await body.text();
    if (statusCode !== 200) throw httpFailure(statusCode, path, responseHeaders["retry-after"]);
    return parsed(text);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PriceSourceFailed) throw error;
    throw new PriceSourceFailed(`the source of prices gave no answer: ${messageOf(error)}`);
  } finally {
    clearTimeout(timer);
  }
}

function httpFailure(statusCode: number, path: string, retryAfter: string | string[] | undefined): PriceSourceFailed {
  const message = `the source of prices answered HTTP ${statusCode} to ${path}`;
  return new PriceSourceFailed(message, statusCode === 429 ? boundedRetryAfterMs(retryAfter) : 0);
}

/** The wait that the source asks for, within the limits; the default if the source gives no valid time. */
function boundedRetryAfterMs(header: string | string[] | undefined): number {
  const ms = retryAfterMs(header);
  return ms === null ? DEFAULT_RETRY_AFTER_MS : Math.min(MAX_RETRY_AFTER_MS, Math.max(1, ms));
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  let answer: unknown = null;
  try {
    answer = parseJsonTexts(text);
  } catch {}
  if (isObject(answer)) return answer;
  throw new PriceSourceFailed(`the source of prices gave an answer that is not a JSON object: ${quoted(text)}`);
}

/** Problems of an answer, summarised to one line per kind. */
interface Problems {
  add(kind: string, what: string): void;
  texts(): string[];
}

function createProblems(): Problems {
  const kinds = new Map<string, string[]>();
  return {
    add(kind, what) {
      const all = kinds.get(kind) ?? [];
      all.push(what);
      kinds.set(kind, all);
    },
    texts: () => [...kinds].map(([kind, all]) => `the source of prices ${kind}: ${summary(all)}`),
  };
}

function summary(all: readonly string[]): string {
  return all.length > 3 ? `${all.slice(0, 3).join("; ")} and ${all.length - 3} more` : all.join("; ");
}

interface CurrentAnswer {
  readonly ids: readonly string[];
  readonly answer: Readonly<Record<string, unknown>>;
  readonly nowSeconds: number;
  readonly problems: Problems;
}

function currentRows({ ids, answer, nowSeconds, problems }: CurrentAnswer): PriceRow[] {
  return ids.flatMap((asset) => {
    const found = Object.hasOwn(answer, asset) ? answer[asset] : undefined;
    if (!isObject(found)) {
      problems.add("does not know", asset);
      return [];
    }
    const timestamp = updatedAt(found["last_updated_at"], nowSeconds);
    if (timestamp === null) {
      problems.add("gave an invalid time for", `${asset}: ${textOf(found["last_updated_at"])}`);
      return [];
    }
    return CURRENCIES.flatMap((currency) => rowOf({ asset, currency, timestamp }, found[currency], problems));
  });
}

/** Seconds since the epoch as text: the current time if absent, null if invalid or too far in the future. */
function updatedAt(found: unknown, nowSeconds: number): string | null {
  if (found === undefined || found === null) return String(nowSeconds);
  const isTime = isJsonText(found) && found.isNumber && /^\d{1,12}$/.test(found.text);
  return isTime && Number(found.text) <= nowSeconds + CLOCK_SKEW_SECONDS ? found.text : null;
}

function historyRows(
  asset: string,
  currency: Currency,
  { prices }: Readonly<Record<string, unknown>>,
  problems: Problems,
): PriceRow[] {
  if (!Array.isArray(prices))
    throw new PriceSourceFailed(`the source of prices answered without prices of ${quoted(asset)}`);
  return prices.flatMap((point: unknown) => {
    const [time, value] = Array.isArray(point) ? (point as unknown[]) : [];
    const isTime = isJsonText(time) && time.isNumber && /^\d{1,15}$/.test(time.text);
    if (isTime) return rowOf({ asset, currency, timestamp: secondsOf(time.text) }, value, problems);
    problems.add("gave an invalid time for", `${asset} ${currency}: ${textOf(time)}`);
    return [];
  });
}

const secondsOf = (milliseconds: string): string => String(Math.floor(Number(milliseconds) / 1_000));

/** One row, or none if the price is absent or invalid; adds an invalid one to the problems. */
function rowOf(key: Omit<PriceRow, "value">, found: unknown, problems: Problems): PriceRow[] {
  if (found === undefined || found === null) return [];
  const value = isJsonText(found) && found.isNumber ? parsePriceValue(found.text) : null;
  if (value !== null) return [{ ...key, value }];
  problems.add("gave an invalid price for", `${key.asset} ${key.currency}: ${textOf(found)}`);
  return [];
}

const textOf = (found: unknown): string => quoted(isJsonText(found) ? found.text : found);
