import { Failure } from "../../../core/errors/errors.ts";
import { createAnswerCache } from "./answer-cache.ts";

const KEEPING = { freshMs: 100, refusedMs: 20, failedMs: 10 };

function counted(outcomes: readonly (string | Error)[]) {
  let asked = 0;
  const ask = async () => {
    const outcome = outcomes[asked++];
    if (typeof outcome === "string") return outcome;
    throw outcome;
  };
  return { ask, asked: () => asked };
}

describe("cached answers", () => {
  it("are requested once for concurrent callers, and again when they are old", async () => {
    const clock = { ms: 0 };
    const answers = createAnswerCache(() => clock.ms);
    const { ask, asked } = counted(["a", "b"]);
    const many = Array.from({ length: 20 }, () => answers.of("key", KEEPING, ask));
    expect(new Set(await Promise.all(many))).toEqual(new Set(["a"]));
    clock.ms = 99;
    expect(await answers.of("key", KEEPING, ask)).toBe("a");
    expect(asked()).toBe(1);
    clock.ms = 100;
    expect(await answers.of("key", KEEPING, ask)).toBe("b");
  });

  it("are kept for a time that depends on the answer", async () => {
    const clock = { ms: 0 };
    const answers = createAnswerCache(() => clock.ms);
    const { ask, asked } = counted(["no", "yes"]);
    const keeping = { failedMs: 1, freshMs: (value: string) => (value === "yes" ? Number.POSITIVE_INFINITY : 5) };
    expect(await answers.of("key", keeping, ask)).toBe("no");
    clock.ms = 5;
    expect(await answers.of("key", keeping, ask)).toBe("yes");
    clock.ms = 1e12;
    expect(await answers.of("key", keeping, ask)).toBe("yes");
    expect(asked()).toBe(2);
  });

  it.each([
    ["a refusal", new Failure("NODE_REFUSED", "no"), 20],
    ["a failure", new Failure("UPSTREAM_FAILED", "no"), 10],
    ["anything else thrown", new Error("no"), 10],
  ])("include %s for its own time", async (_, error, untilMs) => {
    const clock = { ms: 0 };
    const answers = createAnswerCache(() => clock.ms);
    const { ask, asked } = counted([error, "back"]);
    await expect(answers.of("key", KEEPING, ask)).rejects.toBe(error);
    clock.ms = untilMs - 1;
    await expect(answers.of("key", KEEPING, ask)).rejects.toBe(error);
    expect(asked()).toBe(1);
    clock.ms = untilMs;
    expect(await answers.of("key", KEEPING, ask)).toBe("back");
  });

  it("are limited in number, the oldest removed first, and not kept for a key that is too long", async () => {
    const answers = createAnswerCache(() => 0, 2);
    const { ask, asked } = counted(["1", "2", "3", "4", "5", "6"]);
    const get = (key: string) => answers.of(key, KEEPING, ask);
    expect([await get("a"), await get("b"), await get("c"), await get("b"), await get("a")]).toEqual([
      "1",
      "2",
      "3",
      "2",
      "4",
    ]);
    const long = "x".repeat(9_000);
    expect([await get(long), await get(long)]).toEqual(["5", "6"]);
    expect(asked()).toBe(6);
  });

  it("can be removed", async () => {
    const answers = createAnswerCache(() => 0);
    const { ask } = counted(["1", "2"]);
    await answers.of("key", KEEPING, ask);
    answers.forget("key");
    expect(await answers.of("key", KEEPING, ask)).toBe("2");
  });
});
