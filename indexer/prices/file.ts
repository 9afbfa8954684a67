import { extname } from "node:path";
import { quoted } from "../../core/errors/errors.ts";
import { readCsv } from "./csv-file.ts";
import { readJson } from "./json-file.ts";
import { type PriceRow, type PriceSource, PriceSourceFailed } from "./source.ts";

const BATCH_ROWS = 5_000;

/**
 * A file of prices: CSV with a header, or JSON with an array of objects, as the extension says. Throws `PriceSourceFailed`
 * for another extension; its batches throw it for the first wrong line or item.
 */
export function createFileSource(path: string): PriceSource {
  const extension = extname(path).toLowerCase();
  if (extension === ".csv") return { batches: () => inBatches(readCsv(path)) };
  if (extension === ".json") return { batches: () => inBatches(readJson(path)) };
  throw new PriceSourceFailed(`a file of prices must be named .csv or .json, got ${quoted(path)}`);
}

async function* inBatches(rows: AsyncIterable<PriceRow>): AsyncGenerator<readonly PriceRow[]> {
  let batch: PriceRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
