import { Directive, Field, ObjectType } from "type-graphql";
import type { Currency } from "../../../core/networks/prices.ts";
import { graphEnum } from "../schema/graph-enum.ts";

export const CurrencyCode = graphEnum<Currency>({
  name: "CurrencyCode",
  description: "Currency of a price.",
  values: {
    usd: "United States dollar.",
    eur: "Euro.",
    aud: "Australian dollar.",
    cad: "Canadian dollar.",
    chf: "Swiss franc.",
    clp: "Chilean peso.",
    cny: "Chinese yuan.",
    czk: "Czech koruna.",
    dkk: "Danish krone.",
    gbp: "Pound sterling.",
    hkd: "Hong Kong dollar.",
    huf: "Hungarian forint.",
    jpy: "Japanese yen.",
    nzd: "New Zealand dollar.",
  },
});
export type CurrencyCode = Currency;

@ObjectType({ description: "A price in a currency." })
@Directive("@shareable")
export class Price {
  @Field(() => CurrencyCode, { description: "Currency of the price." })
  currencyCode!: CurrencyCode;

  @Field(() => String, { description: "Price as decimal text, without an exponent and without trailing zeros." })
  value!: string;
}
