import { describe, expect, it } from 'vitest';
import { credentialScrubber, repositoryFolder, withoutCredentials } from './repository-name.js';

describe('the name of a repository', () => {
  it.each([
    ['https://user:secret@host/a/b.git', 'https://host/a/b.git'],
    ['https://token@host:8443/a', 'https://host:8443/a'],
    ['https://us@er:sec@ret@host/a@b', 'https://host/a@b'],
    ['ssh://git:secret@host/a', 'ssh://host/a'],
    ['https://host/a?token=secret', 'https://host/a'],
    ['git@host:team/repo.git', 'git@host:team/repo.git'],
    ['/a path/with@sign', '/a path/with@sign'],
  ])('%s is shown without credentials', (given, shown) => {
    expect(withoutCredentials(given)).toBe(shown);
  });

  it('keeps credentials out of what others say, as they were given and as they are meant', () => {
    const scrub = credentialScrubber('https://user:pa%24s@host/a?key=abc');
    expect(scrub("fatal: 'https://user:pa%24s@host/a?key=abc' with pa$s or https://other:x1@host/b")).toBe(
      "fatal: 'https://host/a***' with *** or https://host/b",
    );
    expect(credentialScrubber('/plain')('text')).toBe('text');
  });

  it('makes one folder for all who log in to it, and another one for each repository', () => {
    const folder = repositoryFolder('https://a:b@host/team/repo.git');
    expect(folder).toMatch(/^repo-[0-9a-f]{12}$/);
    expect(repositoryFolder('https://host/team/repo.git')).toBe(folder);
    expect(repositoryFolder('https://host/other/repo.git')).not.toBe(folder);
    expect(repositoryFolder('/tmp/../..')).toMatch(/^[\w.-]+-[0-9a-f]{12}$/);
  });
});
