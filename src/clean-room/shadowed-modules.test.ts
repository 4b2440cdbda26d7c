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

describe('a new header that C finds before its own', () => {
  const including = { path: 'tests/adds.c', text: '#include "sum.h"\n#include <assert.h>\n' };
  const project = { tests: [including], ran: ['adds'], code: [{ path: 'src/sum.c', text: '#include "sum.h"\n' }] };

  it('is one by its name', () => {
    expect(possibleShadows(['src/assert.h', 'include/sum.h', 'src/asserts.h'])).toEqual(['src/assert.h']);
  });

  it('takes its place where tests include it', () => {
    expect(shadowedModules(['src/assert.h'], project)).toEqual(['src/assert.h']);
  });

  it.each([
    ['that no test includes', 'src/limits.h', project.code],
    ['that code asks for', 'src/assert.h', [{ path: 'src/sum.c', text: '#include "assert.h"\n' }]],
    ['that code asks for in its folder', 'src/my/assert.h', [{ path: 'src/sum.c', text: '#include "my/assert.h"\n' }]],
  ])('stays when it is one %s', (_, path, code) => {
    expect(shadowedModules([path], { ...project, code })).toEqual([]);
  });
});
