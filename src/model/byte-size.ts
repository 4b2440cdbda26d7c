const UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
};

export const BYTE_SIZE_EXAMPLES = '"500MB", "5GB" or "2GiB"';

/** Bytes of a size such as `5GB`; undefined when it is not one. A bare number has no unit and is not one. */
export function parseByteSize(text: string): number | undefined {
  const [, figure = '', unit = ''] = /^\s*(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]+)\s*$/i.exec(text) ?? [];
  const factor = UNITS[unit.toLowerCase()];
  return factor === undefined ? undefined : Math.round(Number(figure) * factor);
}

/** `1.2 GB`, `340 kB`, `12 B`. */
export function formatByteSize(bytes: number): string {
  const [unit, factor] =
    bytes >= 1e12 ? ['TB', 1e12] : bytes >= 1e9 ? ['GB', 1e9] : bytes >= 1e6 ? ['MB', 1e6] : ['kB', 1e3];
  if (bytes < 1000) return `${bytes} B`;
  const value = bytes / factor;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
