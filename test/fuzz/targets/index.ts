import type { FuzzTarget } from '../fuzz-target.js';
import { RECORD_TARGETS } from './agent-records.js';
import { AGENT_TARGETS } from './agents.js';
import { CONFIG_TARGETS } from './configs.js';
import { JOURNAL_TARGETS } from './journals.js';
import { SMALL_TEXT_TARGETS } from './small-texts.js';
import { TEST_OUTPUT_TARGETS } from './test-output.js';

/** Everything that reads a text of others, by name. */
export const TARGETS: Readonly<Record<string, FuzzTarget>> = {
  ...AGENT_TARGETS,
  ...RECORD_TARGETS,
  ...TEST_OUTPUT_TARGETS,
  ...CONFIG_TARGETS,
  ...JOURNAL_TARGETS,
  ...SMALL_TEXT_TARGETS,
};
