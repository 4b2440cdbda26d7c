import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSet, setsIn } from '../bench/real/read-set.js';
import { report } from '../bench/real/report.js';
import { studySet } from '../bench/real/study-set.js';

let folder: string;

/** Runs of a tool that prints no usage: every third reaches its goal, and is short. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-study-'));
  const set = join(folder, 'claude-code-2.0.29');
  mkdirSync(set);
  const labels = ['run,label'];
  for (let index = 0; index < 30; index += 1) {
    const isGoal = index % 3 === 0;
    const name = `model${index % 2}__task-${Math.floor(index / 2)}`;
    labels.push(`${name},${isGoal ? 'resolved' : 'unresolved'}`);
    const lines = [
      { type: 'system', subtype: 'init', session_id: 's', cwd: '/app', model: 'x' },
      ...steps(isGoal ? 5 : 40),
    ];
    writeFileSync(join(set, `${name}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
  writeFileSync(join(set, 'labels.csv'), labels.join('\n'));
  writeFileSync(join(folder, 'README.md'), 'no set');
});
afterAll(() => rmSync(folder, { recursive: true }));

function steps(count: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({
    type: 'assistant',
    session_id: 's',
    message: {
      id: `m${index}`,
      role: 'assistant',
      content: [{ type: 'tool_use', id: `t${index}`, name: 'Bash', input: { command: `look ${index % 10}` } }],
      usage: { input_tokens: 0, output_tokens: 0 },
    },
  }));
}

describe('the study of real runs', () => {
  it('has nothing to say of a folder that is not there', () => {
    expect(setsIn(join(folder, 'missing'))).toEqual([]);
  });

  it('reads each set with labels, and has runs of one task together', async () => {
    expect(setsIn(folder)).toEqual(['claude-code-2.0.29']);
    const set = await readSet(folder, 'claude-code-2.0.29');
    const study = studySet(set);
    expect(study).toMatchObject({ runs: 30, goals: 10, tasks: 15, unit: 'calls', used: 850 });
    const text = report([study]);
    expect(text).toMatch(/30 runs of 15 tasks, 10 reached their goal/);
    expect(text).toMatch(/\*\*holds\*\*/);
    expect(text).not.toMatch(/task-\d|undefined|NaN/);
  });

  it('publishes counts of whole sets, and nothing of a single run', () => {
    const published = readFileSync('bench/real/results.md', 'utf8');
    expect(published).toMatch(/^# Results\n/);
    expect(published).not.toMatch(/\w+__\w+-|NaN|undefined/);
  });
});
