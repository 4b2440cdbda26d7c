import { describe, expect, it } from 'vitest';
import { branchOf, repositoryOf } from './submitted-place.js';

describe('a repository', () => {
  it.each([
    'https://host/team/app.git',
    'ssh://git@host:22/app',
    'git@host:team/app.git',
    'host:path',
    'git:team/app',
    'git@host:a@b/x',
    'file:///srv/app',
    '/srv/app',
    '/srv/a@b:c/x',
  ])('%s is taken as it is', (repository) => {
    expect(repositoryOf(repository)).toBe(repository);
  });

  it.each([
    'https://me:hunter2@host/a',
    'HTTPS://me:hunter2@host/a',
    'https://hunter2@host/a',
    'ssh://git:hunter2@host/a',
    'me:hunter2@host:a',
    'http:/me:hunter2@host/a',
    '//me:hunter2@host/a',
    'https://host/a?private_token=hunter2',
    'https://host/a#hunter2',
  ])('%s would leave its password in the database', (repository) => {
    expect(() => repositoryOf(repository)).toThrow(/^--repo: .*which the database would keep/);
    expect(() => repositoryOf(repository)).not.toThrow(/hunter2/);
  });

  it.each([
    undefined,
    '',
    ' ',
    '-x',
    'a/b',
    'ext::sh -c x',
    'http://',
    'https://[',
    'http:/host/x',
    'file://',
    'ssh://git@host:team/x',
  ])('%j is refused', (repository) => {
    expect(() => repositoryOf(repository)).toThrow(/^--repo: /);
  });
});

describe('a branch', () => {
  it.each(['main', 'feature/x_y-z@2', 'ü', '#12', 'HEAD', 'refs/heads/main', 'v1.0', 'a'.repeat(40)])(
    '%s may be one',
    (branch) => {
      expect(branchOf(branch)).toBe(branch);
    },
  );

  it.each([
    '',
    ' ',
    '-x',
    'a b',
    'a..b',
    'a.lock',
    'a.lock/b',
    '@',
    '@{u}',
    'a@{1}',
    'a/',
    '/a',
    'a//b',
    '.a',
    'a/.b',
    'a.',
    'a\nb',
    'a\u007f',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[',
    'a\\b',
    'a'.repeat(251),
  ])('%j is none that git knows', (branch) => {
    expect(() => branchOf(branch, 't.jsonl:3 branch')).toThrow(/^t\.jsonl:3 branch: .*name of a branch/);
  });
});
