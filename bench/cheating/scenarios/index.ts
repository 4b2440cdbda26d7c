import { CHEATS } from './cheats/index.js';
import { HONEST } from './honest/index.js';
import type { Scenario } from './scenario.js';

export { CHEATS, HONEST };

export const SCENARIOS: readonly Scenario[] = [...Object.values(CHEATS).flat(), ...Object.values(HONEST).flat()];
