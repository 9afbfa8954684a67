import "reflect-metadata";
import { createHmac, timingSafeEqual } from "node:crypto";
import { ArgsType, Field, Int } from "type-graphql";
import { Failure, quoted } from "./errors.ts";

const DAY_SECONDS = 86_400;
const MAC_BYTES = 16;

/** The page arguments of a list; `check` refuses a size outside 1 to `max`. */
export function PageArgs({ max, initial }: { readonly max: number; readonly initial: number }) {
  @ArgsType()
  abstract class Page {
    @Field(() => String, {
      nullable: true,
      description: "`nextPageToken` of the page before; absent or empty: the first page.",
    })
    pageToken?: string | null;

    @Field(() => Int, {
      nullable: true,
      // The gateway weighs operations by it.
      defaultValue: initial,
      description: `Most items of the page, from 1 to ${max}. Default ${initial}.`,
    })
    pageSize?: number | null;

    /** Size of the page; throws `INVALID_PARAMETER` when it is out of bounds. */
    get size(): number {
      const size = this.pageSize ?? initial;
      if (size < 1 || size > max)
        throw new Failure("INVALID_PARAMETER", `pageSize must be from 1 to ${max}, got ${size}`);
      return size;
    }
  }
  return Page;
}

/** Where a list goes on: the key of the last item given out, in the order of the list. */
export type Position = readonly string[];

/** Makes and reads page tokens. A token is bound to the list and its parameters, and lives 24 hours. */
export interface PageTokens {
  /** Token of the page after `position`. */
  sign(list: string, parameters: readonly unknown[], position: Position): string;
  /** Position that a token stands for; null without a token. Throws `INVALID_PARAMETER` for any other than ours. */
  read(list: string, parameters: readonly unknown[], token: string | null | undefined): Position | null;
}

/** `nowSeconds` is the clock that tokens age by. */
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
      const [madeAt = "", ...position] = payload.split(".");
      if (nowSeconds() - Number.parseInt(madeAt, 36) > DAY_SECONDS)
        throw new Failure(
          "INVALID_PARAMETER",
          "pageToken is valid for 24 hours and has expired: start again from the first page",
        );
      return position;
    },
  };
}

/** Cuts rows, of which one more than `size` was asked, to a page; the token leads on from its last row when there is more. */
export function pageOf<Row>(
  rows: Row[],
  size: number,
  tokenAfter: (last: Row) => string,
): { items: Row[]; nextPageToken: string | null } {
  if (rows.length <= size) return { items: rows, nextPageToken: null };
  const items = rows.slice(0, size);
  return { items, nextPageToken: tokenAfter(items[size - 1] as Row) };
}
