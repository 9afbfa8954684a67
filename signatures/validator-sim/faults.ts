import { z } from "zod";

/** How many requests a fault spoils; without it, all of them. */
const times = { times: z.int().positive().optional() };
const plain = <Kind extends string>(kind: Kind) => z.strictObject({ kind: z.literal(kind), ...times });

/** Faults of the connection: they show before any request. `times` has no effect on them. */
const CONNECTION_FAULTS = [
  plain("refuses-tcp"),
  plain("tls-1.2"),
  plain("wrong-certificate"),
  plain("closes-after-tls"),
  plain("no-handshake"),
  plain("wrong-network-id"),
  plain("bad-address-signature"),
  plain("bad-address-proof"),
  plain("old-version"),
  z.strictObject({ kind: z.literal("clock"), offsetSeconds: z.number() }),
  plain("no-peer-list"),
  plain("no-pong"),
  plain("fragments"),
  plain("noise"),
] as const;

/** Faults of an answer. */
const ANSWER_FAULTS = [
  plain("silent"),
  z.strictObject({ kind: z.literal("slow"), delayMs: z.number().nonnegative(), ...times }),
  z.strictObject({ kind: z.literal("refuses"), code: z.int(), message: z.string().default("refused"), ...times }),
  plain("empty"),
  plain("other-key"),
  plain("other-message"),
  plain("old-message"),
  z.strictObject({ kind: z.literal("signature-length"), bytes: z.int().nonnegative(), ...times }),
  plain("infinity"),
  plain("outside-subgroup"),
  plain("random-bytes"),
  plain("garbage-protobuf"),
  plain("garbage-zstd"),
  plain("zip-bomb"),
  plain("oversize-frame"),
  z.strictObject({ kind: z.literal("shifted"), direction: z.enum(["plus", "minus"]), ...times }),
  plain("unknown-request-id"),
  plain("other-request-id"),
  plain("other-chain-id"),
  plain("twice"),
  plain("second-differs"),
  plain("disconnects-before"),
  plain("disconnects-after"),
  plain("uncompressed"),
] as const;

export const faultSchema = z.discriminatedUnion("kind", [...CONNECTION_FAULTS, ...ANSWER_FAULTS]);

export type Fault = z.infer<typeof faultSchema>;
export type FaultKind = Fault["kind"];

const CONNECTION_KINDS: ReadonlySet<string> = new Set(CONNECTION_FAULTS.map(({ shape }) => shape.kind.value));

/** The faults of one node, which can be replaced while it runs. */
export interface FaultSwitch {
  /** The fault of a kind, if it is on. */
  of<Kind extends FaultKind>(kind: Kind): Extract<Fault, { kind: Kind }> | undefined;
  /** The faults of the next answer. Counts one use of each that has `times`. */
  takeForAnswer(): ReadonlyMap<FaultKind, Fault>;
  replace(faults: readonly Fault[]): void;
}

export function createFaultSwitch(initial: readonly Fault[]): FaultSwitch {
  let faults = initial.map((fault) => ({ fault, used: 0 }));
  const limitOf = (fault: Fault) => ("times" in fault ? (fault.times ?? Infinity) : Infinity);
  return {
    of<Kind extends FaultKind>(kind: Kind) {
      return faults.find(({ fault }) => fault.kind === kind)?.fault as Extract<Fault, { kind: Kind }> | undefined;
    },
    takeForAnswer() {
      const active = faults.filter(({ fault, used }) => !CONNECTION_KINDS.has(fault.kind) && used < limitOf(fault));
      for (const entry of active) entry.used++;
      return new Map(active.map(({ fault }) => [fault.kind, fault]));
    },
    replace(next) {
      faults = next.map((fault) => ({ fault, used: 0 }));
    },
  };
}
