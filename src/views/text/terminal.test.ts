import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createTerminal } from './terminal.js';

/** A stream that is a terminal, or not, and what is written to it. */
function streamOf(isTTY: boolean, columns = 40) {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY, columns }) as unknown as NodeJS.WriteStream, text: () => text };
}

const NOTE = 'warning: stop.failure[0]: this is never reached, as stop.limits[1] ends the run before it';

describe('notes', () => {
  it('do not break in the middle of a word at the edge of a terminal', () => {
    const err = streamOf(true);
    createTerminal(streamOf(true).stream, err.stream, {}).note(NOTE);
    expect(err.text()).toBe(
      ['warning: stop.failure[0]: this is never', '  reached, as stop.limits[1] ends the', '  run before it\n'].join(
        '\n',
      ),
    );
  });

  it('stay one line in a pipe, for whoever searches in it', () => {
    const err = streamOf(false);
    createTerminal(streamOf(true).stream, err.stream, {}).note(NOTE);
    expect(err.text()).toBe(`${NOTE}\n`);
  });

  it('a command that is shown keeps its blanks, its indentation and its long words', () => {
    const err = streamOf(true, 24);
    const terminal = createTerminal(streamOf(true).stream, err.stream, {});
    terminal.note(`    sh -c 'a  b'  ${'x'.repeat(30)} end`);
    expect(err.text()).toBe(`    sh -c 'a  b'\n      ${'x'.repeat(30)}\n      end\n`);
  });

  it('reach whoever has the screen line by line, and none is too wide for it', () => {
    const err = streamOf(true);
    const terminal = createTerminal(streamOf(true).stream, err.stream, {});
    const taken: string[] = [];
    const takeBack = terminal.lend?.((line) => taken.push(line));
    terminal.note(NOTE);
    takeBack?.();
    expect(taken).toHaveLength(3);
    expect(err.text()).toBe('');
  });
});

describe('colours', () => {
  it.each([
    ['on a terminal', true, {}, true],
    ['in a pipe', false, {}, false],
    ['in CI, also when it gives a terminal', true, { CI: '1' }, false],
    ['in CI that wants them', true, { CI: '1', FORCE_COLOR: '1' }, true],
    ['where CI=false says that it is not CI', true, { CI: 'false' }, true],
    ['where CI is empty', true, { CI: '' }, true],
    ['with an empty FORCE_COLOR in a pipe', false, { FORCE_COLOR: '' }, false],
    ['with NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['on a dumb terminal', true, { TERM: 'dumb' }, false],
  ])('%s', (_, isTTY, env, isColoured) => {
    const { style } = createTerminal(streamOf(isTTY).stream, streamOf(isTTY).stream, env);
    expect(style('bold', 'x') !== 'x').toBe(isColoured);
  });
});
