import { ArgsType, Field } from "type-graphql";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Selector } from "../../../core/graph/scalars.ts";
import {
  AccountMethodCallFilter,
  AccountTransactionFilter,
  AccountTransferFilter,
  AddressTransactionFilter,
  AddressTransferFilter,
  ChainsFilter,
  MethodCallFilter,
  TokenTransferFilter,
} from "./filters.ts";
import { BlockRangeFilter } from "./range.ts";

const FILTER = "Filter of the items. Default: all items.";

/** Base class of the arguments of a list with a filter. */
export function FilteredArgs<Filter extends object>(Filter: new () => Filter) {
  @ArgsType()
  abstract class Args extends ConnectionArgs({ max: 100, initial: 10 }) {
    @Field(() => Filter, { nullable: true, description: FILTER })
    filter?: Filter | null;
  }
  return Args;
}

@ArgsType()
export class BlockRangeArgs extends FilteredArgs(BlockRangeFilter) {}

@ArgsType()
export class MethodCallsArgs extends FilteredArgs(MethodCallFilter) {
  @Field(() => Selector, { description: "The method." })
  method!: string;
}

@ArgsType()
export class AddressTransfersArgs extends FilteredArgs(AddressTransferFilter) {}

@ArgsType()
export class TokenTransfersArgs extends FilteredArgs(TokenTransferFilter) {}

@ArgsType()
export class AddressTransactionsArgs extends FilteredArgs(AddressTransactionFilter) {}

@ArgsType()
export class ChainsListArgs extends FilteredArgs(ChainsFilter) {}

@ArgsType()
export class AccountMethodCallsArgs extends FilteredArgs(AccountMethodCallFilter) {
  @Field(() => Selector, { description: "The method." })
  method!: string;
}

@ArgsType()
export class AccountTransfersArgs extends FilteredArgs(AccountTransferFilter) {}

@ArgsType()
export class AccountTransactionsArgs extends FilteredArgs(AccountTransactionFilter) {}
