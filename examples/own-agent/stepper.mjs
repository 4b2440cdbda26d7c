// Stands for an agent CLI: reads a prompt, does a step of work, tells about it in JSON lines of its own.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { json: { type: 'boolean' }, model: { type: 'string' }, resume: { type: 'string' } },
});
const [task] = readFileSync(0, 'utf8').split('\n');
const say = (line) => console.log(JSON.stringify(line));

const steps = existsSync('steps.txt') ? readFileSync('steps.txt', 'utf8').trim().split('\n') : [];
const step = ['first', 'second', 'third'][steps.length] ?? 'another';

say({ type: 'session.start', session: { id: values.resume ?? 'steps-1' } });
say({
  type: 'message',
  message: {
    id: `m${steps.length}`,
    role: 'assistant',
    model: values.model,
    content: [{ text: `"${task}": the ${step} one.` }, { tool: 'append', call: 'c1', arguments: { line: step } }],
    usage: { input: 1000, cached: 800, output: 20, usd: 0.01 },
  },
});
appendFileSync('steps.txt', `${step}\n`);
say({ type: 'tool.done', call: 'c1', exit: 0, output: 'appended' });
say({ type: 'session.end', reason: 'done' });
