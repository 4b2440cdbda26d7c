import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { begin, iteration, record, started, tests, trees } from '../../../../test/support/record.js';
import { placeRecord } from '../../../../test/support/relocated-record.js';
import { contextOf, recordingTerminal } from '../../../../test/support/terminal.js';
import { resolveConfig } from '../../../config/resolve-config.js';
import { sealLine } from '../../../journal/record-scanner.js';
import { runProgram } from '../program.js';

let home = '';
beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-explain-')));
  mkdirSync(join(home, 'run'), { mode: 0o700 });
  for (const [name, folder] of Object.entries({ CONFIG: 'config', STATE: 'state' }))
    vi.stubEnv(`XDG_${name}_HOME`, join(home, folder));
  vi.stubEnv('XDG_RUNTIME_DIR', join(home, 'run'));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

async function pawl(...words: readonly string[]) {
  const terminal = recordingTerminal(120);
  await runProgram(words, contextOf(terminal));
  return terminal.out();
}

function projectWith(name: string) {
  const project = mkdtempSync(join(home, `${name}-`));
  execFileSync('git', ['init', '--quiet'], { cwd: project });
  return { project, runId: placeRecord(name, project) };
}

/** From the row `next` on. */
const nextOf = (out: string) =>
  out
    .slice(out.search(/^ {2}next /m))
    .split('\n')
    .map((line) => line.replace('next', '').trim())
    .filter((line) => line !== '');

describe('pawl explain ends with the next steps', () => {
  it.each(['goal', 'failure', 'veto', 'blocked', 'limit', 'crashed'])('as pawl status has them: %s', async (name) => {
    const { project, runId } = projectWith(name);
    const explained = nextOf(await pawl('explain', runId, '--cwd', project));
    expect(explained.join('\n')).toMatch(/^(?:continue|review|details): +pawl (?:resume|diff|show) /m);
    const [status = ''] = (await pawl('status', runId, '--cwd', project)).split('\n\n');
    expect(explained).toEqual(nextOf(status));
  });

  it('but not where a moment in the past is explained, or the record is not in this project', async () => {
    const { project, runId } = projectWith('failure');
    expect(await pawl('explain', runId, '--at', '1', '--cwd', project)).not.toMatch(/^ {2}next /m);
    const copy = join(home, 'copy.jsonl');
    writeFileSync(copy, readFileSync(join(project, '.ralph', 'runs', runId, 'journal.jsonl')));
    expect(await pawl('explain', copy)).not.toMatch(/^ {2}next /m);
  });
});

describe('pawl explain of a run that was interrupted in an iteration', () => {
  const RUN = 'loop_01K9ZZZZZZ0000000000000000';
  const explained = async (view: string) => {
    const project = mkdtempSync(join(home, 'open-'));
    const { spec } = resolveConfig({
      tests: 'x',
      workingDir: project,
      stop: { limits: [{ max_cost: 10 }, { max_tokens: 1000 }] },
    });
    const drafts = [
      started(spec.policy, { spec, runId: RUN }),
      ...iteration(1, { ...trees('a', 'b'), tests: tests(1, 1) }),
      begin(2),
      { type: 'iteration-status', status: 'executing' } as const,
    ];
    mkdirSync(join(project, '.ralph', 'runs', RUN), { recursive: true });
    const lines = record(drafts).map((event) => sealLine(JSON.stringify(event)));
    writeFileSync(join(project, '.ralph', 'runs', RUN, 'journal.jsonl'), Buffer.concat(lines));
    return pawl(view, RUN, '--cwd', project);
  };

  it('begins with the goal, then has what is closest', async () => {
    const out = await explained('explain');
    expect(out).toContain('stop conditions (goal first, then nearest)');
    const labels = [...out.matchAll(/^ {2}(done|gives up|limit) /gm)].map(([, label]) => label);
    expect(labels[0]).toBe('done');
    expect(labels.slice(1)).not.toContain('done');
  });

  it.each(['explain', 'status'])('says at least where the open iteration has reported nothing: %s', async (view) => {
    const out = await explained(view);
    expect(out).toContain('≥ $0.10 of $10.00');
    expect(out).toContain('≥ 110 of 1,000 tokens');
  });
});
