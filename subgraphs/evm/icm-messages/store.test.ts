import { parseIdText } from "../../../core/formats/id-text.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA } from "../../../recordings/replay-node.ts";
import { C_CHAIN, L1, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { distinctStatementsOf } from "../../../test/support/database/statements.ts";
import { answersOf, inField, ofEntity, ROOT, walkList } from "../../../test/support/lists/walk-query.ts";
import type { FactRow } from "../../../test/support/oracle/fact-row.ts";
import { expectedMessages } from "../../../test/support/oracle/facts-messages.ts";
import { expectedFacts } from "../../../test/support/oracle/facts-oracle.ts";
import { recordedChain } from "../../../test/support/recorded/node-chain.ts";

let opened: OpenedEvm;
let expected: FactRow[];
/** The EVM chain ids of the recorded blockchains, by blockchain id in hex. */
const known = new Map<string, string>();

beforeAll(async () => {
  opened = await openEvm();
  const recording = openRecording(ALPHA);
  const chains = (["c", "l1"] as const).map((name) => recordedChain(recording, name));
  expected = expectedMessages(chains.flatMap((chain) => expectedFacts(chain, chain.blocks).icm_events));
  for (const { chainId, blockchainId } of opened.database.config.evmChains)
    if (blockchainId) known.set(parseIdText(blockchainId) ?? "", String(chainId));
});
afterAll(() => opened[Symbol.asyncDispose]());

const ask = answersOf((query) => opened.ask(query));

const list = (filter: string, direction = "DESC") =>
  walkList({
    ask,
    place: ROOT,
    field: "icmMessages",
    args: `filter: { ${filter} }, orderBy: { direction: ${direction} },`,
    selection: `messageId state originSender destinationAddress sentTimestamp receivedTimestamp executedTimestamp failedTimestamp relayer feeAmount
      sourceChain { chainId } destinationChain { chainId } destinationBlockchainId latencySeconds
      sentEvent { event messageNonce } receivedEvent { event } executedEvent { event } failedEvent { event message { messageId } }`,
    size: 7,
  });

const chainOf = (key: string | null | undefined): string | null =>
  key == null ? null : /^\d{1,20}$/.test(key) ? key : (known.get(key) ?? null);
const time = (text: string | null | undefined): number | null => (text == null ? null : Number(text));
/** A message as the graph has it. */
const graphMessage = (row: FactRow) => ({
  messageId: row["message_id"],
  state: row["state"],
  originSender: row["origin_sender_address"],
  destinationAddress: row["destination_address"],
  sentTimestamp: time(row["sent_timestamp"]),
  receivedTimestamp: time(row["received_timestamp"]),
  executedTimestamp: time(row["executed_timestamp"]),
  failedTimestamp: time(row["failed_timestamp"]),
  relayer: row["relayer_address"],
  feeAmount: row["fee_amount"],
});

const newestFirst = (one: FactRow, other: FactRow) =>
  Number(other["message_timestamp"]) - Number(one["message_timestamp"]) ||
  ((one["message_id"] ?? "") < (other["message_id"] ?? "") ? 1 : -1);

describe("interchain messages of the recording", () => {
  const check = async (filter: string, isListed: (row: FactRow) => boolean) => {
    const wanted = expected.filter(isListed).sort(newestFirst);
    const found = await list(filter);
    const lower = (value: unknown) => (typeof value === "string" ? value.toLowerCase() : value);
    const addresses = ["originSender", "destinationAddress", "relayer"] as const;
    const inLowerCase = found.map((one) => ({
      ...one,
      ...Object.fromEntries(addresses.map((name) => [name, lower(one[name])])),
    }));
    expect(inLowerCase).toMatchObject(wanted.map(graphMessage));
    expect(found.map(({ messageId }) => messageId)).toEqual(wanted.map((row) => row["message_id"]));
    expect((await list(filter, "ASC")).map(({ messageId }) => messageId)).toEqual(
      wanted.map((row) => row["message_id"]).reverse(),
    );
    return wanted.length;
  };

  it("are listed by state and time", async () => {
    expect(await check("", () => true)).toBeGreaterThan(5);
    for (const state of ["SENT", "RECEIVED", "EXECUTED", "FAILED"])
      await check(`states: ${state}`, (row) => row["state"] === state);
    const times = expected.map((row) => Number(row["message_timestamp"])).sort((one, other) => one - other);
    const [from = 0, to = 0] = [times[Math.floor(times.length / 4)], times[Math.floor((times.length * 3) / 4)]];
    const isBetween = (row: FactRow) =>
      Number(row["message_timestamp"]) >= from && Number(row["message_timestamp"]) < to;
    expect(await check(`fromTime: ${from}, toTime: ${to}`, isBetween)).toBeGreaterThan(0);
  });

  it("are listed by chain, address and direction, also if no event of the destination names them yet", async () => {
    let count = 0;
    const addresses = [
      ...new Set(expected.flatMap((row) => [row["origin_sender_address"], row["destination_address"]])),
    ].slice(0, 6);
    for (const chain of [null, C_CHAIN, L1])
      for (const address of [null, ...addresses])
        for (const direction of [null, "SENT", "RECEIVED"]) {
          if (!chain && !address) continue;
          const isEnd = (row: FactRow, end: "source" | "destination", owner: string) =>
            (!chain || chainOf(row[end]) === chain) && (!address || row[owner] === address);
          const filter = [
            chain ? `chains: "${chain}"` : "",
            address ? `address: "${address}"` : "",
            direction ? `direction: ${direction}` : "",
          ];
          count += await check(
            filter.filter(Boolean).join(", "),
            (row) =>
              (direction !== "RECEIVED" && isEnd(row, "source", "origin_sender_address")) ||
              (direction !== "SENT" && isEnd(row, "destination", "destination_address")),
          );
        }
    expect(count).toBeGreaterThan(20);
    const isUnreceived = ({ state, destination }: FactRow) => state === "SENT" && chainOf(destination) === C_CHAIN;
    const unreceived = await check(`chains: "${C_CHAIN}", direction: RECEIVED, states: SENT`, isUnreceived);
    expect(unreceived).toBeGreaterThan(0);
    await check(
      `chains: ["${C_CHAIN}", "${L1}"], states: [SENT, FAILED]`,
      (row) =>
        ["SENT", "FAILED"].includes(row["state"] ?? "") &&
        [row["source"], row["destination"]].some((end) => chainOf(end) !== null),
    );
  });

  it("are listed below their address, on one chain and on all chains", async () => {
    const ends = [
      { side: "SENT", chain: "source", owner: "origin_sender_address" },
      { side: "RECEIVED", chain: "destination", owner: "destination_address" },
    ] as const;
    const addresses = [...new Set(expected.flatMap((row) => ends.map(({ owner }) => row[owner])))].filter(Boolean);
    let count = 0;
    for (const address of addresses.slice(0, 8))
      for (const chain of [null, C_CHAIN, L1])
        for (const direction of [null, "SENT", "RECEIVED"]) {
          const wanted = expected.filter((row) =>
            ends.some(
              (end) =>
                (!direction || direction === end.side) &&
                row[end.owner] === address &&
                (!chain || chainOf(row[end.chain]) === chain),
            ),
          );
          const found = await walkList({
            ask,
            place: chain
              ? ofEntity("EvmAddress", `chainId: "${chain}", address: "${address}"`)
              : inField(`evmAccount(address: "${address}")`),
            field: "icmMessages",
            args: `filter: { ${direction ? `direction: ${direction}` : ""} },`,
            selection: "messageId",
            size: 4,
          });
          count += wanted.length;
          expect(found).toEqual(wanted.sort(newestFirst).map((row) => ({ messageId: row["message_id"] })));
        }
    expect(count).toBeGreaterThan(20);
  });

  it("of several addresses are one statement, and their chains another", async () => {
    const statementsFor = async (size: number) => {
      const messages = "icmMessages(first: 3, filter: { states: [EXECUTED, FAILED] }) { nodes { messageId } }";
      return distinctStatementsOf(async () => {
        const { errors } = await opened.ask(
          `{ evmTransactions(chainId: "${C_CHAIN}", first: ${size}) { nodes { from { evmAddress { ${messages} } } to { evmAddress { ${messages} } } } } }`,
        );
        expect(errors).toBeUndefined();
      });
    };
    const ofFew = await statementsFor(2);
    const ofMany = await statementsFor(30);
    expect(ofMany).toHaveLength(ofFew.length);
    expect(ofMany.filter(({ text }) => text.includes("icm_messages"))).toHaveLength(1);
    expect(ofMany.filter(({ text }) => text.includes("chain_progress"))).toHaveLength(1);
  });

  it("lead to their events, and events to them", async () => {
    for (const message of await list("")) {
      const { sentEvent, failedEvent, sentTimestamp, messageId } = message as Record<string, unknown>;
      expect(sentEvent === null).toBe(sentTimestamp === null);
      if (failedEvent) expect(failedEvent).toEqual({ event: "MessageExecutionFailed", message: { messageId } });
    }
    const [first] = expected;
    const { one } = await ask<{ one: object }>(`{ one: icmMessage(messageId: "${first?.["message_id"]}") { state } }`);
    expect(one).toEqual({ state: first?.["state"] });
  });

  it("refuse a chain that is not configured", async () => {
    await expect(list('chains: "1"')).rejects.toThrow("is not a supported chain");
  });
});
