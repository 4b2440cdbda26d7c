/** Works on all of them, a few side by side. */
export async function inLanes(count: number, work: (index: number) => Promise<void>, lanes = 3): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
