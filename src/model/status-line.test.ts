import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimAtEnd, STATUS_LINE_PROMPT, withoutStatusLine } from './status-line.js';

const read = (message: string) => {
  const { claim, evidence, from } = claimAtEnd(message) ?? {};
  return claim === undefined ? 'no claim' : `${claim} by ${from}: ${evidence}`;
};

describe('the status line', () => {
  it.each([
    ['PAWL: DONE', 'done by status-line: PAWL: DONE'],
    ['I ran the tests. All 12 pass.\n\nPAWL: DONE\n', 'done by status-line: All 12 pass.'],
    ['The parser works.\nPAWL: CONTINUE', 'continue by status-line: The parser works.'],
    ['**PAWL: DONE**', 'done by status-line: **PAWL: DONE**'],
    ['Ready.\n\n`PAWL: DONE`', 'done by status-line: Ready.'],
    ['Ready.\n\n**PAWL:** DONE.', 'done by status-line: Ready.'],
    ['Ready.\n\n## PAWL: DONE', 'done by status-line: Ready.'],
    ['Ready.\n\n✅ PAWL: DONE!', 'done by status-line: Ready.'],
    ['Ready.\n\npawl: done', 'done by status-line: Ready.'],
    ['Ready.\r\n\r\nPAWL: DONE\r\n', 'done by status-line: Ready.'],
    ['Ready.\n\n```\nPAWL: DONE\n```', 'done by status-line: Ready.'],
    ['No key.\n\nPAWL: NEEDS an API key for the mail server', 'blocked by status-line: an API key for the mail server'],
    ['PAWL: NEEDS: which of the two schemas is right?', 'blocked by status-line: which of the two schemas is right?'],
    ['**PAWL: NEEDS a decision on the date format.**', 'blocked by status-line: a decision on the date format.'],
    [
      'Tried twice.\n\nThe login is refused.\nPlease log in.\n\nPAWL: NEEDS',
      'blocked by status-line: The login is refused.\nPlease log in.',
    ],
    ['PAWL: NEEDS', 'blocked by status-line: PAWL: NEEDS'],
    ['Ready.\n\nPAWL: DONE\nPAWL: DONE', 'done by status-line: PAWL: DONE'],
  ])('is read from %j', (message, claim) => expect(read(message)).toBe(claim));

  it.each([
    ['in the middle of a message', 'PAWL: DONE\n\nNow I look at the docs.'],
    ['in a sentence', 'I will write PAWL: DONE when the tests pass.'],
    ['announced at the end of a sentence', 'When all is finished I end with PAWL: DONE'],
    ['with conditions', 'PAWL: DONE if the tests pass'],
    ['of a part', 'PAWL: DONE with step 1'],
    ['copied with its meaning', '`PAWL: DONE` if everything asked for is finished'],
    ['of two kinds', 'PAWL: CONTINUE\nPAWL: DONE'],
    ['as a choice', 'PAWL: DONE/CONTINUE'],
    ['as a template', 'PAWL: NEEDS <what you need>'],
    ['as a template with markdown', '`PAWL: NEEDS <what you need from a person>`'],
    ['that needs nothing', 'PAWL: NEEDS nothing.'],
    ['in a quotation', 'The prompt says:\n\n> PAWL: DONE'],
    ['with another keyword', 'PAWL: FINISHED'],
    ['of another name', 'HOWL: DONE'],
    ['as part of a word', 'PAWL: DONENESS'],
    ['at the end of a longer code block', '```\necho\nPAWL: DONE\n```'],
  ])('is not read %s', (_, message) => expect(read(message)).toBe('no claim'));

  it.each(['<promise>COMPLETE</promise>', 'LOOP_COMPLETE', '`LOOP_COMPLETE`', '**<promise>COMPLETE</promise>**'])(
    'of another runner counts alone on the last line: %s',
    (marker) => {
      expect(read(`The work is there.\n\n${marker}\n`)).toBe('done by status-line: The work is there.');
      expect(read(`I print ${marker} when it is there.`)).toBe('no claim');
      expect(read(`When it is there: ${marker}`)).toBe('no claim');
      expect(read(`${marker}\n\nOne thing more.`)).toBe('no claim');
    },
  );

  it('counts before words: an agent that says all done and continues has claimed no end', () => {
    expect(read('All done.\n\nPAWL: CONTINUE')).toBe('continue by status-line: All done.');
    expect(read('Part of it.\n\nAll done.\n\nPAWL: DONE?')).toBe('no claim');
  });

  it('of the prompt itself claims nothing, echoed whole or in part', () => {
    const lines = STATUS_LINE_PROMPT.split('\n');
    for (let from = 0; from < lines.length; from++) {
      for (let to = from + 1; to <= lines.length; to++) {
        expect(claimAtEnd(`> ${lines.slice(from, to).join('\n> ')}`)).toBeUndefined();
      }
      expect(claimAtEnd(lines.slice(from).join('\n'))).toBeUndefined();
    }
  });

  it('costs the prompt fewer than 400 characters', () => {
    expect(STATUS_LINE_PROMPT.length).toBeLessThan(400);
  });

  it('has bounded evidence', () => {
    expect(claimAtEnd(`${'word '.repeat(5000)}\nPAWL: DONE`)?.evidence.length).toBeLessThanOrEqual(500);
    expect(claimAtEnd(`PAWL: NEEDS ${'word '.repeat(1000)}`)?.evidence.length).toBeLessThanOrEqual(2000);
  });

  it('is left out of what people read', () => {
    expect(withoutStatusLine('It works.\n\nPAWL: DONE')).toBe('It works.');
    expect(withoutStatusLine('PAWL: DONE')).toBe('');
    expect(withoutStatusLine('It works.\n')).toBe('It works.\n');
    expect(withoutStatusLine(undefined)).toBeUndefined();
  });

  it('is decided by the last line alone, whatever comes before it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (before) => {
        // A status line before it, or an open code block, is a doubt.
        fc.pre(!/pawl|complete|```|~~~/i.test(before));
        expect(claimAtEnd(`${before}\n\nPAWL: CONTINUE`)).toMatchObject({ claim: 'continue', from: 'status-line' });
      }),
    );
  });
});

describe('what an agent may need', () => {
  const claimOf = (line: string) => claimAtEnd(`I worked on it.\n\n${line}`);

  it.each([
    'nothing from you.',
    'nothing else',
    'no further input',
    'none at this time',
    'nothing, all good',
    '...',
    '-',
  ])('is not %j', (text) => expect(claimOf(`PAWL: NEEDS ${text}`)?.claim).not.toBe('blocked'));

  it.each(['another iteration', 'more work', 'some more time'])('is %j of its own, so the work continues', (text) => {
    expect(claimOf(`PAWL: NEEDS ${text}`)?.claim).toBe('continue');
  });
});

it('a status line in colour, and one that says what is next, are understood', () => {
  expect(claimAtEnd('\u001b[32mPAWL: DONE\u001b[0m')?.claim).toBe('done');
  expect(claimAtEnd('PAWL: CONTINUE with step 2')?.claim).toBe('continue');
});
