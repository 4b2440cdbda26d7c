/** What can happen to a run while its user is asleep, each with a real agent of a few lines and real processes. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errnoOf } from '../../src/journal/disk.js';
import { processesOfRun } from '../../src/process/process-table.js';
import { type BuiltCli, CliProject } from './cli-project.js';

/** What a person can read in the morning. `ended`: what `pawl run` printed last, if it came that far. */
export interface Morning {
  readonly ended?: string;
  readonly list: string;
  readonly status: string;
  readonly explain: string;
  readonly notified: readonly string[];
  /** The disk is gone: no page can be shown of it. */
  readonly isGone?: boolean;
}

export interface Night {
  readonly name: string;
  /** What happened, for the reader of the page. */
  readonly story: string;
  /** What printed the report on the end; `pawl run` unless given. */
  readonly command?: string;
  /** How the first sentence begins. */
  readonly outcome: RegExp;
  /** Why the reader can rely on it, or what to do. */
  readonly advice: string;
  readonly play: (cli: BuiltCli) => Promise<{ readonly project: CliProject; readonly morning: Morning }>;
}

const CODE = `export function cells(line) {
  return line.split(',');
}
`;
const FIXED =
  'export const cells = (line) => line.match(/"[^"]*"|[^,]+/g).map((cell) => cell.replaceAll(\'"\', \'\'));';
const TESTS = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cells } from '../importer.mjs';
test('splits at commas', () => assert.deepEqual(cells('a,b'), ['a', 'b']));
test('keeps a comma in quotes', () => assert.deepEqual(cells('"a,b",c'), ['a,b', 'c']));
`;
const FIX = `cat > importer.mjs <<'CODE'\n${FIXED}\nCODE`;
const say = (text: string) => `echo '${JSON.stringify({ pawl: 'text', text })}'`;
const USAGE =
  'echo \'{"pawl":"usage","model":"claude-sonnet-4-5","input_tokens":9000,"output_tokens":900,"cost_usd":0.0405}\'';
const COUNT = 'n=$(($(cat "$HOME/n" 2>/dev/null || echo 0) + 1)); echo $n > "$HOME/n"';

interface Setting {
  readonly agent: string;
  readonly success?: string;
  readonly failure?: readonly string[];
  readonly limits?: string;
  readonly more?: string;
}

/** A small project with a bug, its tests, and a notification that is kept. */
function importer(
  cli: BuiltCli,
  { agent, success = '{ all: [all_tests_pass, settled] }', failure, limits = 'max_cost: 10', more = '' }: Setting,
): CliProject {
  const project = new CliProject(cli, { agent: `${COUNT}\n${agent}\n${USAGE}` });
  project.env['PAWL_TRUST'] = '1';
  project.env['PAWL_BIN'] = cli.bin;
  project.write('importer.mjs', CODE);
  project.write('test/importer.test.mjs', TESTS);
  project.write('PROMPT.md', '# Keep commas inside quotes in the importer\n\nAll tests must pass.\n');
  project.write(
    'pawl.yaml',
    `agent: { name: command, command: [./agent.sh] }
prompt_path: PROMPT.md
tests: node --test
iteration_delay: 0
stop:
  success: [${success}]
  failure: [${(failure ?? ['no_progress: 5', 'test_failure_streak: 5', 'consecutive_failures: 3', 'oscillation: 3'])
    .map((one) => `{ ${one} }`)
    .join(', ')}]
  limits: [{ max_iterations: 25 }, { ${limits} }, { max_duration: 4h }]
notify: { command: 'printf "%s\\n" "$PAWL_TEXT" >> "$HOME/notified"' }
${more}`,
  );
  project.git('add', '--all');
  project.git('commit', '--quiet', '--message', 'Import comma-separated files');
  return project;
}

/** `pawl list` as a terminal of 100 columns shows it: in a pipe each run is one long line. */
const ON_SCREEN = ['script', '-qec', 'stty cols 100; "$LIST_NODE" "$LIST_BIN" list', '/dev/null'] as const;
const listed = ({ bin }: BuiltCli) => ({ LIST_NODE: process.execPath, LIST_BIN: bin, TERM: 'dumb' });
const withoutReturns = (text: string) => text.replaceAll('\r', '').trimEnd();

async function inTheMorning(cli: BuiltCli, project: CliProject, ended?: string): Promise<Morning> {
  const read = async (name: string) => (await project.pawl(name)).stdout.trimEnd();
  const [program, ...words] = ON_SCREEN;
  const env = { ...project.env, ...listed(cli) };
  const { stdout: list } = spawnSync(program, words, { cwd: project.path, env, encoding: 'utf8' });
  const notified = join(project.home, 'notified');
  return {
    ...(ended === undefined ? {} : { ended: ended.trimEnd() }),
    list: withoutReturns(list),
    status: await read('status'),
    explain: await read('explain'),
    notified: existsSync(notified) ? readFileSync(notified, 'utf8').trimEnd().split('\n') : [],
  };
}

/** Nobody touches it before the morning. */
function undisturbed(setting: Setting) {
  return async (cli: BuiltCli) => {
    const project = importer(cli, setting);
    const { stdout } = await project.pawl('run', '--quiet');
    return { project, morning: await inTheMorning(cli, project, stdout) };
  };
}

/** Starts `pawl run`, and kills it and its agent as a loss of power does once the agent has said that it has begun. */
async function killed(cli: BuiltCli, setting: Setting): Promise<CliProject> {
  const project = importer(cli, setting);
  const runner = spawn(process.execPath, [cli.bin, 'run', '--quiet'], {
    cwd: project.path,
    env: project.env,
    stdio: 'ignore',
  });
  const exited = once(runner, 'exit');
  while (!journalOf(project).includes('half of it')) await pause(20);
  runner.kill('SIGKILL');
  await exited;
  // The guard of the killed runner is ending them too, so one may be gone by now.
  for (const { pid } of processesOfRun(runOf(project) ?? '')) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (errnoOf(error) !== 'ESRCH') throw error;
    }
  }
  return project;
}

function runOf(project: CliProject): string | undefined {
  const runs = join(project.path, '.ralph', 'runs');
  return existsSync(runs) ? readdirSync(runs)[0] : undefined;
}

function journalOf(project: CliProject): string {
  const path = join(project.path, '.ralph', 'runs', runOf(project) ?? '', 'journal.jsonl');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Until the machine is back. */
const DOWNTIME_MS = 2000;

const HALF_DONE = {
  agent: [
    `if [ $n = 2 ]; then ${say('I have written half of it.')}; sleep 60; fi`,
    `if [ $n = 1 ]; then ${say('I have read the importer.')}; echo '// quotes' >> importer.mjs; fi`,
    `if [ $n = 3 ]; then ${FIX}\n${say('Quotes are kept now. All tests pass.\nPAWL: DONE')}; fi`,
  ].join('\n'),
};

/** A JSON-RPC message for each line, to the server that Pawl gives its agents. */
const ASK = `{
  echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}}'
  echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
  echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"report_blocked","arguments":{"evidence":"Should an empty cell be null or an empty text? Both occur in the data."}}}'
  until grep -qs '"id":2' "$HOME/answers"; do sleep 0.1; done
} | node "$PAWL_BIN" mcp > "$HOME/answers"`;

/** The project on a disk of 2 MB: everything has to happen where that is mounted. */
async function onFullDisk(cli: BuiltCli) {
  // Many words: what is left of the last page of the record does not hold them, however long the record was before.
  const agent = `head -c 8000000 /dev/zero > cache.bin
for part in $(seq 100); do
  ${say('I am filling the cache.')}
done`;
  const project = importer(cli, { agent });
  const mounted = join(project.home, 'disk');
  const words = ['status', 'explain'];
  const script = `mkdir "$1" && mount -t tmpfs -o size=2m tmpfs "$1" && cp -r . "$1" && cd "$1" || exit 9
"$2" "$3" run --quiet > "$HOME/view-run" 2>&1
for name in ${words.join(' ')}; do "$2" "$3" $name > "$HOME/view-$name" 2>&1; done
${ON_SCREEN.map((word) => `'${word}'`).join(' ')} > "$HOME/view-list"`;
  const { status, stderr } = spawnSync(
    'unshare',
    ['-m', 'sh', '-c', script, 'sh', mounted, process.execPath, cli.bin],
    {
      cwd: project.path,
      env: { ...project.env, ...listed(cli), XDG_STATE_HOME: join(mounted, '.state') },
      encoding: 'utf8',
    },
  );
  if (status === 9) throw new Error(`the disk cannot be mounted: ${stderr}`);
  const view = (name: string) => readFileSync(join(project.home, `view-${name}`), 'utf8').trimEnd();
  const notified = readFileSync(join(project.home, 'notified'), 'utf8').trimEnd().split('\n');
  const [shown = '', explain = ''] = words.map(view);
  const list = withoutReturns(view('list'));
  return { project, morning: { ended: view('run'), list, status: shown, explain, notified, isGone: true } };
}

export const NIGHTS: readonly Night[] = [
  {
    name: 'A usage limit',
    outcome: /Done/,
    story:
      'In iteration 1 the usage limit of the provider was reached. Pawl notified you, waited until the limit ended, tried again, and the agent finished.',
    advice: 'You only have to review the changes.',
    play: undisturbed({
      agent: `if [ $n = 1 ]; then
  printf '{"pawl":"limit","limit":"usage-limit","resets_at":%s,"message":"You have reached your usage limit."}\\n' $(($(date +%s) + 2))
  exit 1
fi
${FIX}
${say('Quotes are kept now. All tests pass.\nPAWL: DONE')}`,
    }),
  },
  {
    name: 'A crash, and a resume',
    outcome: /Done/,
    story:
      'The process that ran the loop was killed in iteration 2. `pawl resume` resumed the run, and the agent finished. (At boot, `pawl resume --all` resumes every such run.)',
    advice:
      'You only have to review the changes. Iteration 2 was killed before it reported its cost, so Pawl counts an estimate (`~`).',
    command: 'pawl resume',
    async play(cli) {
      const project = await killed(cli, HALF_DONE);
      await pause(DOWNTIME_MS);
      const { stdout } = await project.pawl('resume', '--quiet');
      return { project, morning: await inTheMorning(cli, project, stdout) };
    },
  },
  {
    name: 'A full disk',
    outcome: /Failed/,
    story:
      'The agent filled the disk of the project. Pawl could not record what it did, and a run that cannot be recorded cannot continue. (There is no page here: the test deletes the disk.)',
    advice: 'Free some space, then resume. The record up to that point is intact.',
    play: onFullDisk,
  },
  {
    name: 'Edited tests',
    outcome: /Rejected/,
    story: 'The tests were protected. The agent could not make them pass, so it removed the failing one.',
    advice:
      'The run ends at once: passing tests prove nothing after that. Review the change. Then either undo it and resume, or keep it: commit it and start a new run.',
    play: undisturbed({
      agent: `sed -i '/quotes/d' test/importer.test.mjs\n${say('All tests pass now.')}`,
      failure: ['no_progress: 5', 'protected_path_changed: ["test/**"]'],
    }),
  },
  {
    name: 'Work that goes in circles',
    outcome: /Gave up/,
    story: 'In each iteration the agent undid what it had done in the one before.',
    advice:
      'More iterations would have repeated this, and nothing is left to undo. The report quotes the last two messages and has the command that shows the last change: use `--steer` to say which of the two ways you want, or a third.',
    play: undisturbed({
      agent: `if [ $((n % 2)) = 1 ]; then echo '// split by hand' >> importer.mjs; ${say('I split the line by hand.')}
else sed -i '$d' importer.mjs; ${say('I went back to split().')}; fi`,
      failure: ['oscillation: 3', 'no_progress: 5'],
    }),
  },
  {
    name: 'Done, it said',
    outcome: /Gave up/,
    story: 'The agent said again and again that it was done. The tests, which Pawl ran each time, said otherwise.',
    advice: 'The report has the failing test and its error. Use `--steer` to help.',
    play: undisturbed({
      agent: `echo "// attempt $n" >> importer.mjs\n${say('ALL DONE: quotes are kept.')}`,
      success: '{ all: [all_tests_pass, { output_pattern: ALL DONE }] }',
      failure: ['test_failure_streak: 3'],
    }),
  },
  {
    name: 'A question',
    outcome: /Needs you/,
    story: 'The agent could not decide something by itself, and said so with the tool that Pawl gives it.',
    advice: 'Put your answer into the command that is printed: the agent reads it in its next prompt.',
    play: undisturbed({
      agent: `${say('I need a decision.')}\n${USAGE}\n${ASK}`,
      failure: ['no_progress: 5', 'agent_reports_blocked'],
    }),
  },
  {
    name: 'A dead network',
    outcome: /Needs you/,
    story:
      'The agent could not reach its provider. Pawl tried again until `max_wait` was over, six hours by default. An outage that passes sends no notification; this one ended the run.',
    advice: 'Check the network, then resume. No iteration was counted.',
    play: undisturbed({
      agent: `echo '{"pawl":"error","kind":"overload","message":"getaddrinfo ENOTFOUND api.example.com"}'; exit 1`,
      more: 'max_wait: 3s\n',
    }),
  },
  {
    name: 'The machine went down',
    outcome: /Interrupted/,
    story:
      'The power failed in iteration 2, and nothing was set up to resume the run. No process was left to send a notification.',
    advice:
      'Resume it. Everything up to the failure is recorded. What the agent wrote in iteration 2 is still in your files: resume with it, or undo it first.',
    async play(cli) {
      const project = await killed(cli, HALF_DONE);
      return { project, morning: await inTheMorning(cli, project) };
    },
  },
  {
    name: 'A spent budget',
    outcome: /Budget reached/,
    story: 'The agent made progress in each iteration, and the budget for a night was spent before it was done.',
    advice: 'Review what there is. The command that continues has a higher limit: change it as you like.',
    play: undisturbed({
      agent: `echo "// part $n" >> importer.mjs\n${say('I have rewritten one more part. The quotes come next.')}`,
      limits: 'max_cost: 0.1',
    }),
  },
];
