import { ConnectionArgs, ForwardConnectionArgs } from "./connection-args.ts";

class Args extends ConnectionArgs({ max: 100, initial: 10 }) {}
class ForwardArgs extends ForwardConnectionArgs({ max: 100, initial: 10 }) {}

/** The range of a page. GraphQL gives `first` its default. */
function rangeOf(given: Partial<Args>, args: Args | ForwardArgs = new Args()) {
  const { size, cursor, isBackward } = Object.assign(args, { first: 10 }, given) as Args;
  return { size, cursor, isBackward };
}

describe("the arguments of a page", () => {
  it.each([
    [{}, { size: 10, cursor: null, isBackward: false }],
    [
      { first: 3, after: "a" },
      { size: 3, cursor: "a", isBackward: false },
    ],
    [
      { first: null, after: "" },
      { size: 10, cursor: null, isBackward: false },
    ],
    [
      { first: 3, last: null, before: "" },
      { size: 3, cursor: null, isBackward: false },
    ],
    [{ last: 3 }, { size: 3, cursor: null, isBackward: true }],
    [
      { last: 3, before: "b" },
      { size: 3, cursor: "b", isBackward: true },
    ],
    [
      { first: null, last: 3, after: null },
      { size: 3, cursor: null, isBackward: true },
    ],
    [{ before: "b" }, { size: 10, cursor: "b", isBackward: true }],
  ])("%j are a range", (given, expected) => {
    expect(rangeOf(given)).toEqual(expected);
  });

  it.each([
    { first: 3, last: 3 },
    { after: "a", last: 3 },
    { first: 3, before: "b" },
    { after: "a", before: "b" },
  ])("%j are refused, because they are of both directions", (given) => {
    expect(() => rangeOf(given)).toThrow("must not be given together");
  });

  it.each([{ first: 0 }, { first: 101 }, { last: 0 }, { last: -1 }, { last: 101 }])("%j are out of bounds", (given) => {
    const [size] = Object.values(given);
    expect(() => rangeOf(given)).toThrow(`the page size must be from 1 to 100, got ${size}`);
  });

  it("of a list that is read only forward have no other direction", () => {
    const { size, cursor } = rangeOf({ first: 5, after: "a" }, new ForwardArgs());
    expect([size, cursor]).toEqual([5, "a"]);
  });
});
