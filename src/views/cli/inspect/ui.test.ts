import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { contextOf, recordingTerminal } from '../../../../test/support/terminal.js';
import { runProgram } from '../program.js';

async function refusal(...words: readonly string[]): Promise<string> {
  const terminal = recordingTerminal();
  expect(await runProgram(['ui', ...words], contextOf(terminal))).toBe(2);
  expect(terminal.out()).toBe('');
  return terminal.err();
}

it('a port that is taken is said', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  expect(await refusal('--port', String(port))).toContain(`port ${port} is taken`);
});

it.each([
  [['--port', '70000'], /^--port: must be a number from 1 to 65535, or 0 for any, not "70000"/],
  [['--port', '-1'], /--port/],
  [['--port', '1.5'], /--port: must be a number/],
  [['--port', ''], /--port: must be a number/],
  [['--host', 'no such host'], /--host: "no such host" is neither an address nor a name/],
  [['--host', '0.0.0.0'], /--host: other machines can reach 0\.0\.0\.0, by plain HTTP; --allow-remote/],
  [['--host', '::'], /--allow-remote/],
  [['--host', '192.168.1.1'], /--allow-remote/],
  [['--host', '203.0.113.7', '--allow-remote'], /203\.0\.113\.7 is not an address of this machine/],
  [['--cwd', '/no/such/folder'], /--cwd: .* is not a directory/],
])('%j is refused', async (words, message) => {
  expect(await refusal(...words)).toMatch(message);
});

it('a token file that others can read is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-ui-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'token');
  writeFileSync(path, 'a'.repeat(43));
  chmodSync(path, 0o640);
  expect(await refusal('--token-file', path)).toMatch(/^--token-file: others can read it/);
});
