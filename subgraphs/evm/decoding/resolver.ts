import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { ZERO_ADDRESS } from "../../../core/formats/address.ts";
import { Hex } from "../../../core/graph/scalars.ts";
import type { EvmContext } from "../context.ts";
import { EvmInternalTransaction } from "../internal-transactions/types.ts";
import { EvmLog } from "../logs/types.ts";
import { EvmTransaction } from "../transactions/types.ts";
import { decodeEvent, messageOfError } from "./decode.ts";
import { decodeData, decodeWith } from "./find-entry.ts";
import { DecodedCall, DecodedEvent, RevertReason } from "./types.ts";

const NOT_DECODED =
  "no known ABI has the method, if the data is not exactly an encoding of its arguments, or if it is longer than 32,768 bytes";

@Resolver(() => EvmTransaction)
export class DecodedTransactionResolver {
  @FieldResolver(() => DecodedCall, {
    nullable: true,
    description: `Method and arguments of the call data. Null if the transaction creates a contract or has no call data, if ${NOT_DECODED}.`,
  })
  decodedInput(
    @Root() { chainId, to, input }: EvmTransaction,
    @Ctx() context: EvmContext,
  ): Promise<DecodedCall | null> {
    return decodeData("function", { chainId, address: to, data: input }, context);
  }

  @FieldResolver(() => RevertReason, {
    nullable: true,
    description:
      "Why the transaction failed. Null if it succeeded, or if the block is not traced; `Chain.capabilities` has the reason.",
  })
  async revertReason(@Root() transaction: EvmTransaction, @Ctx() context: EvmContext): Promise<RevertReason | null> {
    const { chainId, blockNumber, blockIndex, to } = transaction;
    if (transaction.txStatus !== 0) return null;
    const failure = await context.load.failure({ chainId, blockNumber, blockIndex });
    if (failure === null) return null;
    const { error, output } = failure;
    const address = to ?? transaction.contractAddress ?? ZERO_ADDRESS;
    const decodedError = await decodeData("error", { chainId, address, data: output }, context);
    return { error, output, message: decodedError && messageOfError(decodedError), decodedError };
  }
}

const NOT_STORED =
  "Null if it is longer than 8,192 bytes, if 65,536 bytes of the transaction's calls are stored, or if the call tree was stored by a version of Moraine that did not keep it.";

@Resolver(() => EvmInternalTransaction)
export class DecodedInternalTransactionResolver {
  @FieldResolver(() => Hex, {
    nullable: true,
    description: `Call data; for a creation, the init code. ${NOT_STORED}`,
  })
  async input(@Root() call: EvmInternalTransaction, @Ctx() context: EvmContext): Promise<string | null> {
    return (await loadCallData(call, context))?.input ?? null;
  }

  @FieldResolver(() => Hex, {
    nullable: true,
    description: `What the call returned; for a creation, the code of the contract. ${NOT_STORED}`,
  })
  async output(@Root() call: EvmInternalTransaction, @Ctx() context: EvmContext): Promise<string | null> {
    return (await loadCallData(call, context))?.output ?? null;
  }

  @FieldResolver(() => DecodedCall, {
    nullable: true,
    description: `Method and arguments of \`input\`. Null if the call creates a contract, if \`input\` is null or empty, if ${NOT_DECODED}.`,
  })
  async decodedInput(@Root() call: EvmInternalTransaction, @Ctx() context: EvmContext): Promise<DecodedCall | null> {
    if (!CALLS.has(call.internalTxType)) return null;
    const data = (await loadCallData(call, context))?.input ?? null;
    return decodeData("function", { chainId: call.chainId, address: call.to.address, data }, context);
  }
}

/** Types of internal transactions that call a method. */
const CALLS: ReadonlySet<string> = new Set(["CALL", "CALLCODE"]);

function loadCallData(call: EvmInternalTransaction, { load }: EvmContext) {
  const { chainId, blockNumber, blockIndex, traceIndex } = call;
  return load.internalCallData({ chainId, blockNumber, blockIndex, traceIndex });
}

@Resolver(() => EvmLog)
export class DecodedLogResolver {
  @FieldResolver(() => DecodedEvent, {
    nullable: true,
    description:
      "Event and parameters. Null if no known ABI has the event with these topics, if the data is not exactly an encoding of the parameters, or if it is longer than 32,768 bytes.",
  })
  async decoded(@Root() log: EvmLog, @Ctx() context: EvmContext): Promise<DecodedEvent | null> {
    const { chainId, address, topic0 } = log;
    if (topic0 === null) return null;
    const key = { chainId, address, kind: "event", selector: topic0 } as const;
    return decodeWith(key, (entry, source) => decodeEvent(entry, log, source), context);
  }
}
