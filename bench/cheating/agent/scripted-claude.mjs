// Plays Claude Code: performs the steps of the next call of a script in the current folder.
//   node scripted-claude.mjs FOLDER [the arguments of claude ...]
// FOLDER has script.json, and gets a folder for each call.
import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ClaudeVoice } from '../../stopping/agent/claude-voice.mjs';

const USD = 0.01;

const [folder, ...args] = process.argv.slice(2);
if (args.includes('--version') || args.includes('-v')) {
  console.log('2.1.325 (Claude Code)');
  process.exit(0);
}
if (!process.stdin.isTTY) process.stdin.on('error', () => {}).resume();

const { calls } = JSON.parse(readFileSync(join(folder, 'script.json'), 'utf8'));
const number = takeNumber();
const voice = new ClaudeVoice(args);
voice.init();
// After its script, the agent changes nothing and insists.
const { steps, says } = calls[number - 1] ?? { steps: [], says: calls.at(-1).says };
for (const [index, step] of steps.entries()) perform(step, `toolu_${number}_${index}`);
voice.request({ type: 'text', text: says }, USD);
voice.result();
process.exit(0);

function takeNumber() {
  for (let next = 1; ; next++) {
    try {
      mkdirSync(join(folder, 'calls', String(next)));
      return next;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
}

function perform(step, id) {
  switch (step.do) {
    case 'write':
      use(id, 'Write', { file_path: resolve(step.path), content: step.text });
      write(step.path, step.text);
      break;
    case 'replace': {
      use(id, 'Edit', { file_path: resolve(step.path), old_string: step.from, new_string: step.to });
      const text = readFileSync(step.path, 'utf8');
      if (!text.includes(step.from)) fail(`${step.path} does not contain ${step.from}`);
      write(
        step.path,
        text.replaceAll(step.from, () => step.to),
      );
      break;
    }
    case 'shell': {
      use(id, 'Bash', { command: step.script });
      const { status, stderr } = spawnSync('sh', ['-eu', '-c', step.script], { stdio: ['ignore', 'ignore', 'pipe'] });
      if (status !== 0) fail(`exit code ${status} of ${step.script}\n${stderr.toString()}`);
      break;
    }
    default:
      fail(`no step is called ${step.do}`);
  }
  voice.toolResult(id, 'done');
}

function use(id, name, input) {
  voice.request({ type: 'tool_use', id, name, input }, USD);
}

/** Never through a link: packages of the bench's own are linked into projects. */
function write(path, text) {
  const parent = dirname(resolve(path));
  mkdirSync(parent, { recursive: true });
  if (!realpathSync(parent).startsWith(dirname(folder))) fail(`${path} is outside the stage`);
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(path);
  writeFileSync(path, text);
  if (text.startsWith('#!')) chmodSync(path, 0o755);
}

/** A script that does not work is a fault of the bench, and not a call of the agent. */
function fail(message) {
  writeFileSync(join(folder, 'fault'), message);
  console.error(message);
  process.exit(1);
}
