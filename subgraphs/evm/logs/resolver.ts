import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import type { Page } from "../../../core/graph/connection-page.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { findChainId } from "../chains/chain-id.ts";
import { UNINDEXED_CHAIN } from "../chains/require-indexed.ts";
import type { EvmContext } from "../context.ts";
import { Contract } from "../contracts/types.ts";
import { pageOfIndexed } from "../ranged-lists/page-in-range.ts";
import { rangeOf } from "../ranged-lists/range.ts";
import { argumentParameter, topicParameter } from "./store.ts";
import { ContractLogsArgs, type EvmLog, EvmLogConnection, type EvmLogFilter, EvmLogsArgs } from "./types.ts";

@Resolver(() => Contract)
export class LogResolver {
  @Query(() => EvmLogConnection, {
    description: `List the logs of a contract, newest first. ${UNINDEXED_CHAIN}`,
  })
  evmLogs(
    @Arg("chainId", () => String, { description: "EVM chain id or blockchain id." }) chainIdText: string,
    @Args(() => EvmLogsArgs) args: EvmLogsArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmLogConnection> {
    const chainId = findChainId(chainIdText, context);
    const { address } = args.filter;
    return logsOf({ chainId, address }, args.filter, args, context);
  }

  @FieldResolver(() => EvmLogConnection, { description: "Logs of the contract, newest first." })
  logs(
    @Root() contract: Contract,
    @Args(() => ContractLogsArgs) args: ContractLogsArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmLogConnection> {
    return logsOf(contract, args.filter ?? {}, args, context);
  }
}

function logsOf(
  { chainId, address }: Contract,
  filter: Omit<EvmLogFilter, "address">,
  page: ContractLogsArgs | EvmLogsArgs,
  context: EvmContext,
): Promise<EvmLogConnection> {
  return pageOfIndexed(chainId, listOf([chainId, bytea(address)], filter, page, context), context);
}

/** The list of a contract (chain id, address) that serves the filter. */
async function listOf(
  contract: readonly string[],
  filter: Omit<EvmLogFilter, "address">,
  page: ContractLogsArgs | EvmLogsArgs,
  { load }: EvmContext,
): Promise<Page<EvmLog>> {
  const { topic0, indexedArgument: argument } = filter;
  // No log has two first topics.
  const isImpossible = topic0 && argument && topic0 !== argument.topic0;
  const range = rangeOf(isImpossible ? { fromBlock: "0", toBlock: "0" } : filter);
  if (argument) {
    const key = [...contract, topicParameter(argument.topic0), argumentParameter(argument.value), ...range];
    return load.logsOfContractArgument[argument.topic](key, page);
  }
  return topic0
    ? load.logsOfContractEvent([...contract, topicParameter(topic0), ...range], page)
    : load.logsOfContract([...contract, ...range], page);
}
