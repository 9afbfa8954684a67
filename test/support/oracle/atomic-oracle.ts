/**
 * The change that an atomic transaction of the C-Chain makes to an account, in nAVAX: positive for an import, negative for an export.
 */
export interface AtomicMove {
  readonly address: string;
  readonly assetId: string;
  readonly amountNano: bigint;
}

/** One atomic transaction in a block's extra data. */
export interface AtomicTransaction {
  readonly kind: "import" | "export";
  readonly moves: readonly AtomicMove[];
  /** Sum of the inputs minus sum of the outputs, over all assets. */
  readonly burnedNano: bigint;
  /** Its bytes without the codec version, as hex without `0x`. */
  readonly bytes: string;
}

const KINDS = ["import", "export"] as const;
const SECP_INPUT = 5;
const SECP_OUTPUT = 7;
const SECP_CREDENTIAL = 9;

/**
 * Reads the atomic transactions of a block (since Apricot 5: a list of them). Throws if a byte does not match the codec.
 */
export function atomicTransactions(extData: string): AtomicTransaction[] {
  const reader = createReader(Buffer.from(extData.slice(2), "hex"));
  reader.expectNumber(2, 0);
  const transactions = reader.list(() => transactionIn(reader));
  if (reader.rest() > 0) throw new Error(`${reader.rest()} bytes after the last atomic transaction`);
  return transactions;
}

type Reader = ReturnType<typeof createReader>;

function transactionIn(reader: Reader): AtomicTransaction {
  const start = reader.at();
  const kind = KINDS[reader.number(4)];
  if (!kind) throw new Error("an atomic transaction that neither imports nor exports");
  reader.number(4); // network id
  reader.bytes(32); // blockchain id
  reader.bytes(32); // the other chain's
  const [ins, outs] = kind === "import" ? [utxosSpent(reader), given(reader)] : [taken(reader), utxosMade(reader)];
  reader.list(() => credential(reader));
  const total = (moves: readonly { readonly amountNano: bigint }[]) =>
    moves.reduce((sum, { amountNano }) => sum + amountNano, 0n);
  return {
    kind,
    moves: kind === "import" ? (outs as AtomicMove[]) : (ins as AtomicMove[]),
    burnedNano: kind === "import" ? total(ins) - total(outs) : -total(ins) - total(outs),
    bytes: reader.since(start),
  };
}

function utxosSpent(reader: Reader) {
  return reader.list(() => {
    reader.bytes(32 + 4 + 32); // transaction, output, asset
    reader.expectNumber(4, SECP_INPUT);
    const amountNano = reader.big();
    reader.list(() => reader.number(4));
    return { amountNano };
  });
}

function utxosMade(reader: Reader) {
  return reader.list(() => {
    reader.bytes(32);
    reader.expectNumber(4, SECP_OUTPUT);
    const amountNano = reader.big();
    reader.bytes(8 + 4); // locktime, threshold
    reader.list(() => reader.bytes(20));
    return { amountNano };
  });
}

function given(reader: Reader): AtomicMove[] {
  return reader.list(() => ({
    address: `0x${reader.bytes(20)}`,
    amountNano: reader.big(),
    assetId: reader.bytes(32),
  }));
}

function taken(reader: Reader): AtomicMove[] {
  return reader.list(() => {
    const move = { address: `0x${reader.bytes(20)}`, amountNano: -reader.big(), assetId: reader.bytes(32) };
    reader.big(); // nonce
    return move;
  });
}

function credential(reader: Reader): void {
  reader.expectNumber(4, SECP_CREDENTIAL);
  reader.list(() => reader.bytes(65));
}

function createReader(data: Buffer) {
  let at = 0;
  const bytes = (length: number): string => {
    if (at + length > data.length) throw new Error(`atomic transactions end within a field at byte ${at}`);
    at += length;
    return data.toString("hex", at - length, at);
  };
  const number = (length: number): number => Number.parseInt(bytes(length), 16);
  return {
    bytes,
    number,
    big: (): bigint => BigInt(`0x${bytes(8)}`),
    expectNumber(length: number, expected: number): void {
      const found = number(length);
      if (found !== expected) throw new Error(`${found} at byte ${at - length}, not ${expected}`);
    },
    list: <Item>(read: () => Item): Item[] => Array.from({ length: number(4) }, read),
    at: (): number => at,
    since: (start: number): string => data.toString("hex", start, at),
    rest: (): number => data.length - at,
  };
}
