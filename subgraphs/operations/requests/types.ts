import { Field, InputType, registerEnumType } from "type-graphql";
import { Compression, ExportDateFormat, OperationType } from "../../../core/database/operations.ts";

registerEnumType(OperationType, {
  name: "OperationType",
  description: "What an operation does.",
  valuesConfig: {
    TRANSACTION_EXPORT_EVM: { description: "Exports the transactions of addresses on the C-Chain and EVM L1s." },
    TRANSACTION_EXPORT_PRIMARY_NETWORK: {
      description: "Exports the UTXO movements of addresses on the P-, X- and C-Chain, with all columns.",
    },
    TRANSACTION_EXPORT_PRIMARY_NETWORK_SIMPLE: {
      description: "Exports the same rows as `TRANSACTION_EXPORT_PRIMARY_NETWORK`, with fewer columns.",
    },
    TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING: {
      description: "Exports the stakes and rewards of addresses on the P-Chain.",
    },
  },
});

registerEnumType(Compression, {
  name: "ExportCompression",
  description: "Format of an exported file.",
  valuesConfig: {
    NONE: { description: "A CSV file." },
    GZIP: { description: "A CSV file compressed with gzip." },
  },
});

registerEnumType(ExportDateFormat, {
  name: "ExportDateFormat",
  description: "How an exported file writes times. All times are in UTC.",
  valuesConfig: {
    ISO_8601: { description: "ISO 8601, such as `2024-06-27T14:06:36Z`." },
    DATE_TIME: { description: "`YYYY-MM-DD hh:mm:ss`, such as `2024-06-27 14:06:36`." },
  },
});

@InputType({ description: "Addresses and chains of an export, and the format of its file." })
export class TransactionExportOptions {
  @Field(() => [String], {
    nullable: true,
    description:
      "For EVM exports: EVM addresses; at least one is required. For the other types: Bech32 addresses of the primary network, with or without the prefix `P-`, `X-` or `C-`. At most 1,000; duplicates count once.",
  })
  addresses?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description:
      "C-Chain accounts whose atomic imports and exports are in the file of a primary network export. EVM exports do not accept this option. The other types need at least one of `addresses` and `cChainEvmAddresses`; both together have at most 1,000 addresses.",
  })
  cChainEvmAddresses?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description:
      "Required. For EVM exports: EVM chain ids or blockchain ids of chains that this installation serves. For the other types: `p-chain`, `x-chain`, `c-chain` or the blockchain ids of these chains, all of one network.",
  })
  includeChains?: string[] | null;

  @Field(() => Compression, { nullable: true, description: "Format of the file. Default: `NONE`." })
  compression?: Compression | null;
}

@InputType({
  description:
    "A request for an export of transactions. If a value is invalid, the request fails with `INVALID_PARAMETER`, and the message names the member and the rule.",
})
export class TransactionExportRequest {
  @Field(() => OperationType, { description: "What is exported." })
  type!: OperationType;

  @Field(() => String, {
    nullable: true,
    description:
      "First day, as `YYYY-MM-DD` in UTC, inclusive. Default: the first day with data. A day in the future is accepted.",
  })
  firstDate?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Last day, as `YYYY-MM-DD` in UTC, inclusive. Default: the last day with data.",
  })
  lastDate?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Another name of `firstDate`. If both are given, they must be equal.",
    deprecationReason: "Use `firstDate`. Removed in 1.0.0.",
  })
  startDate?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Another name of `lastDate`. If both are given, they must be equal.",
    deprecationReason: "Use `lastDate`. Removed in 1.0.0.",
  })
  endDate?: string | null;

  @Field(() => TransactionExportOptions, { description: "Addresses, chains and format." })
  options!: TransactionExportOptions;
}

@InputType({ description: "Options of an exported file that the REST specification does not have." })
export class ExportFileOptions {
  @Field(() => ExportDateFormat, { nullable: true, description: "How times are written. Default: `ISO_8601`." })
  dateFormat?: ExportDateFormat | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "True if the file begins with a byte order mark (BOM), by which some spreadsheets recognise UTF-8. Default: false.",
  })
  byteOrderMark?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "True if the file has a last column, `ExportedAddress`: the address of the request for which the row is listed. If there are several, they have a semicolon between them. Default: false.",
  })
  exportedAddress?: boolean | null;
}
