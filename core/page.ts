import "reflect-metadata";
import { createHmac, timingSafeEqual } from "node:crypto";
import { ArgsType, Field, Int } from "type-graphql";
import { Failure, quoted } from "./errors.ts";

/** Time in which a page token is valid. */
export const PAGE_TOKEN_SECONDS = 86_400;
const MAC_BYTES = 16;

/** Base class with the page arguments of a list. `max` is the largest page size, `initial` the default. */
export function PageArgs({ max, initial }: { readonly max: number; readonly initial: number }) {
  @ArgsType()
  abstract class Page {
    @Field(() => String, {
      nullable: true,
      description:
        "`nextPageToken` of the previous page. Absent or empty for the first page. Valid for 24 hours, and only with the same arguments apart from `pageSize`.",
    })
    pageToken?: string | null;

    @Field(() => Int, {
      nullable: true,
      // The gateway uses it to compute the cost of operations.
      defaultValue: initial,
      description: `Maximum number of items, from 1 to ${max}. Default: ${initial}.`,
    })
    pageSize?: number | null;

    /** The page size. Throws `INVALID_PARAMETER` if it is out of bounds. */
    get size(): number {
      const size = this.pageSize ?? initial;
      if (size < 1 || size > max)
        throw new Failure("INVALID_PARAMETER", `pageSize must be from 1 to ${max}, got ${size}`);
      return size;
    }
  }
  return Page;
}

/** Position in a list after which a page starts: the values of the last returned item in the columns of the order. */
export type Position = readonly string[];

/** Signs and reads page tokens. A token is valid for one list with the same parameters, for 24 hours. */
export interface PageTokens {
  /** Returns the token of the page after `position`. */
  sign(list: string, parameters: readonly unknown[], position: Position): string;
  /** Returns the position in a token; null without a token. Throws `INVALID_PARAMETER` if the token is invalid or expired. */
  read(list: string, parameters: readonly unknown[], token: string | null | undefined): Position | null;
}

/** `nowSeconds` is the clock for the expiry of tokens. */
export function createPageTokens(secret: Buffer, nowSeconds: () => number): PageTokens {
  const macOf = (payload: string, list: string, parameters: readonly unknown[]) =>
    createHmac("sha256", secret)
      .update(JSON.stringify([payload, list, parameters]))
      .digest()
      .subarray(0, MAC_BYTES);
  return {
    sign(list, parameters, position) {
      const payload = [nowSeconds().toString(36), ...position].join(".");
      return Buffer.concat([macOf(payload, list, parameters), Buffer.from(payload)]).toString("base64url");
    },
    read(list, parameters, token) {
      if (!token) return null;
      const bytes = Buffer.from(token, "base64url");
      const payload = bytes.subarray(MAC_BYTES).toString();
      const mac = bytes.subarray(0, MAC_BYTES);
      const isCanonical = bytes.toString("base64url") === token;
      if (!isCanonical || mac.length !== MAC_BYTES || !timingSafeEqual(mac, macOf(payload, list, parameters)))
        throw new Failure(
          "INVALID_PARAMETER",
          `pageToken must be the nextPageToken of a page with the same parameters, got ${quoted(token)}`,
        );
      const [signedAt = "", ...position] = payload.split(".");
      if (nowSeconds() - Number.parseInt(signedAt, 36) > PAGE_TOKEN_SECONDS)
        throw new Failure("INVALID_PARAMETER", "pageToken has expired after 24 hours: start again from the first page");
      return position;
    },
  };
}

/** Makes a page of rows that were read with a limit of `size + 1`. The token is null if no row follows the page. */
export function pageOf<Row>(
  rows: Row[],
  size: number,
  tokenAfter: (last: Row) => string,
): { items: Row[]; nextPageToken: string | null } {
  if (rows.length <= size) return { items: rows, nextPageToken: null };
  const items = rows.slice(0, size);
  return { items, nextPageToken: tokenAfter(items[size - 1] as Row) };
}
