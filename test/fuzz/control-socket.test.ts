import { loopStateOf } from '../../src/model/phase.js';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sendCommand } from '../../src/run/control-client.js';
import { AttackedRun } from '../support/attacked-run.js';
import { FULL } from '../support/full-form.js';
import { SEED } from './fuzz-run.js';
import { mutantOf } from './mutator.js';

const COUNT = FULL ? 20_000 : 300;
const AT_ONCE = 16;

/** Requests to another run are read in full and refused: what is obeyed is held back to a pace, which takes its time. */
const corpusOf = (runId: string) =>
  ['loop_01KZZZZZZZZZZZZZZZZZZZZZZZ', 'x', runId].flatMap((run, index) => [
    `{"run":"${run}","command":{"type":"${index === 2 ? 'stop it' : 'steer'}","text":"look at the tests"},"by":"me"}\n`,
    `{"run":"${run}","command":{"type":"extend","limit":{"type":"all","conditions":[{"type":"max_cost"}]}},"by":"me"}\n`,
    `{"run":"${run}","claim":{"claim":"done","evidence":"all pass"},"cookie":"none","by":"agent"}\n{"run":1}\n`,
    `GET / HTTP/1.1\r\nHost: ${run}\r\nContent-Length: 20\r\n\r\n{"run":"${run}"}\n`,
  ]);

/** Resolves when the other side has hung up, with what it said. */
function say(socket: string, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let heard = '';
    const client = connect(socket);
    client.on('error', () => undefined);
    client.on('data', (chunk) => (heard += String(chunk)));
    client.on('close', () => resolve(heard));
    client.end(bytes);
  });
}

it(
  'a live run that is told mutated requests answers each in its own form, and goes on unharmed',
  async () => {
    const run = new AttackedRun();
    try {
      const runner = run.prepare(['hangs'], { maxIterations: 1, iterationTimeout: '2h', idleTimeout: '2h' });
      const ended = runner.run();
      const statePath = join(run.runFolder, 'state.json');
      const control = () => {
        try {
          return (JSON.parse(readFileSync(statePath, 'utf8')) as { control?: string }).control;
        } catch {
          return undefined;
        }
      };
      await expect.poll(control, { timeout: 60_000 }).toBeDefined();
      const socket = control() ?? '';
      const corpus = corpusOf(runner.id);
      for (let from = 0; from < COUNT; from += AT_ONCE) {
        const mutants = Array.from({ length: AT_ONCE }, (_, index) => mutantOf(corpus, SEED, from + index));
        // oxlint-disable-next-line no-await-in-loop -- so many at once, and no more
        const answers = await Promise.all(mutants.map((mutant) => say(socket, mutant)));
        for (const line of answers.flatMap((answer) => answer.split('\n')).filter((text) => text !== '')) {
          const { ok, error } = JSON.parse(line) as { ok: boolean; error?: string };
          expect(`seed ${SEED}, from ${from}: ${ok} ${error}`).toMatch(/true|false [^\n]+/);
          expect(error ?? '').not.toMatch(/TypeError|undefined \(reading|is not a function/);
        }
      }
      expect(runner.state()).toBe('running');
      const steer = { type: 'steer', text: 'still there' } as const;
      await expect(sendCommand({ socket, runId: runner.id, by: 'a test', command: steer })).resolves.toMatchObject({
        status: 'running',
      });
      await sendCommand({ socket, runId: runner.id, by: 'a test', command: { type: 'stop', now: true } });
      expect(loopStateOf((await ended).state)).toBe('stopped');
      await run.expectWholeRecord();
    } finally {
      run.remove();
    }
  },
  FULL ? 3_600_000 : 300_000,
);
