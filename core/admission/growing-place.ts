import { handledLater } from "../handled-later.ts";
import type { ExchangeablePlace } from "../observability/request-scope.ts";
import type { Admission } from "./admission.ts";
import type { Release } from "./gate.ts";

type GrowingAdmission = Pick<Admission, "enter" | "holdRows">;

/**
 * The place of a light operation, which may exchange it for that of a heavy one. One is made for each light operation, and a class takes less time
 * and memory than functions.
 */
export class GrowingPlace implements ExchangeablePlace {
  readonly #admission: GrowingAdmission;
  readonly #caller: string;
  #held: Release | null;
  #growing: Promise<void> | null = null;
  /** Characters of its rows that `holdRows` has counted. */
  #own = 0;
  #isOver = false;
  #isHeavy = false;
  #refusal: unknown = null;

  constructor(admission: GrowingAdmission, caller: string, release: Release | null) {
    this.#admission = admission;
    this.#caller = caller;
    this.#held = release;
  }

  get isHeavy(): boolean {
    return this.#isHeavy;
  }

  /** Why there is no place for it as a heavy operation; null if it was not refused. */
  get refusal(): unknown {
    return this.#refusal;
  }

  async becomeHeavy(characters: number): Promise<void> {
    if (this.#isHeavy) return;
    this.#leave();
    // If it throws, the caller has other operations that wait, so that there is no free place.
    const releaseRows = this.#holdRows(characters);
    this.#growing ??= handledLater(this.#grow());
    await this.#growing.finally(releaseRows);
  }

  /** To be called when the operation has ended. */
  release(): void {
    this.#isOver = true;
    this.#leave();
  }

  #leave(): void {
    this.#held?.();
    this.#held = null;
  }

  #holdRows(characters: number): Release {
    try {
      const rows = { characters, own: this.#own };
      const releaseRows = this.#admission.holdRows({ costClass: "heavy", caller: this.#caller }, rows);
      this.#own += characters;
      return releaseRows;
    } catch (error) {
      this.#refusal = error;
      throw error;
    }
  }

  async #grow(): Promise<void> {
    try {
      const entered = this.#admission.enter({ costClass: "heavy", caller: this.#caller });
      this.#held = entered instanceof Promise ? await entered : entered;
    } catch (error) {
      this.#refusal ??= error;
      throw error;
    }
    this.#isHeavy = true;
    // Another part of the operation has failed meanwhile.
    if (this.#isOver) this.#leave();
  }
}
