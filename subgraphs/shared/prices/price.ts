import { Directive, Field, ObjectType, registerEnumType } from "type-graphql";
import { CURRENCIES, type Currency } from "../../../core/networks/prices.ts";

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
  description: "Currency of a price.",
  valuesConfig: Object.fromEntries(CURRENCIES.map((code) => [code, { description: `${NAMES[code]}.` }])) as {
    [Name in Currency]: { description: string };
  },
});

@ObjectType({ description: "A price in a currency." })
@Directive("@shareable")
export class Price {
  @Field(() => CurrencyCode, { description: "Currency of the price." })
  currencyCode!: CurrencyCode;

  @Field(() => String, { description: "Price as decimal text, without an exponent and without trailing zeros." })
  value!: string;
}
