import { ExpectedError } from "../../core/errors/expected-error.ts";
/** The price of one whole unit of an asset at a time; all fields are texts that the table accepts. */
export interface PriceRow {
  /** The source's id of the asset. */
  readonly asset: string;
  /** One of the supported currencies, in lower case. */
  readonly currency: string;
  /** Seconds since the epoch. */
  readonly timestamp: string;
  /** Decimal number without exponent. */
  readonly value: string;
}

/** A source of prices. */
export interface PriceSource {
  /** The prices, in batches. Throws `PriceSourceFailed`. */
  batches(): AsyncIterable<readonly PriceRow[]>;
}

/** The source could not be read; the message is written for the operator. */
export class PriceSourceFailed extends ExpectedError {
  override readonly name = "PriceSourceFailed";

  constructor(
    message: string,
    /** If the source answered 429: the wait until the next request; otherwise 0. */
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}
