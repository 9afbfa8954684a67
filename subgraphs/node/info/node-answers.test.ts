import { parseJsonExactly } from "../../../core/formats/json.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA } from "../../../recordings/replay-node.ts";
import { ANSWERS, type InfoMethod, readAnswer } from "./node-answers.ts";

const recording = openRecording(ALPHA);

function recorded(method: InfoMethod): Record<string, unknown> {
  const params =
    { "info.isBootstrapped": { chain: "P" }, "info.getBlockchainID": { alias: "P" } }[method as string] ?? {};
  return JSON.parse(recording.answer("/ext/info", method, params)?.text ?? "null") as Record<string, unknown>;
}

const refusal = (message: string | RegExp) =>
  expect.objectContaining({ code: "UPSTREAM_FAILED", message: expect.stringMatching(message) });
const thrown = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error;
  }
};

describe("a node's answers", () => {
  it.each(Object.keys(ANSWERS) as InfoMethod[])(
    "are parsed as recorded, and refused with invalid fields: %s",
    (method) => {
      const answer = recorded(method);
      expect(readAnswer(method, answer)).toBeDefined();
      const spoilt = Object.fromEntries(Object.keys(answer).map((name) => [name, -1]));
      for (const wrong of [null, [], "", spoilt])
        expect(thrown(() => readAnswer(method, wrong))).toEqual(
          refusal(`^the node's answer to ${method} is invalid at `),
        );
    },
  );

  it("are refused with the name of the invalid field", () => {
    const answer = recorded("info.peers") as { peers: Record<string, unknown>[] };
    const peers = answer.peers.map((peer, i) => (i === 2 ? { ...peer, observedUptime: "-1" } : peer));
    expect(thrown(() => readAnswer("info.peers", { ...answer, peers }))).toEqual(
      refusal("^the node's answer to info.peers is invalid at peers.2.observedUptime$"),
    );
  });

  it.each(["9007199254740993", "18446744073709551615"])(
    "have a peer's claim of an upgrade at %s with all digits, beside the other peers",
    (claimed) => {
      const { peers } = recorded("info.peers") as { peers: Record<string, unknown>[] };
      const claims = peers.map((peer, i) => (i === 1 ? { ...peer, upgradeTime: "claim" } : peer));
      const text = JSON.stringify({ peers: claims }).replace('"claim"', claimed);
      const read = readAnswer("info.peers", parseJsonExactly(text, String));
      expect(read.map(({ upgradeTime }) => upgradeTime)).toEqual(
        peers.map(({ upgradeTime }, i) => (i === 1 ? claimed : String(upgradeTime))),
      );
    },
  );

  it("may lack fields of newer releases, and have unknown ones", () => {
    const { nodeID } = recorded("info.getNodeID");
    expect(readAnswer("info.getNodeID", { nodeID, added: 1 })).toEqual({ nodeId: nodeID, pop: null });
    const { heliconTime: _, ...older } = recorded("info.upgrades");
    const upgrades = readAnswer("info.upgrades", { ...older, izarTime: "2030-01-01T00:00:00Z" });
    expect(upgrades).toMatchObject({ heliconTime: null, more: { izarTime: "2030-01-01T00:00:00Z" } });
    expect(readAnswer("info.upgrades", recorded("info.upgrades"))).toMatchObject({ more: null });
  });

  it("have votes in the order of the node, which sorts numbers as text", () => {
    const one = {
      supportWeight: "18446744073709551615",
      objectWeight: "0",
      abstainWeight: "0",
      supporters: [],
      objectors: null,
    };
    const acps = readAnswer("info.acps", { acps: { "23": one, "103": one, "194": one } });
    expect(acps.map(({ acp }) => acp)).toEqual(["103", "194", "23"]);
    expect(acps[0]).toMatchObject({ supportWeight: "18446744073709551615", objectors: [] });
  });
});
