import { describe, expect, it } from 'vitest';
import { ConfigError } from '../model/errors.js';
import { readLabels } from './labels.js';

describe('labels of runs', () => {
  it('are read with and without a heading, quotes and a byte order mark', () => {
    const text = '\uFEFFrun,label\r\n"a b",resolved\nc;unresolved\nd\ttrue\ne,FAILED\n\n';
    expect([...readLabels(text, 'labels.csv')]).toEqual([
      ['a b', 'resolved'],
      ['c', 'unresolved'],
      ['d', 'resolved'],
      ['e', 'unresolved'],
    ]);
  });

  it('that are none are an error with the line', () => {
    const read = () => readLabels('a,resolved\nb,perhaps\nc\n', 'labels.csv');
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/labels\.csv:2.*resolved or unresolved/s);
    expect(read).toThrow(/labels\.csv:3/);
  });
});
