// The step of action.yml: `pawl run`, its report as the summary of the job, and its exit code as the result.
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** GitHub refuses a larger summary. */
const MOST_SUMMARY_BYTES = 1_000_000;

const input = (name) => (process.env[`PAWL_ACTION_${name}`] ?? '').trim();
const cwd = input('WORKING_DIRECTORY') || '.';
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PAWL_ACTION_')));

const startedAt = Date.now();
const pawl = input('COMMAND') || (input('VERSION') === '' ? build() : install(input('VERSION')));
const exitCode = await run(pawl, ['run', ...options()]);
report(pawl, exitCode);
process.exitCode = exitCode;

function options() {
  const given = [
    ['--prompt', input('PROMPT')],
    ['--prompt-path', input('PROMPT_FILE')],
    ['--config', input('CONFIG')],
    ['--agent', input('AGENT')],
    ['--max-cost', input('MAX_COST')],
    ['--max-duration', input('MAX_DURATION')],
  ].flatMap(([name, value]) => (value === '' ? [] : [name, value]));
  const trust = input('TRUST') === 'true' ? ['--trust'] : [];
  const more = input('ARGS')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return [...given, ...trust, ...more];
}

/** The version that `uses:` names lies around this file. */
function build() {
  const root = fileURLToPath(new URL('..', import.meta.url));
  prepare(process.execPath, [join(root, 'scripts', 'build.mjs'), '--cli-if-stale'], 'built');
  return join(root, 'dist', 'bin', 'pawl.js');
}

/** Into a folder of the job, so that nothing of the project changes. */
function install(version) {
  const prefix = join(process.env.RUNNER_TEMP ?? '/tmp', 'pawl');
  prepare(
    'npm',
    ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', `pawl@${version}`],
    'installed',
  );
  return join(prefix, 'bin', 'pawl');
}

function prepare(program, args, what) {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit', env });
  if (status === 0) return;
  process.stdout.write(`::error::Pawl could not be ${what}${error === undefined ? '' : `: ${error.message}`}\n`);
  process.exit(1);
}

/** A job that is cancelled gets a signal: Pawl ends its agent and completes the record. */
function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
    child.once('error', (error) => {
      process.stdout.write(`::error::${command} cannot be started: ${error.message}\n`);
      resolve(1);
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Of the run that this step has started: after a wrong config there is none. */
function report(command, code) {
  const run = ownRun(command);
  output('exit-code', code);
  output('run', run?.runId ?? '');
  output('result', run?.ended?.class ?? '');
  output('cost', run?.spend?.costUsd ?? '');
  const summary = process.env.GITHUB_STEP_SUMMARY;
  if (run === undefined || !summary) return;
  const { status, stdout } = ask(command, ['export', run.runId, '--format', 'markdown']);
  if (status === 0 && Buffer.byteLength(stdout) < MOST_SUMMARY_BYTES) appendFileSync(summary, `${stdout}\n`);
  else appendFileSync(summary, `Run ${run.runId} ended: ${run.ended?.class}. Its report is too long for a summary.\n`);
}

function ownRun(command) {
  const { status, stdout } = ask(command, ['status', '--json']);
  if (status !== 0 && stdout === '') return undefined;
  try {
    const run = JSON.parse(stdout);
    return Date.parse(run.startedAt) >= startedAt ? run : undefined;
  } catch {
    return undefined;
  }
}

function ask(command, args) {
  const { status, stdout } = spawnSync(command, args, { cwd, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return { status, stdout: stdout ?? '' };
}

function output(name, value) {
  const file = process.env.GITHUB_OUTPUT;
  if (file) appendFileSync(file, `${name}=${String(value).replaceAll('\n', ' ')}\n`);
}
