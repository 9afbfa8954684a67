import { decimalText } from "../../core/formats/decimal.ts";
import { isValidExample } from "../../test/support/example-text.ts";
import type { Column } from "./column.ts";
import { EVM_COLUMNS, EXPORTED_ADDRESS } from "./evm/columns.ts";
import { EXPORTED_OWNER, MOVEMENT_COLUMNS, SIMPLE_COLUMNS } from "./primary/movement-columns.ts";
import { EXPORTED_STAKER, STAKE_COLUMNS } from "./primary/stake-columns.ts";
import { isoTime } from "./shared/days.ts";

type Texts = Pick<Column<never>, "name" | "kind" | "description" | "empty" | "example">;

const LISTS: readonly (readonly [list: string, decimals: number, columns: readonly Texts[]])[] = [
  ["EVM", 18, [...EVM_COLUMNS, EXPORTED_ADDRESS]],
  ["PRIMARY_NETWORK", 9, [...MOVEMENT_COLUMNS, EXPORTED_OWNER]],
  ["PRIMARY_NETWORK_SIMPLE", 9, [...SIMPLE_COLUMNS, EXPORTED_OWNER]],
  ["PRIMARY_NETWORK_STAKING", 9, [...STAKE_COLUMNS, EXPORTED_STAKER]],
];
const ALL_NAMES = new Set(LISTS.flatMap(([, , columns]) => columns.map(({ name }) => name)));

describe.each(LISTS)("the columns of TRANSACTION_EXPORT_%s", (_list, decimals, columns) => {
  const exampleOf = new Map(columns.map(({ name, example }) => [name, example]));

  it("have examples that are valid numbers, times, addresses and ids", () => {
    const isValid = ({ kind, example }: Texts) =>
      kind === "number" ? /^(0|[1-9]\d*)(\.\d*[1-9])?$/.test(example) : isValidExample(example);
    expect(columns.filter((column) => !isValid(column)).map(({ name, example }) => [name, example])).toEqual([]);
  });

  it("have examples that belong together: each time to its timestamp, each amount to its value", () => {
    for (const [name, example] of exampleOf) {
      const timestamp = exampleOf.get(name.replace(/Time$/, "Timestamp"));
      if (name.endsWith("Time") && timestamp) expect([name, example]).toEqual([name, isoTime(timestamp)]);
      const value = name === "Amount" ? exampleOf.get("Value") : exampleOf.get(name.replace(/Amount$/, ""));
      if (name.endsWith("Amount") && value)
        expect([name, example]).toEqual([name, decimalText(BigInt(value), decimals)]);
    }
  });

  it("have texts that name no column which the file does not have", () => {
    for (const { name, description, empty } of columns) {
      const named = `${description} ${empty}`.match(/(?<=`)[A-Z]\w+(?=`)/g) ?? [];
      const unknown = named.filter((one) => ALL_NAMES.has(one) && !exampleOf.has(one));
      expect([name, unknown]).toEqual([name, []]);
    }
  });
});
