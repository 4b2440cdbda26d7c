/** `npm run test:full`, with the longest sweeps. */
export const FULL = process.env['PAWL_TEST_FULL'] === '1';
/** `.ci/run`. */
export const ALL = FULL || process.env['PAWL_TEST_ALL'] === '1';

/** `npm test`. */
const QUICK = process.env['PAWL_TEST_QUICK'] === '1';

/** How often a property is tried. */
export const tries = (usual: number): number => (FULL ? 20 * usual : quickly(usual));
/** How much of something a test gives to what must cope with any amount. */
export const quickly = (usual: number): number => (QUICK ? Math.ceil(usual / 5) : usual);
