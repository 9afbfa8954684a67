/** Lets a loop sleep until something happens. */
export interface WakeUp {
  /** Ends the sleep at the end of this turn of the event loop, so that everything that happens in one turn counts once. */
  wake(): void;
  /** Resolves when `wake` has been called since the last sleep. */
  sleep(): Promise<void>;
}

export function createWakeUp(): WakeUp {
  let isScheduled = false;
  let isAwake = false;
  let resume: (() => void) | null = null;
  const fire = () => {
    isScheduled = false;
    isAwake = true;
    resume?.();
  };
  return {
    wake() {
      if (!isScheduled) setImmediate(fire);
      isScheduled = true;
    },
    async sleep() {
      if (!isAwake)
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      isAwake = false;
      resume = null;
    },
  };
}
