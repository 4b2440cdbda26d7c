// Poses as Claude Code: plays the next call of a script, and keeps a ledger outside the working tree.
//   node scripted-claude.mjs FOLDER [the arguments of claude ...]
// FOLDER has script.json; the ledger is ledger.jsonl in it.
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ClaudeVoice } from './claude-voice.mjs';

const [folder, ...args] = process.argv.slice(2);
if (args.includes('--version') || args.includes('-v')) {
  console.log('2.1.325 (Claude Code)');
  process.exit(0);
}
// Runners look whether it is there, and what it can do, before they call it.
if (args.includes('--help') || args.includes('-h')) {
  console.log('Usage: claude [options] [command] [prompt]\n\n  -p, --print  --output-format <format>  --verbose');
  process.exit(0);
}

const { calls, rest, billing = {} } = JSON.parse(readFileSync(join(folder, 'script.json'), 'utf8'));
const call = takeNumber();
const voice = new ClaudeVoice(args, billing);
const budget = args.includes('--max-budget-usd') ? Number(args[args.indexOf('--max-budget-usd') + 1]) : Infinity;
const budgetUsd = billing.ignoresBudget ? Infinity : budget;
let hasFinished = false;

note('started', { args: args.map((arg) => arg.slice(0, 80)) });
process.on('exit', () => note('ended'));
process.on('SIGTERM', () => process.exit(143));
process.on('SIGINT', () => {
  voice.result({ subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' });
  process.exit(0);
});
// Whether the prompt comes by argument or by input makes no difference here, but it is taken.
if (!process.stdin.isTTY) process.stdin.on('error', () => {}).resume();

voice.init();
for (const step of calls[call - 1] ?? rest) await play(step);
if (!hasFinished) voice.result();
process.exit(0);

/** The number of this call; the folder is the lock. */
function takeNumber() {
  for (let number = 1; ; number++) {
    try {
      mkdirSync(join(folder, 'calls', String(number)));
      return number;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
}

function note(what, more = {}) {
  const entry = { at: Date.now(), call, pid: process.pid, what, ...more };
  appendFileSync(join(folder, 'ledger.jsonl'), `${JSON.stringify(entry)}\n`);
}

/** As the real one: it stops by itself before the next request when its budget is used up. */
function ask(block, usd, isSubagent) {
  if (voice.spentUsd >= budgetUsd) {
    voice.result({ subtype: 'error_max_budget_usd', is_error: true, terminal_reason: 'budget_exhausted' });
    process.exit(1);
  }
  // Billed when it is asked, told when it is answered.
  note('request', { usd: usd * (billing.times ?? 1) });
  voice.request(block, usd, isSubagent);
}

function callTool(name, input, usd) {
  const id = `toolu_${call}_${Math.random().toString(36).slice(2)}`;
  ask({ type: 'tool_use', id, name, input }, usd);
  return id;
}

async function play(step) {
  switch (step.do) {
    case 'say':
      ask({ type: 'text', text: step.text }, step.usd, step.isSubagent);
      break;
    case 'write': {
      const id = callTool('Write', { file_path: resolve(step.path), content: step.text }, step.usd);
      mkdirSync(dirname(resolve(step.path)), { recursive: true });
      writeFileSync(step.path, step.text);
      voice.toolResult(id, `File written successfully at: ${resolve(step.path)}`);
      break;
    }
    case 'remove': {
      const id = callTool('Bash', { command: `rm ${step.path}` }, step.usd);
      rmSync(step.path, { force: true });
      voice.toolResult(id, '');
      break;
    }
    case 'tool': {
      const isFailingCommand = step.name === 'Bash' && step.isError;
      const output = isFailingCommand ? `Exit code 1\n${step.output}` : step.output;
      voice.toolResult(callTool(step.name, step.input ?? {}, step.usd), output, step.isError);
      break;
    }
    case 'slow-tool': {
      const id = callTool('Bash', { command: 'make everything' }, step.usd);
      await pause(step.ms);
      voice.toolResult(id, 'made');
      break;
    }
    case 'deny':
      voice.denied(step.tool, callTool(step.tool, { command: './migrate' }, step.usd));
      break;
    case 'wait':
      await pause(step.ms);
      break;
    case 'chatter':
      for (const end = Date.now() + step.ms; Date.now() < end; await pause(100))
        ask({ type: 'text', text: 'Still thinking …' }, 0);
      break;
    case 'mark':
      note('mark');
      break;
    case 'go-deaf':
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.removeAllListeners(signal).on(signal, () => {});
      break;
    case 'leave-child':
      leaveChild(step);
      break;
    case 'refuse':
      await refuse(step);
      break;
    case 'crash':
      if (step.untoldUsd > 0) note('request', { usd: step.untoldUsd });
      if (step.message !== '') console.error(step.message);
      process.exit(step.exitCode);
      break;
    case 'finish':
      hasFinished = true;
      voice.result();
      break;
    default:
      throw new Error(`no step is called ${step.do}`);
  }
}

function leaveChild({ ms, isDeaf }) {
  const script = `${isDeaf ? 'trap "" TERM INT HUP; ' : ''}exec sleep ${ms / 1000}`;
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
  note('left', { child: child.pid });
  child.unref();
}

async function refuse({ why, resetsInMs }) {
  switch (why) {
    case 'usage-limit': {
      const resetsAt = Math.ceil((Date.now() + resetsInMs) / 1000);
      voice.rateLimit(resetsAt);
      const clock = new Date(resetsAt * 1000).toISOString().slice(11, 16);
      const fields = { error: 'rate_limit', api_error: 'usage_limit_reached', api_error_status: 429 };
      voice.apiError(`You've hit your limit · resets ${clock} (UTC)`, fields);
      break;
    }
    case 'overload':
      for (let attempt = 1; attempt <= 10; attempt++) voice.retry(attempt, 529, 'overloaded');
      voice.apiError(
        'API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment.',
        {
          error: 'server_error',
          api_error_status: 529,
        },
      );
      break;
    case 'rate':
      for (let attempt = 1; attempt <= 10; attempt++) voice.retry(attempt, 429, 'rate_limit');
      voice.apiError(
        'API Error: Request rejected (429) · Number of requests has exceeded your per-minute rate limit.',
        {
          error: 'rate_limit',
          api_error_status: 429,
        },
      );
      break;
    case 'auth':
      for (let attempt = 1; attempt <= 10; attempt++) {
        voice.retry(attempt, 401, 'authentication_failed');
        await pause(100);
      }
      voice.apiError('Invalid API key · Please run /login', { error: 'authentication_failed', api_error_status: 401 });
      break;
    case 'billing':
      voice.apiError('Credit balance is too low', { error: 'billing_error', api_error_status: 400 });
      break;
    default:
      throw new Error(`no refusal is called ${why}`);
  }
  process.exit(1);
}
