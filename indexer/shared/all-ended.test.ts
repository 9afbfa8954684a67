import { withResolvers } from "../../core/async/with-resolvers.ts";
import { allEnded } from "./all-ended.ts";

describe("promises that are awaited together", () => {
  it("have their results by their names", async () => {
    const later = new Promise<string>((resolve) => setImmediate(() => resolve("second")));
    expect(await allEnded({ later, now: Promise.resolve(1) })).toEqual({ later: "second", now: 1 });
  });

  it("reject with the first failure in time, when all of them have ended", async () => {
    const order: string[] = [];
    const { promise, resolve } = withResolvers();
    const parts = {
      slow: promise.then(() => order.push("slow part ended")),
      later: promise.then(() => Promise.reject(new Error("later failure"))),
      first: Promise.reject(new Error("first failure")),
    };
    const ended = allEnded(parts).catch((error: unknown) => order.push(String(error)));
    await new Promise(setImmediate);
    expect(order).toEqual([]);
    resolve();
    await ended;
    expect(order).toEqual(["slow part ended", "Error: first failure"]);
  });

  it("reject with the failure that made PostgreSQL refuse the other statements, also if it is reported later", async () => {
    const failure = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));
    const cause = new Promise(setImmediate).then(() => failure("22003"));
    await expect(allEnded({ one: failure("25P02"), cause, other: failure("25P02") })).rejects.toThrow("22003");
    await expect(allEnded({ one: failure("25P02"), other: Promise.resolve() })).rejects.toThrow("25P02");
  });
});
