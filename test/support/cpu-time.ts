/** How long this process worked on it: other than a clock, it says the same on a machine that is busy. */
export function cpuTimeMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user / 1000;
}
