import { noteMissing, readAnywhere, readFromPrimary, serverChoiceOf } from "./server-choice.ts";
import { createWork } from "./work.ts";

describe("what is read from a replica", () => {
  it.each([
    ["read once more if something was not found before the work turned to the primary server", true, 2],
    ["read once if all was found", false, 1],
  ])("is %s", async (_, isMissing, expected) => {
    const work = createWork();
    let reads = 0;
    const read = async () => {
      reads++;
      const choice = serverChoiceOf(work);
      if (choice && !choice.isPrimary) choice.wasReplica = true;
      if (isMissing) noteMissing(work);
      readFromPrimary(work);
      return reads;
    };
    expect(await readAnywhere(work, read, () => false)).toBe(expected);
  });
});
