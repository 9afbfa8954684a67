/** True for an error of the operating system with this code, such as `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Object && "code" in error && error.code === code;
}
