import type { Config } from "../../core/config/config-schema.ts";
import { sha256 } from "../../core/formats/codec/bytes/hashes.ts";
import type { PTransaction } from "../../core/formats/codec/transactions/p-transactions.ts";
import { formatId } from "../../core/formats/id-text.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { indexedAlphaNetwork } from "../../test/support/indexed/alpha-network.ts";
import { type DecodedChain, decodeChain } from "../../test/support/oracle/decoded-chain.ts";
import { type PrimaryRecording, readPrimaryRecording } from "../../test/support/recorded/primary-recording.ts";
import { recordedMessages } from "../../test/support/recorded/warp-messages.ts";
import { encodeLogData } from "../../test/support/signatures/log-data.ts";
import { onlyPool } from "../../test/support/signatures/only-pool.ts";
import { createKeyCache } from "../bls/key-cache.ts";
import { encodeJustification } from "../codec/justification.ts";
import { SEND_WARP_MESSAGE, WARP_PRECOMPILE } from "../codec/log-data.ts";
import { encodeUnsignedMessage, P_CHAIN_ID, parseUnsignedMessage } from "../codec/unsigned-message.ts";
import { deriveMessage } from "../derive/p-chain-message.ts";
import { requestOfTransaction } from "../derive/signing-request.ts";
import type { Queries } from "../index/statement.ts";
import type { AggregationInput, MessageSource } from "../protocol/protocol.ts";
import { createResolver, type Resolver } from "./resolver.ts";

const network = "fuji";
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const messageSource = (message: string | null, justification: string | null = null): MessageSource => ({
  kind: "message",
  network,
  message,
  justification,
});
const transactionSource = (txHash: string): MessageSource => ({ kind: "transaction", network, txHash });
const input = (source: MessageSource, rest: Partial<AggregationInput> = {}): AggregationInput => ({
  source,
  signingSubnetId: null,
  quorumPercentage: 67,
  quorumPercentageBuffer: 0,
  pChainHeight: "0",
  ...rest,
});
const refused = (code: string, message: RegExp) => ({ code, message: expect.stringMatching(message) });

let database: TestDatabase & { readonly config: Config };
let recording: PrimaryRecording;
let chain: DecodedChain;
let blockTimes: Map<bigint, bigint>;
let messages: Buffer[];
let resolver: Resolver;

const startResolver = (pool: Queries = database.pool, nowSeconds = Date.now() / 1_000): Resolver =>
  createResolver({
    pools: onlyPool(pool),
    networks: database.config.primaryNetworks,
    evmChains: database.config.evmChains,
    keyCache: createKeyCache(1_000),
    nowSeconds: () => nowSeconds,
  });

beforeAll(async () => {
  database = await indexedAlphaNetwork();
  recording = readPrimaryRecording(ALPHA);
  chain = decodeChain(recording);
  blockTimes = new Map(chain.blocks.map(({ height, time }) => [BigInt(height), BigInt(time ?? 0)]));
  messages = recordedMessages(ALPHA);
  resolver = startResolver();
});
afterAll(() => database[Symbol.asyncDispose]());

const head = (): bigint => BigInt(recording.entries.P.length - 1);

describe("E1 messages that a caller gives", () => {
  it("are signed by the subnet of their chain, whether given alone or as log data", async () => {
    const forms = [hex, (one: Buffer) => `0x${hex(one)}`, (one: Buffer) => hex(encodeLogData(one)).toUpperCase()];
    const sources = messages.map((one, position) =>
      messageSource((forms[position % 3] ?? hex)(one), ["", "0x0a", null][position % 3]),
    );
    const described = await resolver.describe(sources);
    const index = chain.index;
    expect(messages.length).toBeGreaterThan(30);
    expect(described).toEqual(
      await Promise.all(
        messages.map(async (one, position) => {
          const { sourceChainId } = parseUnsignedMessage(one);
          return {
            message: {
              network,
              messageId: sha256(one),
              unsignedMessage: hex(one),
              sourceChainId,
              justification: ["", "0a", ""][position % 3],
              signingSubnetId: await index.subnetOfChain(sourceChainId),
            },
          };
        }),
      ),
    );
    const subnets = described.map((one) => "message" in one && one.message?.signingSubnetId);
    expect(new Set(subnets).size).toBe(2);
  });

  it("are refused if they are malformed, of another network or of an unknown chain", async () => {
    const valid = messages[0] as Buffer;
    const fields = parseUnsignedMessage(valid);
    const cases: [message: string | null, justification: string | null, code: string, text: RegExp][] = [
      [null, null, "INVALID_PARAMETER", /^message or justification must be given/],
      ["", null, "INVALID_PARAMETER", /^message must not be empty/],
      ["0x", "0a", "INVALID_PARAMETER", /^message must not be empty/],
      [null, "0x", "INVALID_PARAMETER", /^justification must not be empty/],
      ["0x0", null, "INVALID_PARAMETER", /^message must have an even number of hex digits, got 1/],
      [`0X${hex(valid)}`, null, "INVALID_PARAMETER", /^message must be hex digits, got "0X0000.*: character 2 is "X"$/],
      ["zz", null, "INVALID_PARAMETER", /^message must be hex digits, got "zz": character 1 is "z"$/],
      [hex(valid), " 0a", "INVALID_PARAMETER", /^justification must be hex digits/],
      ["00".repeat(65_537), null, "INVALID_PARAMETER", /^message must have at most 65536 bytes, got 65537$/],
      [null, "00".repeat(65_537), "INVALID_PARAMETER", /^justification must have at most 65536 bytes/],
      [`${hex(valid)}00`, null, "INVALID_PARAMETER", /^message is not valid: warp message/],
      [hex(valid.subarray(0, 41)), null, "INVALID_PARAMETER", /^message is not valid: warp message/],
      [`${hex(encodeLogData(valid))}00`, null, "INVALID_PARAMETER", /^message is not valid: log data/],
      [
        null,
        "0a",
        "INVALID_PARAMETER",
        /^justification is not valid: expected a subnet id of 32 bytes, or protobuf .* has 1 bytes: /,
      ],
      [
        hex(encodeUnsignedMessage({ ...fields, networkId: 5 })),
        null,
        "INVALID_PARAMETER",
        /^message is for network id 5, but network fuji has the id \d+$/,
      ],
      [
        hex(encodeUnsignedMessage({ ...fields, sourceChainId: "11".repeat(32) })),
        null,
        "NOT_FOUND",
        /^source chain \w+ of the message is not a chain of network fuji$/,
      ],
    ];
    const described = await resolver.describe(
      cases.map(([message, justification]) => messageSource(message, justification)),
    );
    expect(described).toEqual(cases.map(([, , code, text]) => ({ failure: refused(code, text) })));
  });

  it("are refused for a network that is not configured", async () => {
    const source = { ...messageSource("00"), network: "mainnet" };
    expect(await resolver.describe([source])).toEqual([
      { failure: refused("NOT_FOUND", /^network "mainnet" is not served; served networks: fuji$/) },
    ]);
  });

  it("follow from a justification alone: a conversion, or a removed validator", async () => {
    const conversions = chain.transactions.filter((one) => one.txType === "ConvertSubnetToL1Tx");
    const justifications = conversions.flatMap(({ subnetId }) => [
      encodeJustification({ type: "subnet", subnetId }),
      encodeJustification({ type: "conversion", subnetId, index: 1 }),
    ]);
    const described = await resolver.describe(justifications.map((one) => messageSource(null, hex(one))));
    expect(described).toHaveLength(10);
    const expected = await Promise.all(conversions.map((one) => requestOfTransaction(one, chain.index)));
    for (const [position, { unsignedBytes, justification, signingSubnetId }] of expected.entries()) {
      const common = { justification: hex(justification), signingSubnetId };
      expect(described[2 * position]).toMatchObject({ message: { ...common, unsignedMessage: hex(unsignedBytes) } });
      expect(described[2 * position + 1]).toMatchObject({ message: { signingSubnetId } });
    }
    const unknown = encodeJustification({ type: "subnet", subnetId: "11".repeat(32) });
    expect(await resolver.describe([messageSource(null, hex(unknown))])).toEqual([
      { failure: refused("NOT_FOUND", /is not an L1$/) },
    ]);
  });
});

describe("E2 messages of transactions", () => {
  it("are those that follow from all decoded blocks", async () => {
    const derivable = chain.transactions.filter((one) => deriveMessage(one) !== null);
    expect(derivable).toHaveLength(16);
    const described = await resolver.describe(derivable.map(({ id }) => transactionSource(formatId(id))));
    const expected = await Promise.all(derivable.map((one) => requestOfTransaction(one, chain.index)));
    expect(described).toEqual(
      expected.map(({ unsignedBytes, justification, signingSubnetId }) => ({
        message: {
          network,
          messageId: sha256(unsignedBytes),
          unsignedMessage: hex(unsignedBytes),
          sourceChainId: P_CHAIN_ID,
          justification: hex(justification),
          signingSubnetId,
        },
      })),
    );
    expect(expected.filter(({ justification }) => justification.length > 32)).toHaveLength(2);
  });

  it("do not exist for other types and chains, with the reason", async () => {
    const { rows } = await database.pool.query<{ chain: string; tx_type: string; tx_hash: Buffer }>(
      `SELECT DISTINCT ON (chain, tx_type) chain, tx_type, tx_hash FROM primary_transactions
       WHERE tx_type NOT IN ('ConvertSubnetToL1Tx', 'RegisterL1ValidatorTx', 'SetL1ValidatorWeightTx')`,
    );
    const sources = rows.map(({ tx_hash }) => transactionSource(formatId(hex(tx_hash))));
    expect(await resolver.describe(sources)).toEqual(rows.map(() => ({ message: null })));
    expect(new Set(rows.map(({ chain }) => chain))).toEqual(new Set(["P", "X", "C"]));
    for (const [type, reason] of [
      ["DisableL1ValidatorTx", /DisableL1ValidatorTx, which has no message to sign: the validator stays registered/],
      ["CreateSubnetTx", /CreateSubnetTx, which has no message to sign: it changes no L1 validator/],
      ["CreateAssetTx", /CreateAssetTx of the X-Chain: only transactions of the P-Chain have messages/],
    ] as const) {
      const source = sources[rows.findIndex(({ tx_type }) => tx_type === type)] as MessageSource;
      await expect(resolver.resolve(input(source))).rejects.toMatchObject(refused("INVALID_PARAMETER", reason));
    }
  });

  it("do not exist for unknown and malformed hashes", async () => {
    const unknown = formatId("11".repeat(32));
    expect(await resolver.describe([unknown, `${unknown}x`, ""].map(transactionSource))).toEqual([
      { failure: refused("NOT_FOUND", /^txHash \w+ is not indexed as a transaction of network fuji$/) },
      { failure: refused("INVALID_PARAMETER", /^txHash must be a 32-byte id, as CB58 or hex, got "/) },
      { failure: refused("INVALID_PARAMETER", /^txHash must be a 32-byte id/) },
    ]);
  });
});

describe("messages of logs", () => {
  interface LogRow {
    readonly chain_id: string;
    readonly block_number: string;
    readonly log_index: number;
    readonly topic2: Buffer;
    readonly data: Buffer;
  }
  const COLUMNS = "chain_id, block_number, log_index, topic2, data";
  const source = ({ chain_id, block_number, log_index }: LogRow): MessageSource => ({
    kind: "log",
    chainId: chain_id,
    blockNumber: block_number,
    logIndex: log_index,
  });
  const logs = async (text: string) => (await database.pool.query<LogRow>(text)).rows;
  const sentBy = ({ data }: LogRow) => hex(data.subarray(64, 64 + data.readUInt32BE(60)));

  it("are those that the nodes know", async () => {
    const rows = await logs(
      `SELECT ${COLUMNS} FROM evm_logs WHERE address = '\\x${WARP_PRECOMPILE}' AND topic0 = '\\x${SEND_WARP_MESSAGE}'`,
    );
    const described = await resolver.describe(rows.map(source));
    expect(described).toMatchObject(
      rows.map((row) => ({ message: { messageId: hex(row.topic2), unsignedMessage: sentBy(row), justification: "" } })),
    );
    const found = described.map((one) => "message" in one && one.message?.unsignedMessage);
    expect(messages.map(hex).filter((one) => !found.includes(one))).toEqual([]);
  });

  it("of a Teleporter messenger are the warp message that it sent after the event", async () => {
    const events = await logs(
      `SELECT l.* FROM icm_events e JOIN evm_logs l USING (chain_id, block_number, log_index)
       WHERE e.event = 'SendCrossChainMessage' ORDER BY 1, 2, 3`,
    );
    const next = await logs(
      `SELECT l.* FROM icm_events e JOIN evm_logs l USING (chain_id, block_number)
       WHERE e.event = 'SendCrossChainMessage' AND l.log_index = e.log_index + 1 ORDER BY 1, 2, 3`,
    );
    expect(events.length).toBeGreaterThan(20);
    const described = await resolver.describe(events.map(source));
    expect(described).toMatchObject(next.map((row) => ({ message: { unsignedMessage: sentBy(row) } })));
  });

  it("are null for other logs, also for copies of the event by other contracts", async () => {
    const rows = await logs(
      `SELECT DISTINCT ON (chain_id, l.address, topic0) ${COLUMNS} FROM evm_logs l LEFT JOIN icm_events e USING (chain_id, block_number, log_index)
       WHERE e.event IS NULL OR e.event NOT IN ('SendWarpMessage', 'SendCrossChainMessage')`,
    );
    expect(rows.length).toBeGreaterThan(20);
    expect(await resolver.describe(rows.map(source))).toEqual(rows.map(() => ({ message: null })));
    const [first] = rows.map(source);
    await expect(resolver.resolve(input(first as MessageSource))).rejects.toMatchObject(
      refused("INVALID_PARAMETER", /^log \d+ of block \d+ of chain \d+ sends no message that validators sign$/),
    );
  });

  it("do not exist for unknown logs and chains", async () => {
    const chainId = String(database.config.evmChains[0]?.chainId);
    const log = { kind: "log", chainId, blockNumber: "1", logIndex: 999_999 } as const;
    const invalid = [
      { blockNumber: "-1" },
      { blockNumber: "9223372036854775808" },
      { logIndex: 2 ** 31 },
      { logIndex: 0.5 },
    ];
    const all: MessageSource[] = [log, { ...log, chainId: "1" }, ...invalid.map((rest) => ({ ...log, ...rest }))];
    expect(await resolver.describe(all)).toEqual([
      { failure: refused("NOT_FOUND", /^log 999999 of block 1 of chain \d+ is not indexed$/) },
      { failure: refused("NOT_FOUND", /^chainId "1" is not a supported chain/) },
      ...invalid.map(() => ({
        failure: refused("INVALID_PARAMETER", /^(blockNumber|logIndex) must be an integer from 0 to/),
      })),
    ]);
  });
});

describe("the signing validators", () => {
  const source = () => messageSource(hex(messages[0] as Buffer));
  it("are by default those of the source chain at the proposed height", async () => {
    const chainTime = blockTimes.get(head()) as bigint;
    // A block that is 30 s old is within the window. The window has at most 64 blocks.
    for (const [now, height] of [
      [chainTime + 31n, head()],
      [chainTime + 30n, oldestSince(chainTime) - 1n],
      [chainTime + 20n, oldestSince(chainTime - 10n) - 1n],
      [0n, head() - 64n],
    ] as const) {
      const task = await startResolver(database.pool, Number(now)).resolve(input(source()));
      expect({ now, height: task.pChainHeight }).toEqual({ now, height });
      expect(task.signingSubnetId).toBe(task.message.signingSubnetId);
      expect(task.unsignedBytes).toEqual(messages[0]);
    }
  });

  const oldestSince = (time: bigint): bigint => {
    const recent = [...blockTimes.keys()].slice(-64);
    return recent.find((height) => (blockTimes.get(height) as bigint) >= time) as bigint;
  };

  it("are refused for heights and subnets that do not exist", async () => {
    const created = chain.transactions.find(({ txType }) => txType === "CreateSubnetTx") as PTransaction;
    const above = (head() + 1n).toString();
    const cases: [rest: Partial<AggregationInput>, code: string, text: RegExp][] = [
      [
        { pChainHeight: above },
        "INVALID_PARAMETER",
        /^pChainHeight must be at most \d+, the last indexed height, got \d+$/,
      ],
      ...["-1", "1.5", "1e3", "", "18446744073709551616"].map(
        (pChainHeight) =>
          [{ pChainHeight }, "INVALID_PARAMETER", /^pChainHeight must be an integer from 0 to/] as [
            Partial<AggregationInput>,
            string,
            RegExp,
          ],
      ),
      [
        { signingSubnetId: "00" },
        "INVALID_PARAMETER",
        /^signingSubnetId must be a 32-byte id, as CB58 or hex, got "00"$/,
      ],
      [
        { signingSubnetId: `0X${"00".repeat(32)}` },
        "INVALID_PARAMETER",
        /^signingSubnetId must be a 32-byte id, as CB58 or hex, got "0X00/,
      ],
      [{ signingSubnetId: "11".repeat(32) }, "NOT_FOUND", /^signingSubnetId \w+ is not a subnet of network fuji$/],
      [
        { signingSubnetId: `0x${created.id}`, pChainHeight: "1" },
        "NOT_FOUND",
        /^subnet \w+ has no validators at height 1$/,
      ],
    ];
    for (const [rest, code, text] of cases)
      await expect(resolver.resolve(input(source(), rest))).rejects.toMatchObject(refused(code, text));
  });
});

describe("reading the index", () => {
  /** Counts the statements of a resolver. */
  function counted() {
    const counts = { statements: 0, sets: 0 };
    const query = (config: { text?: string } | string, ...rest: unknown[]) => {
      counts.statements++;
      if (JSON.stringify(config).includes("validator_weights")) counts.sets++;
      return (database.pool.query as (...values: unknown[]) => unknown)(config, ...rest);
    };
    return { counts, resolver: startResolver({ query } as unknown as Queries) };
  }

  it("takes as many statements for many sources as for a few", async () => {
    const removal = chain.transactions
      .filter(({ txType }) => txType === "SetL1ValidatorWeightTx")
      .map(({ id }) => formatId(id));
    const few = counted();
    await few.resolver.describe([messageSource(hex(messages[0] as Buffer)), ...removal.map(transactionSource)]);
    const many = counted();
    const described = await many.resolver.describe([
      ...messages.map((one) => messageSource(hex(one))),
      ...chain.transactions.map(({ id }) => transactionSource(formatId(id))),
    ]);
    expect(described.length).toBeGreaterThan(200);
    expect(Math.max(few.counts.statements, many.counts.statements)).toBeLessThan(9);
  });

  it("keeps validator sets until all rows are derived again", async () => {
    const { counts, resolver: counting } = counted();
    const asked = input(messageSource(hex(messages[0] as Buffer)), { pChainHeight: "100" });
    const [one, other] = await Promise.all([counting.resolve(asked), counting.resolve(asked)]);
    expect(one.set).toBe(other.set);
    await counting.resolve(asked);
    expect(counts.sets).toBe(1);
    const version = "UPDATE primary_heads SET rows_version = rows_version + $1 WHERE chain = 'P'";
    await database.pool.query(version, [1]);
    expect((await counting.resolve(asked)).set).not.toBe(one.set);
    await database.pool.query(version, [-1]);
    expect(counts.sets).toBe(2);
  });

  it("fails if the indexer begins to derive all rows again meanwhile", async () => {
    const { pool } = database;
    const setVersion = (change: number) =>
      pool.query("UPDATE primary_heads SET rows_version = rows_version + $1 WHERE chain = 'P'", [change]);
    const query = async (config: unknown, values: unknown[]) => {
      const answer = await (pool.query as (...given: unknown[]) => Promise<unknown>)(config, values);
      if (JSON.stringify(config).includes("validator_weights")) await setVersion(1);
      return answer;
    };
    const interrupted = startResolver({ query } as unknown as Queries).resolve(
      input(messageSource(hex(messages[0] as Buffer))),
    );
    await expect(interrupted).rejects.toMatchObject(refused("UNAVAILABLE", /is being indexed again, try later$/));
    await setVersion(-1);
  });

  it("fails with the indexer's reason while nothing is indexed", async () => {
    await using empty = await createTestDatabase();
    const { evmChains, primaryNetworks } = database.config;
    const progress =
      "INSERT INTO primary_progress VALUES ($1, 'P', 'WAITING', 'the node is bootstrapping', NULL, NULL, 0, 0)";
    const describeAll = () =>
      startResolver(empty.pool).describe([
        messageSource(hex(messages[0] as Buffer)),
        transactionSource(formatId("11".repeat(32))),
        { kind: "log", chainId: String(evmChains[0]?.chainId), blockNumber: "1", logIndex: 0 },
      ]);
    const failures = (why: string) =>
      ["the P-Chain of network fuji", "the P-Chain of network fuji", `chain ${evmChains[0]?.chainId}`].map(
        (what, position) => ({
          failure: {
            code: "UNAVAILABLE",
            message: `${what} is not indexed yet${position === 2 ? ": its indexer has not started" : why}`,
          },
        }),
      );
    expect(await describeAll()).toEqual(failures(": its indexer has not started"));
    await empty.pool.query(progress, [primaryNetworks[0]?.networkId]);
    expect(await describeAll()).toEqual(failures(" (WAITING): the node is bootstrapping"));
  });
});
