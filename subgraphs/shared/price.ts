import { Directive, Field, ObjectType, registerEnumType } from "type-graphql";
import { CURRENCIES, type Currency } from "../../core/prices.ts";

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
@Directive("@shareable")
export class Price {
  @Field(() => CurrencyCode, { description: "Currency." })
  currencyCode!: CurrencyCode;

  @Field(() => String, { description: "Amount as decimal text, without exponent and without zeros at its end." })
  value!: string;
}
