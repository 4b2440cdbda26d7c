import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunEvent } from '../model/run-event.js';
import { createPipeline } from './run-pipeline.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-run-attempt-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

/** How the attempts of a pipeline end. */
async function attemptsOf(manifest: string, outer: Readonly<Record<string, string>> = {}) {
  writeFileSync(join(folder, 'pipeline.yaml'), manifest);
  const environment = { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: join(folder, 'state'), ...outer };
  const handle = await createPipeline('pipeline.yaml', { cwd: folder, environment, control: false });
  const ended: Extract<RunEvent, { type: 'attempt-ended' }>[] = [];
  handle.subscribe((event) => void (event.type === 'attempt-ended' && ended.push(event)));
  await handle.run();
  return ended.map(({ outcome, reasons, message }) => ({ outcome, reasons, message }));
}

it('a command does not know the item of a pipeline around it', async () => {
  const outer = { PAWL_ITEM_TONE: 'loud', PAWL_ITEM: '{}', PAWL_OUTPUT: '/elsewhere', PAWL_OTHER: 'kept' };
  const see = (name: string) => `env | grep ^PAWL_ | grep -v COOKIE | grep -v RUNNER | sort > ${name}`;
  await attemptsOf(
    `items: { command: "echo a; ${see('listing')}" }\ngenerate: { command: "${see('making')}" }\naudit: "${see('judging')}"\n`,
    outer,
  );
  const seen = (name: string) => readFileSync(join(folder, name), 'utf8');
  expect(seen('listing')).toBe('PAWL_OTHER=kept\n');
  for (const name of ['making', 'judging']) {
    expect(seen(name)).not.toContain('loud');
    expect(seen(name)).not.toContain('elsewhere');
    expect(seen(name)).toContain('PAWL_ITEM={"id":"a"}\nPAWL_ITEM_ID=a\n');
  }
});

it('a generator that takes too long is called that', async () => {
  const [attempt] = await attemptsOf(
    'items: [a]\ngenerate: { command: sleep 60, timeout: 1s }\nretry: { max_attempts: 1 }\n',
  );
  expect(attempt).toMatchObject({ reasons: ['GENERATOR_TIMED_OUT'] });
  expect(attempt?.message).toMatch(/^the generator .* 1s$/);
});

it('a verdict over several lines counts, also with a line about its cost behind it', async () => {
  const audit = String.raw`printf '{\n  "verdict": "rejected",\n  "reasons": ["DARK"]\n}\n{"pawl":"usage","cost_usd":0.01}\n'`;
  const attempts = await attemptsOf(`items: [a]\ngenerate: { command: "true" }\naudit: ${JSON.stringify(audit)}\n`);
  expect(attempts).toMatchObject([{ outcome: 'rejected', reasons: ['DARK'] }]);
});

it('an audit that prints a rejection and exits with 0 rejects, whatever it prints after it', async () => {
  const audit = String.raw`printf '{"verdict":"rejected"}\nchecked 1 file\n'`;
  const attempts = await attemptsOf(`items: [a]\ngenerate: { command: "true" }\naudit: ${JSON.stringify(audit)}\n`);
  expect(attempts).toMatchObject([{ outcome: 'rejected' }]);
});

it('an audit that prints a rejection on stderr and exits with 0 rejects', async () => {
  const audit = String.raw`echo checked; printf '{"verdict":"rejected","reasons":["DARK"]}\n' >&2`;
  const attempts = await attemptsOf(`items: [a]\ngenerate: { command: "true" }\naudit: ${JSON.stringify(audit)}\n`);
  expect(attempts).toMatchObject([{ outcome: 'rejected', reasons: ['DARK'] }]);
});

it('the words of a generator are recorded as they are', async () => {
  const [attempt] = await attemptsOf(
    'items: [a]\ngenerate: { command: "echo no fit after 500 iterations; exit 1" }\nretry: { max_attempts: 1 }\n',
  );
  expect(attempt?.message).toBe('no fit after 500 iterations');
});
