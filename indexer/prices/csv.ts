import { PriceSourceFailed } from "./source.ts";

/** Longest that a field may be: a quote that is never closed would take in the whole file. */
const MOST_CHARACTERS = 1_000;

export interface CsvField {
  readonly text: string;
  /** Where it begins, both from 1. */
  readonly line: number;
  readonly column: number;
}

export type CsvRecord = readonly CsvField[];

/** Reads CSV piece by piece: comma, quotes doubled within quotes, lines that end in LF or CRLF, empty lines passed over. */
export interface CsvReader {
  /** The records that end within the piece. Throws a `PriceSourceFailed` at the first character that is out of place. */
  push(text: string): CsvRecord[];
  /** What was left at the end of the file. */
  end(): CsvRecord[];
}

type State = "start" | "plain" | "quoted" | "closed" | "carriage";

/** What is wrong at a place of a file. */
export function refusedAt({ line, column }: Pick<CsvField, "line" | "column">, why: string): PriceSourceFailed {
  return new PriceSourceFailed(`line ${line}, column ${column}: ${why}`);
}

export function createCsvReader(): CsvReader {
  let state: State = "start";
  let fields: CsvField[] = [];
  let records: CsvRecord[] = [];
  let text = "";
  let [line, column] = [1, 0];
  let begin = { line: 1, column: 1 };

  const refuse = (why: string) => refusedAt({ line, column }, why);

  function endField(): void {
    fields.push({ text, ...begin });
    text = "";
    state = "start";
    begin = { line, column: column + 1 };
  }

  function endRecord(): void {
    const isEmpty = state === "start" && fields.length === 0;
    if (!isEmpty) {
      endField();
      records.push(fields);
    }
    fields = [];
    state = "start";
  }

  function newLine(): void {
    line++;
    column = 0;
    begin = { line, column: 1 };
  }

  function outside(character: string): void {
    if (character === ",") endField();
    else if (character === '"') {
      if (state !== "start") throw refuse("a quote may stand only around a whole field");
      state = "quoted";
    } else if (state === "closed") throw refuse(`a quoted field must be followed by a comma, got "${character}"`);
    else {
      state = "plain";
      text += character;
    }
  }

  function quoted(character: string): void {
    if (character === '"') state = "closed";
    else text += character;
    if (character !== "\n") return;
    line++;
    column = 0;
  }

  /** A quote within quotes is written twice: the second opens the field again. */
  function read(character: string): void {
    column++;
    if (text.length > MOST_CHARACTERS)
      throw refusedAt(begin, `a field must be of at most ${MOST_CHARACTERS} characters`);
    if (state === "quoted") quoted(character);
    else if (state === "carriage" && character !== "\n") throw refuse("a carriage return must end a line");
    else if (character === "\n") {
      if (state === "carriage") state = "start";
      else endRecord();
      newLine();
    } else if (character === "\r") {
      endRecord();
      state = "carriage";
    } else if (state === "closed" && character === '"') {
      text += '"';
      state = "quoted";
    } else outside(character);
  }

  const taken = (): CsvRecord[] => {
    const all = records;
    records = [];
    return all;
  };

  return {
    push(piece) {
      for (const character of piece) read(character);
      return taken();
    },
    end() {
      if (state === "quoted") throw refusedAt(begin, "a quote must be closed");
      if (state !== "carriage") endRecord();
      return taken();
    },
  };
}
