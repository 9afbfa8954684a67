/** Key of an entry of a validator set: a node with its stakers, or an L1 validation. */
export function entryKey(subnetId: string, entryId: string): string {
  return `${subnetId} ${entryId}`;
}
