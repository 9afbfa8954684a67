/** What one unit of an asset cost at a time; all is text that the table takes as it is. */
export interface PriceRow {
  /** Id at the source. */
  readonly asset: string;
  /** One of the fourteen, lower case. */
  readonly currency: string;
  /** Seconds since the epoch. */
  readonly timestamp: string;
  /** Decimal text without exponent. */
  readonly value: string;
}

/** Where prices come from. */
export interface PriceSource {
  /** Throws what a person can read when the source cannot give what it is there for. */
  batches(): AsyncIterable<readonly PriceRow[]>;
}

/** A source that could not be read. */
export class PriceSourceFailed extends Error {
  override readonly name = "PriceSourceFailed";

  constructor(
    message: string,
    /** How long it asked to be left alone; 0 when it did not. */
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}
