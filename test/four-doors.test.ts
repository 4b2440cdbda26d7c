/** The command line, the page, MCP and the library are doors to one application: an action is the same through each. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { LoopCommand } from '../src/model/loop-command.js';
import type { RunEvent } from '../src/model/run-event.js';
import { LoopRunner } from '../src/run/run-handle.js';
import { scriptedAgent } from '../src/testing/scripted-agent.js';
import { createContext } from '../src/views/cli/command-context.js';
import { runProgram } from '../src/views/cli/program.js';
import { createMcpServer } from '../src/views/mcp/create-mcp-server.js';
import { Keys, newSecret } from '../src/views/web/server/keys.js';
import { openDashboard } from '../src/views/web/server/open-dashboard.js';
import { takenSentence } from '../src/words/taken-sentence.js';
import { contextOf, recordingTerminal } from './support/terminal.js';

let home = '';
beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-four-doors-')));
  for (const name of ['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR']) vi.stubEnv(name, join(home, '.x'));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

let folder = '';
let runner: LoopRunner;
/** A run whose agent works until it is stopped. */
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(home, 'project-')));
  const config = { workingDir: folder, prompt: 'go', maxIterations: 5, trackFileChanges: false };
  runner = new LoopRunner(config, { agent: scriptedAgent([{ hangs: true }]) });
  const begun = new Promise<void>((resolve) => {
    runner.subscribe(({ type }) => type === 'iteration-started' && resolve());
  });
  const running = runner.run();
  onTestFinished(async () => {
    await runner.shutdown();
    await running;
  });
  await begun;
});

/** Each gives the run a command, and returns the sentence that its user reads. */
const DOORS: Readonly<Record<string, (command: LoopCommand) => Promise<string>>> = {
  async 'the command line'(command) {
    const terminal = recordingTerminal(200);
    const words = { pause: ['pause'], resume: ['unpause'], steer: ['steer'] }[command.type as 'pause'];
    const text = 'text' in command ? [command.text] : [];
    expect(await runProgram([...words, runner.id, ...text, '--cwd', folder], contextOf(terminal))).toBe(0);
    return terminal.out().trimEnd();
  },
  async 'the page'(command) {
    const keys = new Keys(newSecret());
    const context = createContext(process);
    const dashboard = await openDashboard({ folder, context, host: '127.0.0.1', port: 0, keys });
    onTestFinished(() => dashboard.close());
    const response = await fetch(`http://127.0.0.1:${dashboard.port}/api/runs/${runner.id}/commands`, {
      method: 'POST',
      body: JSON.stringify(command),
      headers: {
        authorization: `Bearer ${keys.token}`,
        origin: `http://127.0.0.1:${dashboard.port}`,
        'content-type': 'application/json',
      },
    });
    expect(response.status, await response.clone().text()).toBe(200);
    const { effect } = (await response.json()) as { readonly effect: string };
    return takenSentence(runner.id, effect);
  },
  async MCP(command) {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const server = createMcpServer({ cwd: folder, allowStart: false }, createContext(process));
    await server.connect(ours);
    const client = new Client({ name: 'a test', version: '1' });
    await client.connect(theirs);
    onTestFinished(() => client.close());
    const name = { pause: 'pause_run', resume: 'unpause_run', steer: 'steer_run' }[command.type as 'pause'];
    const given = { run: runner.id, ...('text' in command ? { text: command.text } : {}) };
    const { content, isError } = await client.callTool({ name, arguments: given });
    expect(isError).not.toBe(true);
    const [first] = content;
    return first?.type === 'text' ? first.text : '';
  },
  async 'the library'(command) {
    return takenSentence(runner.id, (await runner.send(command)).text);
  },
};

const COMMANDS: readonly LoopCommand[] = [
  { type: 'steer', text: 'mind the gap' },
  { type: 'pause' },
  { type: 'resume' },
];

/** What is recorded of commands, without who gave them and when. */
function recordOf(events: readonly RunEvent[]): readonly object[] {
  return events.flatMap((event) =>
    event.type === 'command-received' ? [{ type: event.type, command: event.command }] : [],
  );
}

it.each(COMMANDS)('$type is recorded and answered alike through each door', async (command) => {
  const sentences: string[] = [];
  const records: (readonly object[])[] = [];
  for (const give of Object.values(DOORS)) {
    const events: RunEvent[] = [];
    const stop = runner.subscribe((event) => void events.push(event));
    // What resumes needs something that is paused; what pauses is taken back for the next door.
    // oxlint-disable-next-line no-await-in-loop -- one door after the other
    if (command.type === 'resume') await runner.send({ type: 'pause' });
    events.length = 0;
    // oxlint-disable-next-line no-await-in-loop -- as above
    sentences.push((await give(command)).replace(/; pawl unpause.*$/, ''));
    records.push(recordOf(events));
    stop();
    // oxlint-disable-next-line no-await-in-loop -- as above
    if (command.type === 'pause') await runner.send({ type: 'resume' });
  }
  expect(new Set(sentences).size, sentences.join('\n')).toBe(1);
  expect(sentences[0]).toMatch(new RegExp(`^${runner.id.slice(5, 15)} \\S`));
  expect(records[0]).toMatchObject([{ command }]);
  for (const record of records) expect(record).toEqual(records[0]);
});
