/**
 * What users script against: exit codes, `--json`, `state.json`, Story 4.4's words, public exports. Compared with the files of
 * test/fixtures/surface; after an intended change `npx vitest run test/public-surface.test.ts -u` writes them again.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EXIT_CODES } from '../src/model/exit-code.js';
import { runProgram } from '../src/views/cli/program.js';
import { BuiltCli, CliProject } from './support/cli-project.js';
import { DashboardProcess } from './support/dashboard-process.js';
import { placeRecord, RECORDS } from './support/relocated-record.js';
import { maskedEvents, maskedJson, type MaskOptions } from './support/masked-json.js';
import { contextOf, recordingTerminal } from './support/terminal.js';

let home = '';
beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-surface-')));
  mkdirSync(join(home, 'run'), { mode: 0o700 });
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', join(home, 'config'));
  vi.stubEnv('XDG_STATE_HOME', join(home, 'state'));
  vi.stubEnv('XDG_RUNTIME_DIR', join(home, 'run'));
  vi.stubEnv('PAWL_TRUST', '1');
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

async function pawlAnywhere(...words: readonly string[]) {
  const terminal = recordingTerminal(100);
  const exitCode = await runProgram([...words], contextOf(terminal));
  return { exitCode, out: terminal.out(), err: terminal.err() };
}
const pawl = (project: string, ...words: readonly string[]) => pawlAnywhere(...words, '--cwd', project);

async function json(project: string, ...words: readonly string[]) {
  const { out, err } = await pawl(project, ...words, '--json');
  expect(out, `${words.join(' ')}: ${err}`).not.toBe('');
  return maskedJson(JSON.parse(out));
}

async function events(project: string, ...words: readonly string[]) {
  const { out, err } = await pawl(project, ...words, '--json');
  expect(out, `${words.join(' ')}: ${err}`).not.toBe('');
  const lines = out.trimEnd().split('\n');
  return maskedEvents(lines.map((line) => JSON.parse(line) as unknown));
}

function newProject(name: string): string {
  const project = mkdtempSync(join(home, `${name}-`));
  execFileSync('git', ['init', '--quiet'], { cwd: project });
  return project;
}

/** A project as the recorded run of this name found it. */
function projectOf(name: string): string {
  const project = newProject(name);
  cpSync(join(RECORDS, name, 'files'), project, { recursive: true });
  for (const made of ['calls', 'done', 'work', 'out']) rmSync(join(project, made), { recursive: true, force: true });
  return project;
}

function stateOf(project: string, options?: MaskOptions) {
  const runs = join(project, '.ralph', 'runs');
  const [runId = ''] = readdirSync(runs);
  const text = readFileSync(join(runs, runId, 'state.json'), 'utf8');
  return maskedJson({ ...(JSON.parse(text) as object), state: {} }, options) as Record<string, unknown>;
}

const file = (name: string) => fileURLToPath(new URL(`./fixtures/surface/${name}.json`, import.meta.url));
const matches = (value: unknown, name: string) =>
  expect(`${JSON.stringify(value, null, 2)}\n`).toMatchFileSnapshot(file(name));

/** As few as there may be; an agent that waits is let go by the file `go`. */
const HELD = `#!/usr/bin/env bash
cat > /dev/null
echo '{"pawl":"usage","model":"my-model","input_tokens":1000,"output_tokens":100,"cost_usd":0.25}'
touch begun
while [ ! -e go ]; do sleep 0.02; done
rm -f go
`;

async function heldRun(config = '') {
  const project = newProject('held');
  writeFileSync(join(project, 'agent.sh'), HELD, { mode: 0o755 });
  const limits = 'stop: { limits: [{ max_iterations: 9 }] }';
  writeFileSync(
    join(project, 'pawl.yaml'),
    `agent: { command: ./agent.sh }\nprompt: x\niteration_delay: 0s\n${limits}\n${config}`,
  );
  const ended = pawl(project, 'run', '--quiet');
  return { project, ended };
}
const isThere = (path: string) =>
  vi.waitFor(() => expect(existsSync(path)).toBe(true), { timeout: 20_000, interval: 20 });

const RETRIED = `test "$PAWL_ATTEMPT" -gt 1 || echo '{"verdict":"retry"}'`;
const REJECTED = `echo '{"verdict":"rejected","reasons":["BLURRY"]}'`;

describe('what users script against', () => {
  it('the exit codes, for every class of end', async () => {
    const codes: Record<string, number> = {};
    for (const name of ['goal', 'veto', 'failure', 'limit', 'blocked', 'operator', 'error']) {
      const project = newProject(name);
      placeRecord(name, project);
      codes[name] = (await pawl(project, 'wait')).exitCode;
    }
    codes['usage'] = (await pawlAnywhere('no-such-command')).exitCode;
    await matches({ EXIT_CODES, 'pawl wait': codes }, 'exit-codes');
  });

  it('the --json of commands that look at a run', async () => {
    const project = projectOf('goal');
    appendFileSync(join(project, 'pawl.yaml'), 'parse_tests: false\n');
    const shapes: Record<string, unknown> = { 'pawl run': await events(project, 'run') };
    for (const words of ['list', 'status', 'show', 'explain', 'replay', 'stats', 'export', 'wait', 'diff', 'check']) {
      shapes[`pawl ${words}`] = await json(project, words);
    }
    shapes['pawl show 1'] = await json(project, 'show', '1');
    shapes['pawl diff 1'] = await json(project, 'diff', '1');
    shapes['pawl replay --sweep'] = await json(project, 'replay', '--sweep', 'max_iterations: 1..2');
    for (const words of ['logs', 'watch']) shapes[`pawl ${words}`] = await events(project, words);
    shapes['pawl restore 1'] = await json(project, 'restore', '1');
    shapes['pawl prune --keep 0s'] = await json(project, 'prune', '--keep', '1h', '--dry-run');
    await matches(shapes, 'json-of-a-run');
  });

  it('the --json of commands that set up', async () => {
    const project = newProject('setup');
    const findings = (await json(project, 'doctor')) as { findings: { level: string }[] };
    const keys = [...new Set(findings.findings.flatMap((finding) => Object.keys(finding)))].sort();
    const init = await json(project, 'init', '--agent', 'claude', '--tests', 'npm test', '--yes');
    await matches({ 'pawl doctor': { ...findings, ok: true, findings: keys }, 'pawl init': init }, 'json-of-setup');
  });

  it('the --json of commands that steer a live run', async () => {
    const { project, ended } = await heldRun('attended_mode: true\n');
    const shapes: Record<string, unknown> = {};
    const steer = async (...words: readonly string[]) => {
      shapes[`pawl ${words[0]}`] = await json(project, ...words);
    };
    await vi.waitFor(async () => expect(await pawl(project, 'status')).toMatchObject({ exitCode: 0 }), 20_000);
    await vi.waitFor(
      async () => expect(await pawl(project, 'approve', '--json')).toMatchObject({ exitCode: 0 }),
      20_000,
    );
    await isThere(join(project, 'begun'));
    for (const name of ['status', 'list']) {
      // What is listed is a moment behind what is recorded.
      const hasCost = async () => expect((await pawl(project, name, '--json')).out).toContain('"costUsd": 0.25');
      await vi.waitFor(hasCost, { timeout: 20_000, interval: 50 });
      shapes[`pawl ${name} of a live run`] = await json(project, name);
    }
    await steer('steer', 'be quick');
    await steer('extend', '--max-iterations', '12');
    await steer('pause');
    await steer('unpause');
    await steer('reboot');
    rmSync(join(project, 'begun'));
    await steer('skip');
    await vi.waitFor(
      async () => expect(await pawl(project, 'reject', 'why', '--json')).toMatchObject({ exitCode: 0 }),
      20_000,
    );
    await steer('reject', 'not like this');
    await steer('approve');
    await isThere(join(project, 'begun'));
    await steer('stop');
    writeFileSync(join(project, 'go'), '');
    expect(await ended).toMatchObject({ exitCode: EXIT_CODES.operator });
    shapes['pawl stop without a live run'] = maskedJson(await pawl(project, 'stop', '--json'));
    await matches(shapes, 'json-of-steering');
  });

  it('the address that ui prints', async () => {
    const cli = new BuiltCli('surface');
    const { path, env } = new CliProject(cli);
    const { child, exited } = new DashboardProcess(cli.bin, ['--no-open'], { cwd: path, env });
    try {
      const line = await new Promise<Buffer>((done) => child.stdout?.once('data', done));
      expect(Object.keys(JSON.parse(line.toString()) as object)).toEqual(['url', 'port', 'pid']);
    } finally {
      child.kill('SIGTERM');
      await exited;
      cli.remove();
    }
  }, 60_000);

  it('a pipeline: its events, its halt line, its state.json and the words of Story 4.4', async () => {
    const project = projectOf('pipeline');
    await pawl(project, 'check', '--fix', 'pipeline.yaml');
    const run = await pawl(project, 'pipeline', 'run', '--json');
    const lines = run.out.trimEnd().split('\n');
    const shapes = {
      'pawl check pipeline.yaml': await json(project, 'check', 'pipeline.yaml'),
      'pawl pipeline run': maskedEvents(lines.map((line) => JSON.parse(line) as unknown)),
      'exit code': run.exitCode,
      'state.json': stateOf(project),
    };
    const [runId = ''] = readdirSync(join(project, '.ralph', 'runs'));
    Object.assign(shapes, { 'pawl show RUN ITEM': await json(project, 'show', runId, 'two') });
    for (const words of ['list', 'status', 'show', 'explain', 'replay', 'stats', 'export']) {
      Object.assign(shapes, { [`pawl ${words}`]: await json(project, words) });
    }
    await matches(shapes, 'pipeline');
  });

  it.each([
    ['RETRY_RATE', 'stop_conditions: { max_retry_rate: 0.1, min_items: 2 }', RETRIED],
    ['REJECT_RATE', 'stop_conditions: { max_reject_rate: 0.1, min_items: 2 }', REJECTED],
    ['CONSECUTIVE_FAILS', 'stop_conditions: { max_consecutive_fails: 2, min_items: 9 }', REJECTED],
    ['CIRCUIT_BREAKER', 'circuit_breaker: 2', 'true'],
  ])('what a pipeline says that is halted by %s', async (name, conditions, audit) => {
    const project = projectOf('pipeline');
    await pawl(project, 'check', '--fix', 'pipeline.yaml');
    const manifest = readFileSync(join(project, 'pipeline.yaml'), 'utf8');
    writeFileSync(join(project, 'pipeline.yaml'), manifest.replace(/stop_conditions: \{.*?\}/, conditions));
    writeFileSync(join(project, 'audit.sh'), `#!/bin/sh\n${audit}\n`, { mode: 0o755 });
    const { exitCode, err } = await pawl(project, 'pipeline', 'run', '--json');
    const line = err.split('\n').find((said) => said.startsWith('{')) ?? '{}';
    const { stop_reason, run_status, resumable } = stateOf(project, { keepsText: true });
    const halted = { exitCode, run_halted: maskedJson(JSON.parse(line), { keepsText: true }) };
    await matches(
      { ...halted, 'state.json': { stop_reason, run_status, resumable } },
      `halted-by-${name.toLowerCase()}`,
    );
  });

  it('the state.json of a loop', async () => {
    const project = projectOf('limit');
    expect(await pawl(project, 'run', '--quiet')).toMatchObject({ exitCode: EXIT_CODES.limit });
    await matches(stateOf(project), 'state');
  });

  it('the names that every entry point exports, types included', async () => {
    const names: Record<string, readonly string[]> = {};
    const entries = {
      pawl: '',
      'pawl/agent': 'agent/',
      'pawl/pipeline': 'pipeline/',
      'pawl/replay': 'replay/',
      'pawl/testing': 'testing/',
    };
    for (const [name, folder] of Object.entries(entries)) {
      const path = fileURLToPath(new URL(`../src/${folder}index.ts`, import.meta.url));
      const exported = (await import(path)) as object;
      const types = typesIn(readFileSync(path, 'utf8')).map((type) => `type ${type}`);
      names[name] = [...Object.keys(exported).sort(), ...types.sort()];
    }
    await matches(names, 'exports');
  });
});

/** An entry point names the types that it exports; `export *` is of values only. */
function typesIn(text: string): readonly string[] {
  const lists = [...text.matchAll(/^export (type )?\{([^}]*)\}/gms)];
  return lists.flatMap(([, isType, list = '']) =>
    list
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && (isType !== undefined || name.startsWith('type ')))
      .map((name) => name.replace(/^type /, '').replace(/^.* as /, '')),
  );
}
