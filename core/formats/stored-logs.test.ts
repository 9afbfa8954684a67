import { keccak256, toBytes } from "viem";
import { FREQUENT_EVENTS } from "./frequent-events.ts";
import { dataOf, eventOf, storedData, storedEvent, storedTopic, topicOf } from "./stored-logs.ts";

const zeros = (bytes: number): string => "00".repeat(bytes);

describe("the stored form of a log", () => {
  it.each([
    ["an address", `${zeros(12)}${"ab".repeat(20)}`, 20],
    ["a hash", "cd".repeat(32), 32],
    ["a number", `${zeros(31)}10`, 1],
    ["zero", zeros(32), 1],
  ])("leaves the leading zeros of a topic out: %s", (_what, topic, bytes) => {
    expect(storedTopic(topic)).toHaveLength(2 * bytes);
    expect(topicOf(storedTopic(topic))).toBe(topic);
  });

  it("is empty for topics that the log does not have", () => {
    expect([storedEvent(undefined), storedTopic(undefined)]).toEqual(["", ""]);
    expect([eventOf(""), topicOf("")]).toEqual([null, null]);
  });

  it("has one byte for the first topic of a frequent event, which is the hash of its signature", () => {
    for (const [position, [signature, topic]] of FREQUENT_EVENTS.entries()) {
      expect([signature, `0x${topic}`]).toEqual([signature, keccak256(toBytes(signature))]);
      expect(Number(`0x${storedEvent(topic)}`)).toBe(position);
      expect(eventOf(storedEvent(topic))).toBe(topic);
    }
    expect(new Set(FREQUENT_EVENTS.map(([, topic]) => topic)).size).toBe(FREQUENT_EVENTS.length);
    expect(FREQUENT_EVENTS.length).toBeLessThanOrEqual(256);
  });

  it.each([
    ["of another event", "cd".repeat(32)],
    ["of an anonymous event", `${zeros(31)}01`],
    ["zero", zeros(32)],
  ])("has the whole first topic %s", (_what, topic) => {
    expect(storedEvent(topic)).toBe(topic);
    expect(eventOf(topic)).toBe(topic);
  });

  it.each([
    ["nothing", "", 0],
    ["an amount", `${zeros(24)}0de0b6b3a7640000`, 8],
    ["zero", zeros(32), 1],
    ["a word without zeros", "ef".repeat(32), 32],
    ["two words", `${zeros(63)}01`, 64],
    ["one byte", "01", 33],
    ["one zero", "00", 33],
    ["31 bytes", "12".repeat(31), 63],
    ["33 zeros", zeros(33), 65],
    ["65 bytes", "34".repeat(65), 97],
  ])("keeps data of any length: %s", (_what, data, bytes) => {
    expect(storedData(data)).toHaveLength(2 * bytes);
    expect(dataOf(storedData(data))).toBe(data);
  });
});
