import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { benchOptions } from '../bench-options.js';
import { readSet, setsIn } from './read-set.js';
import { report } from './report.js';
import { studySet } from './study-set.js';

// npm run bench -- real. `--runs FOLDER` has the recorded runs, a folder with a labels.csv for each set; they are not part of
// this repository. `--out FILE` says where the results go, `--out -` prints them.
const values = benchOptions({
  runs: { type: 'string', default: '../shared/trajectories' },
  set: { type: 'string', multiple: true },
  out: { type: 'string', default: 'bench/real/results.md' },
});
const folder = resolve(values.runs);
const names = setsIn(folder).filter((name) => values.set === undefined || values.set.includes(name));
if (names.length === 0) console.log(`  skipped: there are no labelled runs in ${values.runs}`);

const studies = [];
for (const name of names) {
  const started = performance.now();
  const set = await readSet(folder, name);
  for (const problem of set.refused) console.log(`  refused: ${problem}`);
  if (set.runs.length !== set.files)
    console.log(`  ${name}: ${set.runs.length} of ${set.files} labelled runs could be read`);
  studies.push(studySet(set));
  console.log(`  ${name}: ${set.runs.length} runs, ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
if (studies.length > 0) {
  const text = report(studies);
  if (values.out === '-') console.log(text);
  else writeFileSync(resolve(values.out), text);
}
