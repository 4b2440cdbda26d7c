import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { asksPerson } from '../../src/observation/message/asks-person.js';
import { benchOptions } from '../bench-options.js';
import { countsOf, report } from './report.js';
import { readLabels, readSession } from './sessions.js';

// npm run bench -- requests. `--sessions FOLDER` has the recorded sessions; they are not part of this repository.
const values = benchOptions({
  sessions: { type: 'string', default: '../shared/trajectories' },
  out: { type: 'string', default: 'bench/requests/results.md' },
});
const readers = ['a', 'b'].map((reader) => ({
  name: reader.toUpperCase(),
  labels: readLabels(resolve(`bench/requests/labels-${reader}.csv`)),
}));
const names = [...(readers[0]?.labels.keys() ?? [])];
const sessions = names.flatMap((name) => readSession(resolve(values.sessions), name) ?? []);
const missing = names.filter((name) => !sessions.some((session) => session.name === name));
if (missing.length > 0)
  console.log(`  skipped: ${missing.length} of ${names.length} sessions are not in ${values.sessions}`);

if (sessions.length > 0) {
  const reads = sessions.map((session) => ({ ...session, found: asksPerson(session.lastMessage ?? '') }));
  for (const reader of readers) {
    const { hits, misses, falseAlarms } = countsOf(reads, reader);
    console.log(`  reader ${reader.name}: ${hits} hits, ${misses} misses, ${falseAlarms} false alarms`);
  }
  if (missing.length === 0) writeFileSync(resolve(values.out), report(reads, readers, missing));
  else console.log(`  ${values.out} is not written: it is of all ${names.length} sessions`);
}
