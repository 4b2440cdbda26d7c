import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { contextOf, recordingTerminal } from '../../test/support/terminal.js';
import { INITIAL_STATE } from '../model/run-state.js';
import { refusalOf } from '../run/command-legality.js';
import { runProgram } from '../views/cli/program.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-day-limit-'));
let tree = '';
let config = '';
beforeEach(() => {
  tree = mkdtempSync(join(base, 'tree-'));
  const home = mkdtempSync(join(base, 'home-'));
  mkdirSync(join(home, 'pawl'));
  config = join(home, 'pawl', 'config.yaml');
  vi.stubEnv('XDG_CONFIG_HOME', home);
  vi.stubEnv('XDG_STATE_HOME', join(home, 'state'));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true });
});

async function pawl(...[name = '', ...words]: readonly string[]) {
  const terminal = recordingTerminal();
  const exitCode = await runProgram([name, '--cwd', tree, ...words], contextOf(terminal));
  return { exitCode, out: terminal.out(), err: terminal.err() };
}

const ownLimit = (usd: number) => writeFileSync(config, `max_cost_per_day: ${usd}\n`);

/** A run of an agent whose iterations do this. */
function run(agent: string, ...words: readonly string[]) {
  writeFileSync(join(tree, 'agent.sh'), `#!/bin/sh\ncat > /dev/null\n${agent}\n`);
  chmodSync(join(tree, 'agent.sh'), 0o755);
  return pawl('run', '-p', 'x', '--delay', '0', '--quiet', ...words, '--', './agent.sh');
}

const SPENDS = `echo '{"pawl":"usage","cost_usd":0.1,"input_tokens":1,"output_tokens":1}'`;
const SPENDS_LATER = `if [ -e told ]; then ${SPENDS}; fi; touch told`;
const limit = (usd: number) => ['--limit', `max_cost_per_day: ${usd}`];

describe('the limit of a day', () => {
  it('of the user is not raised by a command, which names the file that holds it', async () => {
    ownLimit(0.2);
    expect(await run(SPENDS)).toMatchObject({ exitCode: 3 });
    const refused = {
      exitCode: 2,
      out: '',
      err: `max_cost_per_day: $50.00 is more than the $0.20 in ${config}, and a command can only lower it; raise it there\n`,
    };
    expect(await pawl('resume', ...limit(50))).toEqual(refused);
    expect(await pawl('resume', '--detach', ...limit(50))).toEqual(refused);
    // It is stopped: what is suggested must not be what would be refused.
    expect(await pawl('extend', ...limit(50))).toEqual(refused);
    const anew = await run(SPENDS, ...limit(50));
    expect(anew).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining(`0.2 of your own config (${config}:1:19)`),
    });
  });

  it('of the user that a broken config of the project hides is not raised either', async () => {
    ownLimit(0.2);
    await run(SPENDS);
    writeFileSync(join(tree, 'pawl.yaml'), 'agnet: x\n');
    expect(await pawl('resume', ...limit(50))).toMatchObject({ exitCode: 2, err: expect.stringContaining(config) });
  });

  it('that the user has removed is not raised for a run that began under it', async () => {
    ownLimit(0.2);
    await run(SPENDS);
    rmSync(config);
    const { exitCode, err } = await pawl('resume', ...limit(50));
    expect({ exitCode, err }).toEqual({
      exitCode: 2,
      err: expect.stringMatching(/\$0\.20.*this run/),
    });
  });

  it('of a live run is lowered by a command, and never raised', () => {
    const policy = { ...INITIAL_STATE.policy, limits: [{ type: 'max_cost_per_day', usd: 0.5 }] } as const;
    const day = { day: '2026-03-01', othersUsd: 0, ownBeforeUsd: 0 };
    const state = { ...INITIAL_STATE, status: 'running', policy, day } as const;
    const given = (usd: number) => refusalOf({ type: 'extend', limit: { type: 'max_cost_per_day', usd } }, state);
    expect(given(50)).toMatch(/\$50\.00.*\$0\.50.*all your runs/);
    expect([given(0.5), given(0.3)]).toEqual([undefined, undefined]);
  });

  it('that a flag has lowered stays lowered on a resume, until it is raised again', async () => {
    ownLimit(0.5);
    expect((await run(SPENDS, ...limit(0.2))).out).toContain('$0.20 of $0.20 today');
    const refused = await pawl('resume');
    expect(refused).toMatchObject({ exitCode: 2, err: expect.stringContaining("--limit 'max_cost_per_day: 0.5'") });
    expect((await pawl('resume', '--quiet', ...limit(0.4))).out).toContain('$0.40 of $0.40 today');
    expect((await pawl('resume', '--quiet', ...limit(0.5))).out).toContain('$0.50 of $0.50 today');
  });

  it('is not rid of spend that nobody knows by a flag for another limit', async () => {
    ownLimit(5);
    expect(await run(SPENDS_LATER)).toMatchObject({ exitCode: 5 });
    const accepts = expect.stringContaining("--limit 'max_cost_per_day: 5' accepts that");
    for (const flags of [
      ['--max-iterations', '3'],
      ['--max-cost', '3'],
      ['--max-tokens', '900'],
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- on the same run
      expect(await pawl('resume', ...flags)).toMatchObject({ exitCode: 2, err: accepts });
    }
    // Another limit in the config accepts nothing by the way.
    ownLimit(7);
    expect(await pawl('resume')).toMatchObject({ exitCode: 2, err: expect.stringContaining('is not known') });
    const accepted = await pawl('resume', '--quiet', '--max-iterations', '3', ...limit(7));
    expect(accepted.out).toMatch(/^ {2}spent +≥ \$0.20, ≥ 4 tokens \(1 /m);
    const spend = join(process.env['XDG_STATE_HOME'] ?? '', 'pawl', 'spend');
    const day = join(spend, readdirSync(spend)[0] ?? '');
    const note = JSON.parse(readFileSync(join(day, readdirSync(day)[0] ?? ''), 'utf8'));
    expect(note).toEqual({ costUsd: 0.2, atLeast: true });
  });
});
