/** Code of minimal proxies, hex without `0x`: as EIP-1167 and EIP-7511 (with PUSH0) define it, with the address of the implementation. */
const FORMS = [
  /^363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/,
  /^365f5f375f5f365f73([0-9a-f]{40})5af43d5f5f3e5f3d91602a57fd5bf3$/,
];

/** Address (hex without `0x`) of the contract to which code (lower-case hex without `0x`) passes all calls; null for other code. */
export function minimalProxyTarget(code: string): string | null {
  for (const form of FORMS) {
    const target = form.exec(code)?.[1];
    if (target !== undefined) return target;
  }
  return null;
}
