import { decodeCb58 } from "../../core/formats/cb58.ts";
import {
  appRequest,
  joinedPeer,
  type RawPeer,
  readReply,
  signatureRequest,
} from "../../test/support/signatures/raw-peer.ts";
import {
  C_CHAIN,
  CONVERSION_VALIDATORS,
  CONVERSIONS,
  LAST_VALIDATORS,
  l1Validator,
  NODE_IDS,
  P_CHAIN,
  RECORDED_AT,
  REGISTERED_VALIDATOR,
  type RecordedVector,
  recorded,
  recordedNetwork,
} from "../../test/support/signatures/recorded-network.ts";
import { type Simulator, startSimulator } from "./simulator.ts";

let simulator: Simulator;
let peers: RawPeer[];
let requestId = 1;

beforeAll(async () => {
  simulator = await startSimulator({ ...recordedNetwork(), addressProof: "point" });
  peers = await Promise.all(simulator.population.nodes.map(({ port }) => joinedPeer(port, RECORDED_AT)));
});
afterAll(async () => {
  await Promise.all(peers.map((peer) => peer[Symbol.asyncDispose]()));
  await simulator[Symbol.asyncDispose]();
});

const bytesOf = (hex: string) => Buffer.from(hex, "hex");
const DEADLINE_NANO = 5_000_000_000n;
const KNOWN = signatureRequest(bytesOf(recorded<RecordedVector>("c-chain-message").unsignedMessage));

/** Asks a node as the recording's client did; a node that stays silent answers only the request behind. */
async function ask(nodeId: string, chainId: string, message: string, justification: string) {
  const peer = peers[(NODE_IDS as readonly string[]).indexOf(nodeId)]!;
  requestId += 4;
  const id = requestId;
  peer.send(
    appRequest(decodeCb58(chainId)!, id, DEADLINE_NANO, signatureRequest(bytesOf(message), bytesOf(justification))),
  );
  peer.send(appRequest(decodeCb58(C_CHAIN)!, id + 2, DEADLINE_NANO, KNOWN));
  const first = readReply((await peer.next())!);
  if (first.requestId === id + 2) return { timeout: true };
  await peer.next();
  return first.errorCode === undefined ? { signature: first.signature } : { errorCode: first.errorCode };
}

interface Refusal {
  readonly name: string;
  readonly chainID: string;
  readonly unsignedMessage: string;
  readonly justification: string;
  readonly nodeID: string;
  readonly answer: { readonly errorCode?: number; readonly timeout?: boolean };
}

const [first, second, third] = CONVERSION_VALIDATORS;
const CONVERTED = { [first]: l1Validator(60, 0), [second]: l1Validator(10, 0), [third]: l1Validator(30, 0) };
/** The P-Chain's state from the request on that has this name. */
const CHANGES: Readonly<Record<string, Parameters<Simulator["setPChain"]>[0]>> = {
  "SubnetToL1Conversion before the conversion": { conversions: {}, l1Validators: {}, expiries: [] },
  "SubnetToL1Conversion without justification": { conversions: CONVERSIONS, l1Validators: CONVERTED },
  "L1ValidatorRegistration(false) of a registered validator": {
    l1Validators: { ...CONVERTED, [REGISTERED_VALIDATOR]: l1Validator(7, 0) },
    expiries: [REGISTERED_VALIDATOR],
  },
  "L1ValidatorWeight with a wrong weight": {
    l1Validators: { ...CONVERTED, [REGISTERED_VALIDATOR]: l1Validator(25, 1) },
  },
  "L1ValidatorWeight of an older nonce, signed before": {
    l1Validators: { ...CONVERTED, [REGISTERED_VALIDATOR]: l1Validator(40, 5) },
  },
  "L1ValidatorWeight with weight 0 after the removal": { l1Validators: CONVERTED },
  "L1ValidatorRegistration(true) of a removed conversion validator, never signed": { l1Validators: LAST_VALIDATORS },
};

describe("simulated validators", () => {
  it.each(["refusals", "refusals-l1"])("refuse each request of %s with the recorded code", async (file) => {
    const { refusals } = recorded<{ refusals: readonly Refusal[] }>(file);
    const answers: unknown[] = [];
    for (const { name, nodeID, chainID, unsignedMessage, justification } of refusals) {
      simulator.setPChain(CHANGES[name] ?? {});
      answers.push([name, await ask(nodeID, chainID, unsignedMessage, justification)]);
    }
    expect(answers).toEqual(
      refusals.map(({ name, answer: { errorCode, timeout } }) => [name, timeout ? { timeout } : { errorCode }]),
    );
  });

  const STATES: Readonly<Record<string, Parameters<Simulator["setPChain"]>[0]>> = {
    "p-registration": { l1Validators: { [REGISTERED_VALIDATOR]: l1Validator(7, 0) } },
    "p-weight-nonce-0": { l1Validators: { [REGISTERED_VALIDATOR]: l1Validator(25, 1) } },
    "p-weight-nonce-4": { l1Validators: { [REGISTERED_VALIDATOR]: l1Validator(40, 5) } },
  };
  it.each([
    "c-chain-message",
    "c-chain-block-hash",
    "l1-message",
    "l1-block-hash",
    "l1-validator-uptime",
    "p-conversion",
    "p-registration-of-conversion-validator",
    "p-registration",
    "p-weight-nonce-0",
    "p-weight-nonce-4",
    "p-removal-of-registered-validator",
    "p-removal-of-conversion-validator",
    "p-registration-of-disabled-validator",
    "p-never-registered-conversion-index",
    "p-expired-never-registered",
    "l1-p-conversion",
    "l1-p-registration",
  ])("sign %s with the recorded bytes", async (name) => {
    const { unsignedMessage, justification, sourceChainID, answers } = recorded<RecordedVector>(name);
    simulator.setPChain({ conversions: CONVERSIONS, l1Validators: LAST_VALIDATORS, ...STATES[name] });
    // In one recording a node lagged behind by a block, which is a state that the others did not have.
    const expected = answers.filter(({ errorCode }) => errorCode === undefined);
    const given = [];
    for (const { nodeID } of expected) given.push(await ask(nodeID, sourceChainID, unsignedMessage, justification));
    expect(given).toEqual(expected.map(({ signature, timeout }) => (timeout ? { timeout } : { signature })));
  });

  it("count what a client does against the rules", async () => {
    const [peer] = peers;
    peer!.send(appRequest(decodeCb58(C_CHAIN)!, 8, DEADLINE_NANO, KNOWN));
    peer!.send(appRequest(decodeCb58(P_CHAIN)!, 9, 0n, KNOWN));
    await ask(NODE_IDS[0], C_CHAIN, "", "");
    expect(simulator.report()[0]?.violations).toEqual({ "even-request-id": 1, "request-deadline": 1 });
  });
});
