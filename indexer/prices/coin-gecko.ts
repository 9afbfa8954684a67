import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { messageOf, quoted } from "../../core/errors.ts";
import { CURRENCIES, type Currency } from "../../core/prices.ts";
import { linkedController } from "../shared/node/linked-controller.ts";
import { isJsonText, isObject, parseJsonTexts } from "../shared/number-text.ts";
import { type PriceRow, type PriceSource, PriceSourceFailed } from "./source.ts";
import { parsePriceValue } from "./value.ts";

const TIMEOUT_MS = 15_000;
const MOST_BYTES = 1 << 26;
/** Ids in one question. */
const BATCH_IDS = 100;
const ATTEMPTS = 6;
const LONGEST_RETRY_AFTER_MS = 3_600_000;
/** As long as the hosted API counts requests over. */
const USUAL_RETRY_AFTER_MS = 60_000;
/** How far ahead of this clock another's may be. */
const CLOCK_SKEW_SECONDS = 600;

/** An API that speaks as CoinGecko's does. */
export interface CoinGecko extends AsyncDisposable {
  /** The current prices of assets in all currencies. */
  current(assets: readonly string[]): PriceSource;
  /** The prices of an asset in all currencies from one second to another, as dense as the API gives them. */
  history(asset: string, fromSeconds: number, toSeconds: number): PriceSource;
}

export interface CoinGeckoOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends every question. */
  readonly signal: AbortSignal;
  /** Told what was in an answer and is no price; such is passed over. */
  readonly odd: (message: string) => void;
  /** Default 15 s. */
  readonly timeoutMs?: number;
  readonly nowSeconds?: () => number;
}

/** Opens nothing before the first question. A question that fails throws a `PriceSourceFailed`. */
export function createCoinGecko(options: CoinGeckoOptions): CoinGecko {
  const { odd, signal, nowSeconds = () => Math.floor(Date.now() / 1_000) } = options;
  const agent = new Agent({ connections: 1, maxResponseSize: MOST_BYTES });
  const get = (path: string, query: Readonly<Record<string, string>>) =>
    answerTo(agent, options, { path, query: new URLSearchParams({ ...query, precision: "full" }) });

  async function* current(assets: readonly string[]): AsyncGenerator<readonly PriceRow[]> {
    for (let from = 0; from < assets.length; from += BATCH_IDS) {
      const ids = assets.slice(from, from + BATCH_IDS);
      const query = { ids: ids.join(","), vs_currencies: CURRENCIES.join(","), include_last_updated_at: "true" };
      const answer = await get("/simple/price", query);
      const read = { ids, answer, nowSeconds: nowSeconds(), notes: createNotes() };
      const rows = currentRows(read);
      for (const note of read.notes.texts()) odd(note);
      yield rows;
    }
  }

  async function* history(asset: string, from: number, to: number): AsyncGenerator<readonly PriceRow[]> {
    for (const currency of CURRENCIES) {
      const query = { vs_currency: currency, from: String(from), to: String(to) };
      const answer = await patiently(signal, () =>
        get(`/coins/${encodeURIComponent(asset)}/market_chart/range`, query),
      );
      const notes = createNotes();
      const rows = historyRows(asset, currency, answer, notes);
      for (const note of notes.texts()) odd(note);
      yield rows;
    }
  }

  return {
    current: (assets) => ({ batches: () => current(assets) }),
    history: (asset, from, to) => ({ batches: () => history(asset, from, to) }),
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

/** Asks again, after the time that it wants, a source that is asked too often. */
async function patiently<Answer>(signal: AbortSignal, ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      const retryAfterMs = error instanceof PriceSourceFailed ? error.retryAfterMs : 0;
      if (retryAfterMs === 0 || attempt === ATTEMPTS) throw error;
      await sleep(retryAfterMs, undefined, { signal });
    }
  }
}

async function answerTo(
  dispatcher: Agent,
  { url, headers, signal, timeoutMs = TIMEOUT_MS }: CoinGeckoOptions,
  { path, query }: { readonly path: string; readonly query: URLSearchParams },
): Promise<Readonly<Record<string, unknown>>> {
  using limited = linkedController(signal);
  const late = new PriceSourceFailed(`the source of prices gave no answer within ${timeoutMs} ms`);
  const timer = setTimeout(() => limited.abort(late), timeoutMs);
  try {
    const {
      statusCode,
      headers: answered,
      body,
    } = await request(`${url.replace(/\/+$/, "")}${path}?${query}`, {
      dispatcher,
      headers: { accept: "application/json", ...headers },
      signal: limited.signal,
    });
    const text = await body.text();
    if (statusCode !== 200) throw refused(statusCode, path, answered["retry-after"]);
    return parsed(text);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PriceSourceFailed) throw error;
    throw new PriceSourceFailed(`the source of prices gave no answer: ${messageOf(error)}`);
  } finally {
    clearTimeout(timer);
  }
}

function refused(statusCode: number, path: string, retryAfter: string | string[] | undefined): PriceSourceFailed {
  const message = `the source of prices answered HTTP ${statusCode} to ${path}`;
  return new PriceSourceFailed(message, statusCode === 429 ? retryAfterMs(retryAfter) : 0);
}

/** Of seconds or of an HTTP date. */
function retryAfterMs(header: string | string[] | undefined): number {
  const seconds = Number(header ?? Number.NaN);
  const ms = Number.isNaN(seconds) ? Date.parse(String(header)) - Date.now() : seconds * 1_000;
  return Number.isNaN(ms) ? USUAL_RETRY_AFTER_MS : Math.min(LONGEST_RETRY_AFTER_MS, Math.max(1, ms));
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  let answer: unknown = null;
  try {
    answer = parseJsonTexts(text);
  } catch {}
  if (isObject(answer)) return answer;
  throw new PriceSourceFailed(`the source of prices answered something that is no JSON object: ${quoted(text)}`);
}

/** What is to be told of an answer, in few lines however much it is. */
interface Notes {
  add(kind: string, what: string): void;
  texts(): string[];
}

function createNotes(): Notes {
  const kinds = new Map<string, string[]>();
  return {
    add(kind, what) {
      const all = kinds.get(kind) ?? [];
      all.push(what);
      kinds.set(kind, all);
    },
    texts: () => [...kinds].map(([kind, all]) => `the source of prices ${kind}: ${listed(all)}`),
  };
}

function listed(all: readonly string[]): string {
  return all.length > 3 ? `${all.slice(0, 3).join("; ")} and ${all.length - 3} more` : all.join("; ");
}

interface Read {
  readonly ids: readonly string[];
  readonly answer: Readonly<Record<string, unknown>>;
  readonly nowSeconds: number;
  readonly notes: Notes;
}

function currentRows({ ids, answer, nowSeconds, notes }: Read): PriceRow[] {
  return ids.flatMap((asset) => {
    const found = Object.hasOwn(answer, asset) ? answer[asset] : undefined;
    if (!isObject(found)) {
      notes.add("does not know", asset);
      return [];
    }
    const timestamp = updatedAt(found["last_updated_at"], nowSeconds);
    if (timestamp === null) {
      notes.add("gave a time that is none", `${asset} ${shown(found["last_updated_at"])}`);
      return [];
    }
    return CURRENCIES.flatMap((currency) => rowOf({ asset, currency, timestamp }, found[currency], notes));
  });
}

/** Null for what is no time of a price that is current. */
function updatedAt(found: unknown, nowSeconds: number): string | null {
  if (found === undefined || found === null) return String(nowSeconds);
  const isTime = isJsonText(found) && found.isNumber && /^\d{1,12}$/.test(found.text);
  return isTime && Number(found.text) <= nowSeconds + CLOCK_SKEW_SECONDS ? found.text : null;
}

function historyRows(
  asset: string,
  currency: Currency,
  { prices }: Readonly<Record<string, unknown>>,
  notes: Notes,
): PriceRow[] {
  if (!Array.isArray(prices))
    throw new PriceSourceFailed(`the source of prices answered without prices of ${quoted(asset)}`);
  return prices.flatMap((point: unknown) => {
    const [time, value] = Array.isArray(point) ? (point as unknown[]) : [];
    const isTime = isJsonText(time) && time.isNumber && /^\d{1,15}$/.test(time.text);
    if (isTime) return rowOf({ asset, currency, timestamp: secondsOf(time.text) }, value, notes);
    notes.add("gave a time that is none", `${asset} ${currency} ${shown(time)}`);
    return [];
  });
}

const secondsOf = (milliseconds: string): string => String(Math.floor(Number(milliseconds) / 1_000));

/** One row, or none where the price is absent; what is there and no price is noted. */
function rowOf(key: Omit<PriceRow, "value">, found: unknown, notes: Notes): PriceRow[] {
  if (found === undefined || found === null) return [];
  const value = isJsonText(found) && found.isNumber ? parsePriceValue(found.text) : null;
  if (value !== null) return [{ ...key, value }];
  notes.add("gave a price that is none", `${key.asset} ${key.currency} ${shown(found)}`);
  return [];
}

const shown = (found: unknown): string => quoted(isJsonText(found) ? found.text : found);
