import { decodeCb58 } from "../../../core/formats/cb58.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import { C_CHAIN, L1, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { allOf, argsOf } from "../../../test/support/lists/walk.ts";
import type { ChainsFilter } from "../ranged-lists/filters.ts";
import { timesOf } from "../ranged-lists/range.ts";
import { IcmEventsArgs } from "./types.ts";

let opened: OpenedEvm;
/** The message with the most events. */
let messageId: string;

beforeAll(async () => {
  opened = await openEvm();
  [messageId = ""] = await opened.values(
    "SELECT '0x' || encode(message_id, 'hex') AS value FROM icm_events GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1",
  );
});
afterAll(() => opened[Symbol.asyncDispose]());

function page(asked: Partial<IcmEventsArgs>, filter: ChainsFilter = {}) {
  const args = Object.assign(new IcmEventsArgs(), { messageId, ...asked });
  const chains = { chainIds: filter.chains ?? [C_CHAIN, L1], areNamed: false };
  const list = { messageId: args.messageId, ...chains, times: timesOf(filter) };
  return opened.context().icmEvents.page(list, args, SERVICE_WORK);
}

const PLACE = "chain_id || ' ' || block_number || ' ' || log_index AS value";
const places = (
  events: readonly { readonly chainId: string; readonly blockNumber: string; readonly logIndex: number }[],
) => events.map(({ chainId, blockNumber, logIndex }) => `${chainId} ${blockNumber} ${logIndex}`);

/** Makes a message that one recorded chain received look as if the other had sent it, for the duration of a task. */
async function whileSentFrom(chainId: string, id: string, task: () => Promise<void>): Promise<void> {
  const { pool } = opened.database;
  const sending = `chain_id = ${chainId} AND event = 'SendCrossChainMessage'`;
  const [first = ""] = await opened.values(
    `SELECT block_number || ' ' || log_index AS value FROM icm_events WHERE ${sending} ORDER BY block_number, log_index LIMIT 1`,
  );
  const [block = "", log = ""] = first.split(" ");
  const where = `WHERE ${sending} AND block_number = ${block} AND log_index = ${log}`;
  const [before = ""] = await opened.values(`SELECT encode(message_id, 'hex') AS value FROM icm_events ${where}`);
  await pool.query(`UPDATE icm_events SET message_id = '\\x${id.slice(2)}' ${where}`);
  try {
    await task();
  } finally {
    await pool.query(`UPDATE icm_events SET message_id = '\\x${before}' ${where}`);
  }
}

describe("the store of interchain events", () => {
  it.each([1, 2, 100])(
    "pages through the events of a message with a page size of %d, oldest first",
    async (pageSize) => {
      const events = await allOf((at) => page(argsOf(at)), pageSize);
      const expected = await opened.values(
        `SELECT ${PLACE} FROM icm_events WHERE message_id = '\\x${messageId.slice(2)}' ORDER BY block_timestamp, chain_id, block_number, log_index`,
      );
      expect(expected.length).toBeGreaterThan(2);
      expect(places(events)).toEqual(expected);
    },
  );

  it("pages through the events of a message on some chains and in a range of times", async () => {
    const ofMessage = `message_id = '\\x${messageId.slice(2)}'`;
    const times = await opened.values(
      `SELECT DISTINCT block_timestamp AS value FROM icm_events WHERE ${ofMessage} ORDER BY 1`,
    );
    const [fromTime, toTime] = [times[1] ?? "0", times.at(-1) ?? "0"];
    const cases: [ChainsFilter, string][] = [
      [{ chains: [C_CHAIN] }, `chain_id = ${C_CHAIN}`],
      [{ chains: [L1] }, `chain_id = ${L1}`],
      [{ chains: [] }, "false"],
      [{ fromTime }, `block_timestamp >= ${fromTime}`],
      [{ toTime }, `block_timestamp < ${toTime}`],
      [{ fromTime: toTime, toTime: fromTime }, "false"],
      [
        { chains: [C_CHAIN], fromTime, toTime: String(Number(toTime) + 1) },
        `chain_id = ${C_CHAIN} AND block_timestamp >= ${fromTime}`,
      ],
    ];
    for (const [filter, where] of cases) {
      const events = await allOf((at) => page(argsOf(at), filter), 1);
      const expected = await opened.values(
        `SELECT ${PLACE} FROM icm_events WHERE ${ofMessage} AND ${where} ORDER BY block_timestamp, chain_id, block_number, log_index`,
      );
      expect([filter, places(events)]).toEqual([filter, expected]);
    }
  });

  it("rejects a page token of another message, and of a list with another filter", async () => {
    const { nextPageToken } = await page({ first: 1 });
    const rejection = { code: "INVALID_PARAMETER" };
    const after = { after: nextPageToken };
    await expect(page({ messageId: `0x${"1".repeat(64)}`, ...after })).rejects.toMatchObject(rejection);
    await expect(page(after, { chains: [C_CHAIN] })).rejects.toMatchObject(rejection);
    await expect(page(after, { toTime: "5" })).rejects.toMatchObject(rejection);
  });

  it("returns the sending and the receiving event of a message across chains", async () => {
    const [received = ""] = await opened.values(
      `SELECT '0x' || encode(message_id, 'hex') AS value FROM icm_events WHERE chain_id = ${C_CHAIN} AND event = 'ReceiveCrossChainMessage' ORDER BY block_number LIMIT 1`,
    );
    const ends = `source { chainId event transaction { from { address } } } destination { chainId event transaction { txStatus } }`;
    const ask = async () =>
      (await opened.ask(`{ icmEvents(messageId: "${received}", first: 1) { events: nodes { ${ends} } } }`)).data;
    const destination = { chainId: C_CHAIN, event: "ReceiveCrossChainMessage", transaction: { txStatus: "SUCCESS" } };
    expect(await ask()).toEqual({ icmEvents: { events: [{ source: null, destination }] } });
    await whileSentFrom(L1, received, async () => {
      const source = { chainId: L1, event: "SendCrossChainMessage", transaction: { from: expect.anything() } };
      expect(await ask()).toEqual({ icmEvents: { events: [{ source, destination }] } });
    });
  });

  it("returns the other chain's id in CB58, and the chain if it is configured", async () => {
    const { blockchainId = "" } = opened.database.config.evmChains.find(({ chainId }) => chainId === 760011) ?? {};
    const hex = Buffer.from(decodeCb58(blockchainId) ?? []).toString("hex");
    const others = async (where: string) => {
      const [id = ""] = await opened.values(
        `SELECT '0x' || encode(message_id, 'hex') AS value FROM icm_events WHERE chain_id = ${C_CHAIN} AND event = 'SendCrossChainMessage' AND ${where} LIMIT 1`,
      );
      const { data } = await opened.ask(
        `{ icmEvents(messageId: "${id}", first: 1) { events: nodes { blockchainId otherChain { chainId } } } }`,
      );
      return data?.["icmEvents"];
    };
    const own = { blockchainId, otherChain: { chainId: C_CHAIN } };
    expect(await others(`blockchain_id = '\\x${hex}'`)).toEqual({ events: [own] });
    const unconfigured = { blockchainId: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{43,50}$/), otherChain: null };
    expect(await others(`blockchain_id <> '\\x${hex}'`)).toEqual({ events: [unconfigured] });
  });

  it("returns the events of a transaction in log order, and of those the ones that send or receive a message", async () => {
    const [place = ""] = await opened.values(
      `SELECT block_number || ' ' || block_index AS value FROM icm_events WHERE chain_id = ${C_CHAIN} GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`,
    );
    const [block = "", index = ""] = place.split(" ");
    const parent = [C_CHAIN, block, index];
    const { load } = opened.context();
    const where = `chain_id = ${C_CHAIN} AND block_number = ${block} AND block_index = ${index}`;
    const all = await opened.values(`SELECT ${PLACE} FROM icm_events WHERE ${where} ORDER BY log_index`);
    const paged = await allOf((at) => load.icmEventsOfTransaction(parent, at), 1);
    expect(places(paged)).toEqual(all);
    const directed = await load.directedIcmEventsOfTransaction(parent, { size: 100 });
    expect(directed.nodes).toEqual(paged.filter(({ direction }) => direction !== null));
    expect(directed.nodes.length).toBeLessThan(all.length);
  });

  it("E6 returns the first message of a transaction and the other chain, by EVM chain id if it is configured", async () => {
    const [created = ""] = await opened.values(
      `SELECT '0x' || encode(address, 'hex') AS value FROM evm_deployments WHERE chain_id = ${C_CHAIN} ORDER BY block_number LIMIT 1`,
    );
    const messageInfo = async (event: string) => {
      const [place = ""] = await opened.values(
        `SELECT block_number || ', ' || block_index || ', 0, ''\\x' || encode(tx_hash, 'hex') || '''' AS value FROM icm_events WHERE chain_id = ${C_CHAIN} AND event = '${event}' ORDER BY block_number DESC LIMIT 1`,
      );
      // No recorded transaction both creates a contract and sends a message, so this adds a creation to one that sends.
      const row = `${C_CHAIN}, '\\x${created.slice(2)}', ${place}, '\\x${"0".repeat(40)}', 'CREATE'`;
      await opened.database.pool.query(`INSERT INTO evm_deployments VALUES (${row})`);
      const { data, errors } = await opened.ask(
        `{ deployment(chainId: "${C_CHAIN}", address: "${created}") { teleporterMessageInfo { teleporterMessageId direction sourceChainId destinationChainId } } }`,
      );
      await opened.database.pool.query(`DELETE FROM evm_deployments WHERE creator_address = '\\x${"0".repeat(40)}'`);
      expect(errors).toBeUndefined();
      return (data as { deployment: { teleporterMessageInfo: Record<string, unknown> | null } }).deployment
        .teleporterMessageInfo;
    };
    const id = expect.stringMatching(/^0x[0-9a-f]{64}$/);
    const chain = expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{43,50}$|^76001[12]$/);
    expect(await messageInfo("SendCrossChainMessage")).toEqual({
      teleporterMessageId: id,
      direction: "SOURCE_TRANSACTION",
      sourceChainId: null,
      destinationChainId: chain,
    });
    expect(await messageInfo("MessageExecuted")).toEqual({
      teleporterMessageId: id,
      direction: "DESTINATION_TRANSACTION",
      sourceChainId: chain,
      destinationChainId: null,
    });
  });

  it("finds the first events of many messages in one statement for each chain", async () => {
    const { load } = opened.context();
    const ids = await opened.values("SELECT DISTINCT '0x' || encode(message_id, 'hex') AS value FROM icm_events");
    const statements = await statementsOf(async () => {
      const sent = await Promise.all(
        ids.map((id) => load.firstIcmEvent({ messageId: id, direction: "SOURCE_TRANSACTION" })),
      );
      expect(sent.filter(Boolean).length).toBeGreaterThan(5);
    });
    expect(statements).toHaveLength(2);
  });

  it("returns the same event from the page and by key", async () => {
    const [first] = (await page({ first: 1 })).nodes;
    const { chainId = "", blockNumber = "", logIndex = 0 } = first ?? {};
    expect(await opened.context().load.icmEvent({ chainId, blockNumber, logIndex })).toEqual(first);
  });
});
