import { execFileSync } from 'node:child_process';
import { benchOptions, refuse } from '../bench-options.js';
import { report } from '../measure.js';
import { iteration } from './iteration.js';
import { longRecordFelt } from './long-record.js';
import { longRun, store } from './long-run.js';
import { output } from './output.js';
import { dashboard } from './page.js';
import { records } from './records.js';
import { start } from './start.js';
import { largeTree, plainTree, tracking } from './trees.js';

/** What a user feels: the command from a shell, cold, against an agent that takes no time of its own. */
const ALL = [
  start,
  iteration,
  tracking,
  plainTree,
  largeTree,
  output,
  records,
  longRecordFelt,
  dashboard,
  store,
  longRun,
];

const values = benchOptions({ only: { type: 'string', multiple: true }, full: { type: 'boolean', default: false } });
const { only = [], full } = values;
const unknown = only.find((name) => !ALL.some((one) => one.name === name));
if (unknown !== undefined) refuse(`--only ${unknown}: there are ${ALL.map(({ name }) => name).join(', ')}`);

execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
for (const felt of ALL) {
  if (only.length > 0 && !only.includes(felt.name)) continue;
  // oxlint-disable-next-line no-await-in-loop -- one measurement must not disturb another
  report(`${felt.title}  (npm run bench -- felt --only ${felt.name})`, await felt.measure({ isFull: full }));
}
