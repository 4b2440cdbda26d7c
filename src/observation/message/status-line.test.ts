import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.js';
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
    ['Ready.\n\nPAWL: DONE (all tests pass)', 'done by status-line: Ready.'],
    ['Ready.\n\nPAWL: DONE - works', 'done by status-line: Ready.'],
    ['Ready.\n\nPAWL: DONE\n\n---\n🤖 Generated with [Claude Code](https://claude.com)', 'done by status-line: Ready.'],
    ['Ready.\n\nPAWL: DONE\n\nCo-Authored-By: Agent <a@b.c>', 'done by status-line: Ready.'],
    ['Ready.\n\nPAWL: DONE\n\ntokens used\n12,345', 'done by status-line: Ready.'],
    ['Ready.\n\nPAWL: DONE\n\nTokens: 12k sent, 1.2k received. Cost: $0.04 message.', 'done by status-line: Ready.'],
    ['Ready.\n\nPAWL：DONE', 'done by status-line: Ready.'],
    ['- PAWL: NEEDS the npm token', 'blocked by status-line: the npm token'],
    ['Status: PAWL: NEEDS the npm token', 'blocked by status-line: the npm token'],
    ['PAWL: NEED the npm token', 'blocked by status-line: the npm token'],
    ['PAWL: BLOCKED by a missing token', 'blocked by status-line: by a missing token'],
    ['It works.\n\nPAWL: NEEDS the npm token\n\nThank you!', 'blocked by status-line: the npm token'],
    ['PAWL: NEEDS a deploy key\n\nPAWL: DONE', 'blocked by status-line: a deploy key'],
    ['PAWL: DONE\nPAWL: NEEDS a deploy key', 'blocked by status-line: a deploy key'],
  ])('is read from %j', (message, claim) => expect(read(message)).toBe(claim));

  it.each([
    ['in the middle of a message', 'PAWL: DONE\n\nNow I look at the docs.'],
    ['above what the work costs', 'PAWL: DONE\n\nThe cost of step 2 is next.'],
    ['in a sentence', 'I will write PAWL: DONE when the tests pass.'],
    ['announced at the end of a sentence', 'When all is finished I end with PAWL: DONE'],
    ['with conditions', 'PAWL: DONE if the tests pass'],
    ['of a part', 'PAWL: DONE with step 1'],
    ['copied with its meaning', '`PAWL: DONE` if everything asked for is finished'],
    ['of two kinds', 'PAWL: CONTINUE\nPAWL: DONE'],
    ['done except for something', 'PAWL: DONE (except the docs)'],
    ['done with a part', 'PAWL: DONE - step 1 of 3'],
    ['of all kinds', 'PAWL: DONE\nPAWL: CONTINUE\nPAWL: NEEDS a key'],
    ['in a quotation of a need', 'The log ends with:\n> PAWL: NEEDS the tax rates'],
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

  it('that needs something, above other words, leaves no claim in words', () => {
    expect(read('PAWL: NEEDS the npm token\n\nThe task is complete.')).toBe('no claim');
    expect(read('An old log says:\n> PAWL: NEEDS a token\n\nThe task is complete.')).toMatch(/^done by words/);
    expect(read('An example:\n```\nPAWL: NEEDS a token\n```\n\nThe task is complete.')).toMatch(/^done by words/);
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
      fc.property(fc.string({ unit: anyCharacter }), (before) => {
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

  it.each([
    ['PAWL: NEEDS approval to delete\nthe old files', 'approval to delete the old files'],
    ['**PAWL: NEEDS** approval to delete\n  the old\n  files', 'approval to delete the old files'],
    ['PAWL: NEEDS:\n- the host\n- a user', 'the host - a user'],
    ['PAWL: NEEDS the following:\n\n1. the host\n2. a user', 'the following: 1. the host 2. a user'],
    ['PAWL: NEEDS approval to delete\nthe old files\n\nThank you!', 'approval to delete the old files'],
  ])('is read to its end when it takes several lines: %j', (lines, evidence) => {
    expect(claimOf(lines)).toEqual({ claim: 'blocked', evidence, from: 'status-line' });
    expect(withoutStatusLine(`I worked on it.\n\n${lines}`)).toBe('I worked on it.');
  });

  it.each([
    'PAWL: NEEDS the key\n\nNow I look at the docs.',
    'PAWL: NEEDS the key\n> as the log says',
    'PAWL: NEEDS the key\nI continue with the docs.',
    'I would end with this line:\nPAWL: NEEDS the key\nbut it is here',
    '> PAWL: NEEDS the key\n> and the host',
    '```\nPAWL: NEEDS the key\nand the host\n```',
    'PAWL: NEEDS nothing from you,\nthe index is next',
    'PAWL: NEEDS the key\nPAWL: CONTINUE\nPAWL: DONE',
    `PAWL: NEEDS the key${'\nand more'.repeat(30)}`,
  ])('is not taken from what only looks like it: %j', (lines) => {
    expect(claimOf(lines)?.claim).not.toBe('blocked');
  });

  it('may be more work over several lines', () => {
    expect(claimOf('PAWL: NEEDS more work on the cache,\nwhich is next')?.claim).toBe('continue');
  });

  it.each(['another iteration', 'more work', 'some more time'])('is %j of its own, so the work continues', (text) => {
    expect(claimOf(`PAWL: NEEDS ${text}`)?.claim).toBe('continue');
  });
});

it('a status line in colour, and one that says what is next, are understood', () => {
  expect(claimAtEnd('\u001b[32mPAWL: DONE\u001b[0m')?.claim).toBe('done');
  expect(claimAtEnd('\u001b]0;agent\u0007⠋ 98 %\r\u001b[2KPAWL: DONE\r\n')?.claim).toBe('done');
  expect(claimAtEnd('PAWL: CONTINUE with step 2')?.claim).toBe('continue');
});
