import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { FULL } from '../support/full-form.js';
import { SEED } from './fuzz-run.js';
import { mutantOf } from './mutator.js';

const COUNT = FULL ? 20_000 : 200;
const ATTEMPTS = FULL ? 20 : 2;

let cli: BuiltCli;
beforeAll(() => void (cli = new BuiltCli('fuzz-mcp')), 300_000);
afterAll(() => cli.remove());

const HELLO =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a test","version":"1"}}}';
const READY = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const LIST = '{"jsonrpc":"2.0","id":"last","method":"tools/list"}';
/** Nothing that starts a run. */
const MESSAGES = [
  HELLO,
  READY,
  '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}',
  '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_runs","arguments":{"limit":5}}}',
  '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"run_status","arguments":{"run":"01ABC"}}}',
  '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"steer_run","arguments":{"run":"01ABC","text":"x"}}}',
  '[{"jsonrpc":"2.0","id":5,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]',
];

it(
  'a server that is told mutated messages writes nothing but messages, and still answers',
  async () => {
    const project = new CliProject(cli);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const server = spawn(process.execPath, [cli.bin, 'mcp'], { cwd: project.path, env: project.env, stdio: 'pipe' });
      const exited = once(server, 'exit');
      server.stderr.resume();
      server.stdin.on('error', () => undefined);
      const lines: string[] = [];
      createInterface({ input: server.stdout }).on('line', (line) => lines.push(line));
      server.stdin.write(`${HELLO}\n${READY}\n`);
      const share = COUNT / ATTEMPTS;
      for (let index = attempt * share; index < (attempt + 1) * share; index += 1) {
        const mutant = mutantOf(MESSAGES, SEED, index)
          .toString('latin1')
          .replaceAll('start_run', 'x')
          .slice(0, 500_000);
        // oxlint-disable-next-line no-await-in-loop -- no faster than it reads
        if (!server.stdin.write(Buffer.from(`${mutant}\n`, 'latin1'))) await once(server.stdin, 'drain');
      }
      server.stdin.write(`${LIST}\n`);
      // oxlint-disable-next-line no-await-in-loop -- one server after the other
      await expect
        .poll(() => lines.some((line) => line.includes('"id":"last"')), { timeout: 120_000, message: `seed ${SEED}` })
        .toBe(true);
      for (const line of lines) {
        expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
        expect(line).not.toMatch(/TypeError|\\n\s+at \S+ \(/);
      }
      server.stdin.end();
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect((await exited)[0]).toBe(0);
    }
  },
  FULL ? 3_600_000 : 300_000,
);
