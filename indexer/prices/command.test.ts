import { historyRange } from "./command.ts";

describe("the options of moraine prices history", () => {
  it.each([
    [
      { asset: "a", from: "yesterday" },
      '--from must be seconds since the epoch or a date such as 2026-01-31, got "yesterday"',
    ],
    [{ asset: "a", from: "" }, '--from must be seconds since the epoch or a date such as 2026-01-31, got ""'],
    [{ asset: "a", from: "5", to: "5" }, "--from must be before --to, got 5 and 5"],
  ])("%j are refused with a message that names the mistake", (values, message) => {
    expect(() => historyRange(values)).toThrow(message);
  });

  it("take times as seconds or dates", () => {
    expect(historyRange({ asset: "coin", from: "1970-01-02", to: "86401" })).toEqual({
      asset: "coin",
      from: 86_400,
      to: 86_401,
    });
  });
});
