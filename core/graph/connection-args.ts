import "reflect-metadata";
import { ArgsType, Field, Int } from "type-graphql";
import { Failure } from "../errors/errors.ts";

/** Which part of a list a page is. */
export interface PageRange {
  /** Maximum number of items. */
  readonly size: number;
  /** The item beside the page. Absent or empty: the page is at the beginning of the list; backward, at its end. */
  readonly cursor?: string | null;
  /** True for the items before the cursor. Default: false. */
  readonly isBackward?: boolean;
}

/** Sizes of pages: the largest, and the default. */
interface PageSizes {
  readonly max: number;
  readonly initial: number;
}

/** Base class with the arguments of a list that is read only from its beginning to its end. It is a `PageRange`. */
export function ForwardConnectionArgs({ max, initial }: PageSizes) {
  @ArgsType()
  abstract class ForwardPage {
    @Field(() => Int, {
      nullable: true,
      // The gateway uses it to compute the cost of operations.
      defaultValue: initial,
      description: `Maximum number of items, from 1 to ${max}. Default: ${initial}.`,
    })
    first?: number | null;

    @Field(() => String, {
      nullable: true,
      description:
        "Cursor that the page follows, such as `pageInfo.endCursor` of the page before. Absent or empty for the beginning of the list.",
    })
    after?: string | null;

    /** Throws `INVALID_PARAMETER` if it is out of bounds. */
    get size(): number {
      return checkedSize(PAGE_SIZE, this.first ?? initial, max);
    }

    get cursor(): string | null {
      return this.after || null;
    }
  }
  return ForwardPage;
}

/** Base class with the arguments of a list that is read in both directions. It is a `PageRange`. */
export function ConnectionArgs({ max, initial }: PageSizes) {
  @ArgsType()
  abstract class ConnectionPage extends ForwardConnectionArgs({ max, initial }) {
    @Field(() => Int, {
      nullable: true,
      description: `Maximum number of items, from 1 to ${max}, of a page that is read backward: the last items before \`before\`, in the order of the list. Not together with \`first\` or \`after\`.`,
    })
    last?: number | null;

    @Field(() => String, {
      nullable: true,
      description:
        "Cursor that follows the page, such as `pageInfo.startCursor` of the page after it. Absent or empty for the end of the list.",
    })
    before?: string | null;

    /** Throws `INVALID_PARAMETER` if it is out of bounds, or if arguments of both directions are given. */
    override get size(): number {
      if (!this.isBackward) return super.size;
      // `first` has its default if it is absent.
      const isForward = this.after || (typeof this.first === "number" && this.first !== initial);
      if (isForward)
        throw new Failure(
          "INVALID_PARAMETER",
          "first and after (forward) must not be given together with last or before (backward)",
        );
      return checkedSize(PAGE_SIZE, this.last ?? initial, max);
    }

    override get cursor(): string | null {
      return (this.isBackward ? this.before : this.after) || null;
    }

    get isBackward(): boolean {
      return typeof this.last === "number" || Boolean(this.before);
    }
  }
  return ConnectionPage;
}

/** `first`, `last`, and the parameter `pageSize` of REST. */
const PAGE_SIZE = "the page size";

/** A number of items. Throws `INVALID_PARAMETER`, with the name of its argument, unless it is from 1 to `max`. */
export function checkedSize(name: string, size: number, max: number): number {
  if (size < 1 || size > max) throw new Failure("INVALID_PARAMETER", `${name} must be from 1 to ${max}, got ${size}`);
  return size;
}
