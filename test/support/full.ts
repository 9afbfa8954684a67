/** True in the full form of the suite (`npm run test:full`), which tries every case where `npm test` tries a fixed sample. */
export const isFullRun = process.env.MORAINE_TEST_FULL === "1";
