import { Field, ObjectType, registerEnumType } from "type-graphql";
import { CURRENCIES, type Currency } from "../../../core/prices.ts";
import { NetworkToken } from "../chains/types.ts";

export const CurrencyCode = Object.fromEntries(CURRENCIES.map((name) => [name, name])) as { [Name in Currency]: Name };
export type CurrencyCode = Currency;

const NAMES: Readonly<Record<Currency, string>> = {
  usd: "United States dollar",
  eur: "Euro",
  aud: "Australian dollar",
  cad: "Canadian dollar",
  chf: "Swiss franc",
  clp: "Chilean peso",
  cny: "Chinese yuan",
  czk: "Czech koruna",
  dkk: "Danish krone",
  gbp: "Pound sterling",
  hkd: "Hong Kong dollar",
  huf: "Hungarian forint",
  jpy: "Japanese yen",
  nzd: "New Zealand dollar",
};

registerEnumType(CurrencyCode, {
  name: "CurrencyCode",
  description: "A currency that prices are given in.",
  valuesConfig: Object.fromEntries(CURRENCIES.map((code) => [code, { description: `${NAMES[code]}.` }])) as {
    [Name in Currency]: { description: string };
  },
});

@ObjectType({ description: "An amount of money.", simpleResolvers: true })
export class Price {
  @Field(() => CurrencyCode, { description: "Currency." })
  currencyCode!: CurrencyCode;

  @Field(() => String, { description: "Amount as decimal text, without exponent and without zeros at its end." })
  value!: string;
}

@ObjectType({ description: "A chain's own token, and what a whole one costs.", simpleResolvers: true })
export class NetworkTokenDetails {
  @Field(() => NetworkToken, { description: "The token." })
  networkToken!: NetworkToken;

  @Field(() => Price, { nullable: true, description: "What it costs now; null when that is not known." })
  currentPrice!: Price | null;

  @Field(() => Price, { nullable: true, description: "What it cost at the time in question; null when not known." })
  historicalPrice!: Price | null;
}
