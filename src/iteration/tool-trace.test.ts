import { describe, expect, it } from 'vitest';
import { ToolTrace } from './tool-trace.js';

const write = (path: string, content: string) => ({
  kind: 'tool-call' as const,
  id: 'w',
  name: 'Write',
  input: JSON.stringify({ file_path: path, content }),
});

function traceOf(...events: Parameters<ToolTrace['add']>[0][]) {
  const trace = new ToolTrace('/home/me/app', (text) => text.replaceAll('hunter2', '[KEY]'));
  for (const event of events) trace.add(event);
  return trace.observed;
}

const called = (command: string) => ({
  kind: 'tool-call' as const,
  id: command,
  name: 'Bash',
  input: JSON.stringify({ command }),
});
const failed = (command: string, output: string, more = {}) => ({
  kind: 'tool-result' as const,
  id: command,
  failed: true,
  output,
  ...more,
});

describe('what the tools of an agent did', () => {
  it('names a failing call the same way when only times differ, and not when a figure gets better', () => {
    const one = traceOf(called('make db'), failed('make db', 'connection refused at 10:00:01 after 12 ms'));
    const other = traceOf(called('make db'), failed('make db', 'connection refused at 11:22:33 after 340 ms'));
    expect(one.toolFailures).toHaveLength(1);
    expect(other.toolFailures?.[0]?.digest).toBe(one.toolFailures?.[0]?.digest);
    const lint = (errors: number) =>
      traceOf(called('lint'), failed('lint', `lint: ${errors} errors left`)).toolFailures?.[0]?.digest;
    expect(lint(280)).not.toBe(lint(260));
    const moved = traceOf(called('make db'), failed('make db', 'table users is missing'));
    expect(moved.toolFailures?.[0]?.digest).not.toBe(one.toolFailures?.[0]?.digest);
  });

  it('leaves out denials and what succeeded, and keeps no secret', () => {
    expect(
      traceOf(called('a'), failed('a', 'no', { denied: true }), called('b'), { ...failed('b', 'ok'), failed: false }),
    ).toEqual({});
    expect(traceOf(called('a'), failed('a', 'token hunter2 is refused')).toolFailures).toMatchObject([
      { text: 'token [KEY] is refused' },
    ]);
  });

  it.each([
    [
      'Exit code 127\n/bin/bash: line 1: terraform: command not found',
      '/bin/bash: line 1: terraform: command not found',
    ],
    ['npm warn deprecated glob@7\n\nnpm error code E401\nnpm error Unable to authenticate', 'npm error code E401'],
    [
      'Exit code 1\nUploading 3 files\nfatal error: Unable to locate credentials',
      'fatal error: Unable to locate credentials',
    ],
    ['Exit code 1\n3 of 9 pages differ', '3 of 9 pages differ'],
    ['Exit code 1', 'Exit code 1'],
    ['', 'Bash {"command":"a"}'],
  ])('is quoted with the line that says what is wrong: %j', (output, text) => {
    expect(traceOf(called('a'), failed('a', output)).toolFailures).toMatchObject([{ text }]);
  });

  it('is bounded for an agent whose every call fails', () => {
    const events = Array.from({ length: 1000 }, (_, index) => {
      const command = `try ${'abcdefghij'[index % 10]}${'abcdefghij'[Math.floor(index / 10) % 10]}`;
      return [called(command), failed(command, `error of ${command}`)];
    }).flat();
    expect(traceOf(...events).toolFailures).toHaveLength(20);
  });

  it('recognises what is written outside of the folder, and not what is inside, in a temporary folder or a note', () => {
    expect(traceOf(write('/home/me/library/parts.ts', 'export const a = 1;')).outsideLines).toHaveLength(1);
    expect(traceOf(write('../library/parts.ts', 'a\nb')).outsideLines).toHaveLength(2);
    for (const path of ['src/a.ts', '/home/me/app/src/a.ts', '/tmp/scratch.ts', '/home/me/notes.md'])
      expect(traceOf(write(path, 'a')).outsideLines).toBeUndefined();
  });

  const call = (name: string, input: object) => ({ kind: 'tool-call' as const, name, input: JSON.stringify(input) });

  it.each([
    ['Write', { file_path: 'src/a.ts' }],
    ['MultiEdit', { file_path: 'src/a.ts' }],
    ['apply_patch', {}],
    ['mcp__files__write_file', {}],
    ['files.edit_file', {}],
    ['str_replace_editor', { command: 'str_replace', path: 'a.ts', new_str: 'b' }],
  ])('recognises a tool that writes a file: %s', (name, input) => {
    expect(traceOf(call(name, input)).wroteFiles).toBe(true);
  });

  it.each([
    ['Read', { file_path: 'src/a.ts' }],
    ['TodoWrite', { todos: [{ content: 'add div' }] }],
    ['str_replace_editor', { command: 'view', path: 'a.ts' }],
    ['Bash', { command: 'npm test' }],
  ])('takes no other tool for one that writes: %s', (name, input) => {
    expect(traceOf(call(name, input)).wroteFiles).toBeUndefined();
  });
});
