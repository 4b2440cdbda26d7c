import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellCommand } from './shell-template.js';

function sh(template: string, id: string): string {
  const env = { PATH: process.env['PATH'], PAWL_ITEM_ID: id };
  return spawnSync('/bin/sh', ['-c', shellCommand(template) ?? 'exit 99'], { env, encoding: 'utf8' }).stdout;
}

describe('a name in a command', () => {
  it.each([
    ['outside of quotes', 'printf %s {{item.id}}'],
    ['in double quotes', 'printf %s "{{ item.id }}"'],
    ['in a substitution', 'printf %s "$(printf %s {{item.id}})"'],
    ['in quotes in a substitution in quotes', 'printf %s "$(printf %s "{{item.id}}")"'],
    ['in backquotes', 'printf %s "`printf %s {{item.id}}`"'],
    ['after single quotes', `printf '%s' {{item.id}}`],
    ['after an escaped quote', `printf '%s' \\" >/dev/null; printf %s {{item.id}}`],
    ['in a subshell', '(printf %s {{item.id}})'],
  ])('%s stays one piece and is never code', (_where, template) => {
    for (const id of ['a b', '$(echo no)', '`echo no`', '"; echo no; "', "'; echo no; '", '*', '\\', '~', '-n'])
      expect(sh(template, id)).toBe(id);
  });

  it('any text arrives as it is', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 }).filter((id) => !id.includes('\0') && !id.endsWith('\n'));
    fc.assert(
      fc.property(text, (id) => {
        expect(Buffer.from(sh('printf %s {{item.id}}', id)).toString()).toBe(Buffer.from(id).toString());
      }),
      { numRuns: 25 },
    );
  });

  it('in single quotes is refused: a shell would put nothing in', () => {
    expect(shellCommand("echo '{{item.id}}'")).toBeUndefined();
    expect(shellCommand(`echo "it's" '{{item.id}}'`)).toBeUndefined();
    expect(shellCommand(`echo "it's {{item.id}}"`)).toBe(`echo "it's \${PAWL_ITEM_ID}"`);
  });

  it('in arithmetic is refused: some shells run what a value holds', () => {
    expect(shellCommand('echo $(( ({{attempt}} + 1) % 2 ))')).toBeUndefined();
    expect(shellCommand('echo "$((1 + (2)))" {{attempt}}')).toBe('echo "$((1 + (2)))" "${PAWL_ATTEMPT}"');
  });

  it('leaves other braces alone', () => {
    expect(shellCommand('docker ps --format {{.Names}} "${X}"')).toBe('docker ps --format {{.Names}} "${X}"');
  });
});
