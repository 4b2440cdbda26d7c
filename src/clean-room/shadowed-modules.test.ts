import { describe, expect, it } from 'vitest';
import { possibleShadows, shadowedModules } from './shadowed-modules.js';

const test = { path: 'tests/test_a.py', text: 'import csv\nfrom calc import add\n' };
const PROJECT = { tests: [test], ran: ['tests/test_a.py::test_adds'], code: [] };

describe('a new module that Python finds before its own', () => {
  it('is one by its name and place', () => {
    const created = ['src/csv.py', 'csv/__init__.py', 'src/calc/csv.py', 'src/calc.py', 'src/csv.txt'];
    expect(possibleShadows(created)).toEqual(['src/csv.py', 'csv/__init__.py']);
  });

  it.each([
    ['pytest', test, ['tests/test_a.py::test_adds']],
    ['unittest', test, ['tests.test_a.Adds.test_ones']],
    ['one import of several', { ...test, text: 'import os, csv\n' }, PROJECT.ran],
    ['a name from it', { ...test, text: 'from csv import reader\n' }, PROJECT.ran],
  ])('takes its place where tests that ran load it (%s)', (_, loading, ran) => {
    expect(shadowedModules(['src/csv.py'], { ...PROJECT, tests: [loading], ran })).toEqual(['src/csv.py']);
  });

  it.each([
    ['that no test loads', { ...PROJECT, tests: [{ ...test, text: 'from calc import add\n' }] }],
    ['that tests ask for: they did not run', { ...PROJECT, ran: ['tests/test_a.py', 'tests/test_b.py::test_c'] }],
    ['that tests of unittest ask for', { ...PROJECT, ran: ['unittest.loader._FailedTest.tests.test_a.x'] }],
    ['of a package', { ...PROJECT, code: [{ path: 'src/__init__.py', text: '' }] }],
    [
      'that code loads as part of a package',
      { ...PROJECT, code: [{ path: 'src/calc.py', text: 'from .csv import a\n' }] },
    ],
    [
      'that code loads from its package',
      { ...PROJECT, code: [{ path: 'src/calc.py', text: 'from src.csv import a\n' }] },
    ],
    ['that code loads next to it', { ...PROJECT, code: [{ path: 'src/calc.py', text: 'from . import csv\n' }] }],
  ])('stays when it is one %s', (_, project) => {
    expect(shadowedModules(['src/csv.py'], project)).toEqual([]);
  });
});
