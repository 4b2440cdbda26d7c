import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRecordings } from '../src/import/find-recordings.js';
import { importRecordings } from '../src/import/import-recordings.js';
import { benchOptions } from './bench-options.js';
import { report } from './measure.js';

// npm run bench -- import. Transcripts as Claude Code writes them, most of them the output of tools. `--megabytes 50` for less.
const values = benchOptions({ megabytes: { type: 'string', default: '500' } });
const MEGABYTES = Number(values.megabytes);
const FILE_BYTES = 5 * 1024 * 1024;
const WORDS = 'const value = await read(path); // "quoted" and \\escaped\\ words, numbers 123 and a newline\n';

const isBelow = (bytes: number) => bytes < FILE_BYTES;

function* linesOf(session: number): Generator<string> {
  let bytes = 0;
  const stamp = (call: number) => new Date(1.77e12 + session * 1e7 + call * 9000).toISOString();
  const base = { sessionId: `s${session}`, cwd: '/home/someone/project', version: '2.1.325' };
  const write = (line: object) => {
    const text = `${JSON.stringify({ ...base, ...line })}\n`;
    bytes += text.length;
    return text;
  };
  yield write({ type: 'user', timestamp: stamp(0), message: { role: 'user', content: `Repair part ${session}` } });
  let call = 0;
  while (isBelow(bytes)) {
    call += 1;
    const message = {
      id: `m${session}-${call}`,
      role: 'assistant',
      model: 'claude-haiku-4-5',
      usage: {
        input_tokens: 200,
        output_tokens: 150,
        cache_read_input_tokens: 40_000,
        cache_creation_input_tokens: 900,
      },
    };
    const id = `t${session}-${call}`;
    const text = { type: 'text', text: WORDS.repeat(2) };
    const use = { type: 'tool_use', id, name: 'Bash', input: { command: `npm test -- part-${call % 40}` } };
    const content = WORDS.repeat(10 + (call % 90));
    yield write({ type: 'assistant', timestamp: stamp(call), message: { ...message, content: [text] } });
    yield write({ type: 'assistant', timestamp: stamp(call), message: { ...message, content: [use] } });
    yield write({
      type: 'user',
      timestamp: stamp(call),
      toolUseResult: { stdout: content, stderr: '', interrupted: false },
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error: call % 7 === 0 }] },
    });
  }
}

const home = mkdtempSync(join(tmpdir(), 'pawl-bench-import-'));
try {
  const sessions = join(home, 'projects', '-home-someone-project');
  mkdirSync(sessions, { recursive: true });
  const count = Math.ceil((MEGABYTES * 1024 * 1024) / FILE_BYTES);
  for (let session = 0; session < count; session += 1) {
    const file = createWriteStream(join(sessions, `session-${session}.jsonl`));
    for (const line of linesOf(session)) if (!file.write(line)) await once(file, 'drain');
    file.end();
    await once(file, 'close');
  }
  const files = findRecordings([join(home, 'projects')], home);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const environment = { XDG_STATE_HOME: join(home, 'state') };
  const started = performance.now();
  const { imported } = await importRecordings(files, { environment, as: 'calls' });
  const seconds = (performance.now() - started) / 1000;
  const megabytes = process.resourceUsage().maxRSS / 1024;
  const again = performance.now();
  const { unchanged } = await importRecordings(files, { environment, as: 'calls' });
  const calls = imported.reduce((sum, run) => sum + run.calls, 0);
  if (imported.length !== count || unchanged !== count) throw new Error('the bench does not measure what it says');
  const isWhole = MEGABYTES === 500;
  report(`Importing ${Math.round(bytes / 1024 / 1024)} MB of transcripts`, [
    {
      what: `${count} sessions, ${calls} model calls`,
      figure: `${seconds.toFixed(1)} s`,
      ...(isWhole ? { bound: '< 60 s', holds: seconds < 60 } : {}),
    },
    { what: 'memory at most', figure: `${megabytes.toFixed(0)} MB`, bound: '< 300 MB', holds: megabytes < 300 },
    {
      what: 'a second import, of which nothing is new',
      figure: `${((performance.now() - again) / 1000).toFixed(2)} s`,
    },
  ]);
} finally {
  rmSync(home, { recursive: true, force: true });
}
