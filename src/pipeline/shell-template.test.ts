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
    ['in a here-document', 'cat <<E | head -c -1\n{{item.id}}\nE'],
    ['in a here-document that is indented', 'cat <<-E | head -c -1\n\t\t{{item.id}}\n\tE\n'],
    ['in the second of two here-documents', "cat <<'A' >/dev/null; cat <<B | head -c -1\nit's\nA\n{{item.id}}\nB\n"],
    ['in a here-document in a substitution', 'printf %s "$(cat <<E\n{{item.id}}\nE\n)"'],
    ['in a here-document of a subshell', '(cat <<E) | head -c -1\n{{item.id}}\nE'],
    ['in a substitution in a here-document', 'cat <<E | head -c -1\n$(printf %s {{item.id}})\nE'],
    ['after a here-document with an apostrophe', "cat <<E >/dev/null\ndon't\nE\nprintf %s {{item.id}}"],
    ['after a quoted here-document', "cat <<'E F' >/dev/null\ndon't $( \nE F\nprintf %s {{item.id}}"],
    ['after an escaped end word', "cat <<\\E >/dev/null\ndon't `\nE\nprintf %s {{item.id}}"],
    ['after a comment with an apostrophe', "true # don't $(\nprintf %s {{item.id}}"],
    ['after a comment on the first line', "# don't\nprintf %s {{item.id}}"],
    ['after a sign that begins no comment', "printf %s a#'b' >/dev/null; printf %s {{item.id}}"],
    ['after the length of a variable', `X='a b'; printf %s "\${#X}" >/dev/null; printf %s {{item.id}}`],
    ['after a case in a substitution', 'printf %s "$(case x in x) printf %s {{item.id}};; esac)"'],
    ['as the default of a variable', 'printf %s "${NONE:-{{item.id}}}"'],
    ['as the default of a variable without quotes', 'printf %s ${NONE:-{{item.id}}}'],
    ['after a here-document with an arrow in arithmetic', 'printf %s $((1 << 2)) >/dev/null\nprintf %s {{item.id}}'],
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

  it.each([
    ['a quoted here-document', "cat <<'E'\n{{item.id}}\nE"],
    ['a here-document with an escaped end word', 'cat <<\\E\n{{item.id}}\nE'],
    ['a here-document that has no end', 'cat <<E\n{{item.id}}\n'],
    ['the end word of a here-document', 'cat <<{{item.id}}\na\n{{item.id}}\n'],
    ['quotes in arithmetic', 'echo $(( "{{attempt}}" ))'],
    ['a substitution in arithmetic', 'echo $(( $(echo {{attempt}}) ))'],
    ['a pattern in quotes', `echo "\${X#'{{item.id}}'}"`],
    ['a place after a backslash', 'echo \\{{item.id}}'],
    ['a place after a dollar sign', 'echo "${{item.id}}"'],
    ['backquotes that a backslash makes hard to read', 'echo "`echo \\"{{item.id}}\\"`"'],
    ['quotes that are not closed', 'echo "{{item.id}}'],
  ])('in %s is refused: another text would arrive', (_where, template) => {
    expect(shellCommand(template)).toBeUndefined();
  });

  it('in any place arrives to the byte, or is refused', () => {
    const signs = [
      "'",
      '"',
      '`',
      '$(',
      ')',
      '(',
      '${X:-',
      '}',
      '#',
      '\\',
      '$',
      '$((',
      '))',
      ';',
      '|',
      '{',
      ' ',
      '\n',
      '\t',
    ];
    const words = ['{{item.id}}', 'printf "<%s>" ', 'case x in x) ', ';; esac', 'cat ', "don't", 'a'];
    const documents = ['<<E', "<<'E'", '<<-E', '\nE\n', 'E'];
    const piece = fc.constantFrom(...signs, ...words, ...documents);
    const template = fc.array(piece, { minLength: 3, maxLength: 14 }).map((pieces) => pieces.join(''));
    const id = 'q w*$(echo qw)';
    fc.assert(
      fc.property(template, (text) => {
        fc.pre(text.includes('{{item.id}}') && shellCommand(text) !== undefined);
        // What is left of a value that was split, taken for code or not put in.
        expect(sh(`\n${text}\n`, id).replaceAll(id, '')).not.toMatch(/q|w|PAWL|item/);
      }),
      { numRuns: 60 },
    );
  });

  it('leaves other braces alone', () => {
    expect(shellCommand('docker ps --format {{.Names}} "${X}"')).toBe('docker ps --format {{.Names}} "${X}"');
  });
});
