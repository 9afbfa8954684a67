import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { createRedaction } from "../../../core/errors/redaction.ts";
import { NodeUnavailable, RpcError } from "../../shared/node/errors.ts";
import { failureOf } from "./trace-failure.ts";

const URL = "https://user:pass-word@node.example:9650/key-in-path/rpc?token=query-token";
const redact = createRedaction({ url: URL });
const failure = (message: string, code = -32000) => failureOf(7, new RpcError(code, message), redact);

describe("call trees are requested again", () => {
  it.each([
    "execution timeout",
    "execution aborted (timeout = 5s)",
    "context deadline exceeded",
    "Internal error",
    "internal server error",
    "block #7 not found",
    "header not found",
    "genesis is not traceable",
    "state is not available yet, try again later",
    "too many open files",
    "",
  ])("after the error %s", (message) => {
    expect(failure(message)).toMatchObject({ isPassing: true });
  });
});

describe("call trees are not requested again", () => {
  it.each([
    "required historical state unavailable (reexec=128)",
    "missing trie node 5f1b (path ) state 0x12 is not available, not found",
    "historical state 0x12 is not available",
    "state 0x12 is not available",
    "No state available for block 0x7",
    "World state unavailable",
    "history has been pruned for this block",
    "old data not available due to pruning",
    "state at block #7 is pruned",
  ])("if the state is pruned: %s", (message) => {
    expect(failure(message)).toMatchObject({
      reason: "the node no longer has the state for the traces of block 7",
      isPassing: false,
    });
  });

  it.each<[string, number]>([
    ["the method debug_traceBlockByNumber does not exist/is not available", -32601],
    ["whatever", -32601],
    ["rpc: can't find method debug_traceBlockByNumber", -32000],
    ["Method not supported", -32004],
    ["Unsupported method: debug_traceBlockByNumber. See the documentation", -32600],
    ["debug_traceBlockByNumber is not available on the Free tier", -32600],
    ["method debug_traceBlockByNumber is disabled", -32000],
  ])("if the method is missing: %s", (message, code) => {
    expect(failure(message, code)).toMatchObject({
      reason: "the node does not offer debug_traceBlockByNumber",
      isPassing: false,
    });
  });
});

describe("the reason that callers see", () => {
  it("never has the words of the node, and the log has them without addresses and secrets", () => {
    const words = `POST ${URL} of 10.0.0.7 for user with query-token failed`;
    for (const error of [new RpcError(-32000, words), new RpcError(-32601, words)]) {
      const { reason, detail } = failureOf(7, error, redact);
      expect(reason).not.toMatch(/POST|10\.0\.0\.7|pass-word|token/);
      expect(detail).toBe(`POST [removed] of 10.0.0.7 for [removed] with [removed] failed (${error.code})`);
    }
  });

  it("says how the trees contradict the block, without secrets, or why no answer came", () => {
    expect(failureOf(7, new BadUpstreamData(`the traces of block 7 are "${URL}", not a list`), redact).reason).toBe(
      'the node\'s traces contradict block 7: the traces of block 7 are "[removed]", not a list',
    );
    expect(failureOf(7, new NodeUnavailable("the node gave no answer within 5000 ms"), redact).reason).toBe(
      "the traces of block 7 cannot be read: the node gave no answer within 5000 ms",
    );
  });

  it("is given for no other error", () => {
    expect(() => failureOf(7, new TypeError("a bug"), redact)).toThrow(TypeError);
  });
});
