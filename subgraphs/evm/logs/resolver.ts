import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { bytea } from "../../shared/rows/text-rows.ts";
import { findChainId } from "../chains/chain-id.ts";
import { UNINDEXED_CHAIN } from "../chains/require-indexed.ts";
import type { EvmContext } from "../context.ts";
import { Contract } from "../contracts/types.ts";
import { pageOfIndexed } from "../ranged-lists/page-in-range.ts";
import { rangeOf } from "../ranged-lists/range.ts";
import { topicParameter } from "./store.ts";
import { ContractLogsArgs, EvmLogConnection, type EvmLogFilter, EvmLogsArgs } from "./types.ts";

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
  const { load } = context;
  const { topic0 } = filter;
  const range = rangeOf(filter);
  const list = topic0
    ? load.logsOfContractEvent([chainId, bytea(address), topicParameter(topic0), ...range], page)
    : load.logsOfContract([chainId, bytea(address), ...range], page);
  return pageOfIndexed(chainId, list, context);
}
