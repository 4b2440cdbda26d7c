// A reviewer that reads nothing of the work: it looks up where a person wants the run to stop, counts the calls of the agent,
// and answers that. It shows what Pawl makes of an answer, and nothing about what a model would answer.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
const { calls, ends } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
const started = readFileSync(join(folder, 'ledger.jsonl'), 'utf8').match(/"what":"started"/g)?.length ?? 0;

/** What a person says who knows the end. Money, time and the provider are not the reviewer's to judge. */
const FINAL = { done: 'done', 'gave up': 'stuck', blocked: 'blocked' };
const wanted = started < calls[0] ? 'not_done' : (FINAL[ends] ?? 'not_done');

// The prompt ends with the answers that fit its question.
const offered = readFileSync(0, 'utf8').match(/^- answer: .*$/m)?.[0] ?? '';
const answer = offered.includes(`"${wanted}"`) ? wanted : 'not_done';
const words = `by the script, after call ${started}`;
console.log(JSON.stringify({ answer, reasons: [words], question: words, alive: started < calls[0] }));
