import { testConfig } from "../../test/support/config.ts";
import { parseCommand } from "./command.ts";

const parse = (args: readonly string[], prices: object = {}) => parseCommand(args, () => testConfig({ prices }).prices);

describe("the arguments of npm run prices", () => {
  it.each([
    [[], /^npm run prices -- import/],
    [["import"], /^npm run prices -- import/],
    [["import", "a.csv", "b.csv"], /^npm run prices -- import/],
    [["export", "a.csv"], /^npm run prices -- import/],
    [["import", "a.csv", "--asset", "a"], /^Unknown option '--asset'[\s\S]*usage:\nnpm run prices -- import/],
    [["history", "--until", "5"], /^Unknown option '--until'[\s\S]*usage:\nnpm run prices -- import/],
    [["history", "--asset"], /argument missing[\s\S]*usage:\nnpm run prices -- import/],
    [["import", "a.xls"], /^a file of prices must be named \.csv or \.json, got "a\.xls"$/],
    [["history", "--asset", "a", "--from", "1"], /^setting prices\.url is missing/],
  ])("%j are refused with a message that names the mistake", (args, message) => {
    expect(() => parse(args)).toThrow(message);
  });

  it.each([
    [["--from", "1"], "--asset must be an id of the API at prices.url"],
    [["--asset", "a"], '--from must be seconds since the epoch or a date such as 2026-01-31, got ""'],
    [["--asset", "a", "--from", "yesterday"], "--from must be seconds since the epoch"],
    [["--asset", "a", "--from", "5", "--to", "5"], "--from must be before --to, got 5 and 5"],
  ])("history %j are refused", (args, message) => {
    expect(() => parse(["history", ...args], { url: "http://127.0.0.1:1" })).toThrow(message);
  });

  it("history takes times as seconds or dates", () => {
    const args = ["history", "--asset", "coin", "--from", "1970-01-02", "--to", "86401"];
    expect(parse(args, { url: "http://127.0.0.1:1" })).toEqual({
      history: { asset: "coin", from: 86_400, to: 86_401 },
    });
  });
});
