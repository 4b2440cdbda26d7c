import { describe, expect, it } from 'vitest';
import { begin, iteration, started, stateAfter, tests } from '../../test/support/record.js';
import { NO_TOOL_USE, afterCall, type ToolUse } from './tool-use.js';

const call = (name: string, input: string) => ({ type: 'tool-called', name, input }) as const;
const bash = (command: string) => call('Bash', JSON.stringify({ command }));
const used = (...calls: ReturnType<typeof call>[]): ToolUse => calls.reduce(afterCall, NO_TOOL_USE);

describe('what the agent did with its tools', () => {
  it('counts a call that was made before, to the letter, however long ago', () => {
    const between = Array.from({ length: 100 }, (_, index) => bash(`cat ${index}.txt`));
    expect(used(bash('npm test'), ...between, bash('npm  test')).repeats).toBe(1);
    expect(used(bash('npm test'), call('Other', JSON.stringify({ command: 'npm test' }))).repeats).toBe(0);
  });

  it.each([
    ['a tool that edits', call('Edit', '{"file_path":"a.ts"}')],
    ['a tool that writes', call('Write', '{"file_path":"a.ts","content":""}')],
    ['sed -i', bash("sed -i 's/a/b/' a.py")],
    ['a redirection', bash('cat <<EOF > a.py\nx\nEOF')],
    ['a script that writes', bash("python - <<E\nopen('a','w').write('x')\nE")],
    ['apply_patch', call('shell', '{"command":["apply_patch","*** Begin"]}')],
  ])('takes %s for an edit', (_, one) => {
    expect(used(bash('ls'), one, bash('ls -l'))).toMatchObject({ edits: 1, callsSinceEdit: 1 });
  });

  it.each([
    ['a list of its own', call('TodoWrite', '{"todos":[]}')],
    ['errors that are thrown away', bash('grep -r x . 2>/dev/null')],
    ['errors that join the output', bash('npm test 2>&1 | tail -5')],
    ['a comparison', bash('test 3 -gt 2 && echo a->b')],
    ['reading', call('Read', '{"file_path":"patch.diff"}')],
  ])('does not take %s for an edit', (_, one) => {
    expect(used(one).edits).toBe(0);
  });

  it('is part of the state: failures in a row end with a call that works, a denial is no failure', () => {
    const after = (...answers: object[]) =>
      stateAfter(started(), begin(1), ...answers.map((more) => ({ type: 'tool-answered', ...more }) as const)).toolUse;
    expect(after()).toEqual(NO_TOOL_USE);
    expect(after({ failed: true }, { failed: true })).toMatchObject({ failures: 2, failuresInARow: 2 });
    expect(after({ failed: true }, {})).toMatchObject({ failures: 1, failuresInARow: 0 });
    expect(after({ failed: true, denied: true })).toMatchObject({ failures: 0 });
  });

  it('knows for how many results the tests have not become better', () => {
    const after = (...failing: number[]) =>
      stateAfter(started(), ...failing.flatMap((failed, index) => iteration(index + 1, { tests: tests(3, failed) })))
        .toolUse;
    expect(after(5, 3, 4, 4)).toMatchObject({ failingTests: 4, fewestFailing: 3, resultsSinceFewest: 2 });
    expect(after(5, 0, 0, 0)).toMatchObject({ failingTests: 0, resultsSinceFewest: 0 });
  });

  it('stays unknown in a pipeline, and where an older Pawl has read a part of the record', () => {
    expect(stateAfter(started({}, { kind: 'pipeline' }), bash('ls')).toolUse).toBeUndefined();
    expect(stateAfter(bash('ls')).toolUse).toBeUndefined();
  });
});
