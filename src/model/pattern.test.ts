import { describe, expect, it } from 'vitest';
import { compilePattern, regexProblem } from './pattern.js';

describe('patterns', () => {
  it('[c12] finds text as text', () => {
    const find = compilePattern({ pattern: 'a.c' });
    expect(find('xx a.c xx')).toBe('a.c');
    expect(find('abc')).toBeUndefined();
  });

  it('[c12] finds a regular expression, by line', () => {
    const find = compilePattern({ pattern: '^DONE: (\\d+)$', is_regex: true });
    expect(find('so\nDONE: 42\nthen')).toBe('DONE: 42');
    expect(find('not DONE: 42')).toBeUndefined();
  });

  it('shortens what it found', () => {
    expect(compilePattern({ pattern: 'a+', is_regex: true })('a'.repeat(5000))).toBe(`${'a'.repeat(200)}…`);
    expect(compilePattern({ pattern: 'a+', is_regex: true })('a'.repeat(200))).toBe('a'.repeat(200));
  });

  it.each([
    '(a+)+$',
    '^(a+)+$',
    '(a|aa)+$',
    '(a|a?)+c$',
    '(.*a){20}$',
    '([a-zA-Z]+)*c$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(x+x+)+y',
  ])('cannot be made to hang by %s', (pattern) => {
    expect(compilePattern({ pattern, is_regex: true })(`${'a'.repeat(50_000)}!`)).toBeUndefined();
  });

  it('finds a regular expression that matches nothing at all between words', () => {
    expect(compilePattern({ pattern: '\\bx*', is_regex: true })('a')).toBe('');
  });

  it('says what it cannot run', () => {
    expect(regexProblem('a{2,3}')).toBeUndefined();
    expect(regexProblem('(?=a)')).toContain('no look-around');
    expect(regexProblem('(a)\\1')).toContain('no back-references');
    expect(regexProblem('[')).toContain('linear time');
    expect(regexProblem('[')).not.toContain('(?m)');
    expect(regexProblem('here')).toBeUndefined();
    expect(regexProblem('(a*)*$')).toContain('matches an empty text');
    expect(regexProblem('[a-z]{300}x')).toBeUndefined();
    expect(regexProblem('(a{1,50}){1,20}$')).toMatch(/too large.*\d+ steps.* 400/);
  });
});
