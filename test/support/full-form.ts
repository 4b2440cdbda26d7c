/** `npm run test:full`, with the longest sweeps. */
export const FULL = process.env['PAWL_TEST_FULL'] === '1';
/** `.ci/run`. */
export const ALL = FULL || process.env['PAWL_TEST_ALL'] === '1';

/** How often a property is tried. */
export const tries = (usual: number): number => (FULL ? 20 * usual : usual);
