/** The first number such as `2.1.325` in a text; what else a program prints beside it is not looked at. */
export function versionIn(text: string): string | undefined {
  return /(?<![\w.])v?(\d{1,6}(?:\.\d{1,12}){1,3})(?![\w])/.exec(text.slice(0, 4000))?.[1];
}

/** Below 0 when `a` is older than `b`. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function partsOf(version: string): readonly number[] {
  return version.split('.').map(Number);
}
