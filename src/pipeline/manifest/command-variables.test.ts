import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oldNamesIn, variablesIn, withVariables } from './command-variables.js';
import { fixManifest } from './fix-manifest.js';

describe('a command of an earlier version', () => {
  it.each([
    ['./draw.sh {{item.id}} > {{output}}', './draw.sh "$PAWL_ITEM_ID" > "$PAWL_OUTPUT"'],
    ['grep "made {{item.id}}s" {{ output }}', 'grep "made ${PAWL_ITEM_ID}s" "$PAWL_OUTPUT"'],
    ['cp in/{{item.Alt Text}}.md "$HOME"', 'cp in/"$PAWL_ITEM_ALT_TEXT".md "$HOME"'],
    ['docker ps --format {{.Names}} {{item.id}}', 'docker ps --format {{.Names}} "$PAWL_ITEM_ID"'],
  ])('%s is rewritten: %s', (command, rewritten) => {
    expect(withVariables(command)).toBe(rewritten);
  });

  it.each([
    `echo '{{item.id}}'`,
    'echo $(( {{attempt}} + 1 ))',
    'echo "$(cat {{output}})"',
    "cat <<'E'\n{{item.id}}\nE",
    'echo \\{{item.id}}',
    'echo `cat {{output}}`',
    'echo ${X:-{{item.id}}}',
    'echo ${{item.id}}',
    'true # {{item.id}}',
  ])('%s is left to a person: its context decides what it means', (command) => {
    expect(withVariables(command)).toBeUndefined();
    expect(oldNamesIn(command)).toHaveLength(1);
  });

  it('gets every value to the byte once it is rewritten', () => {
    const piece = fc.constantFrom(
      '{{item.id}}',
      '"',
      ' ',
      'a',
      'printf "<%s>" ',
      ';',
      '|',
      '&',
      '\n',
      '*',
      '$X',
      '{{x}}',
    );
    const value = 'q w*$(echo qw)';
    fc.assert(
      fc.property(fc.array(piece, { minLength: 2, maxLength: 10 }), (pieces) => {
        const command = withVariables(pieces.join(''));
        fc.pre(command !== undefined && command !== pieces.join(''));
        const env = { PATH: process.env['PATH'], PAWL_ITEM_ID: value };
        const { stdout } = spawnSync('/bin/sh', ['-c', command ?? ''], {
          env,
          encoding: 'utf8',
        });
        expect(stdout.replaceAll(value, '')).not.toMatch(/[qw]|PAWL|item/);
      }),
      { numRuns: 40 },
    );
  });
});

describe('pawl check --fix', () => {
  it.each([
    ['plain', 'command: ./a.sh {{item.id}}   # why', 'command: ./a.sh "$PAWL_ITEM_ID"   # why'],
    ['in single quotes', `command: 'a "{{item.id}}"'`, `command: 'a "$PAWL_ITEM_ID"'`],
    [
      'in double quotes',
      'command: "a {{item.id}}\\t{{output}}"',
      'command: "a \\"$PAWL_ITEM_ID\\"\\t\\"$PAWL_OUTPUT\\""',
    ],
    [
      'a block',
      'command: |\n    a {{item.id}}\n    b $X "{{output}}"',
      'command: |\n    a "$PAWL_ITEM_ID"\n    b $X "$PAWL_OUTPUT"',
    ],
  ])('rewrites a command that is written %s, and nothing else', (_style, command, fixed) => {
    const manifest = (line: string) => `items: [a]   # two\ngenerate:\n  ${line}\n  output: 'o/{{item.id}}'\n`;
    expect(fixManifest(manifest(command))).toBe(manifest(fixed));
  });

  it('rewrites an audit in both forms, and JSON', () => {
    expect(fixManifest('audit: test -s {{output}}\n')).toBe('audit: test -s "$PAWL_OUTPUT"\n');
    expect(fixManifest('{"audit": {"command": "test -s {{output}}"}}')).toBe(
      '{"audit": {"command": "test -s \\"$PAWL_OUTPUT\\""}}',
    );
  });

  it('leaves a command alone that it cannot read with certainty, and a text that is no manifest', () => {
    for (const text of [`audit: "echo '{{output}}'"\n`, 'audit: [', 'audit: x {{output}}\nb: [\n', ''])
      expect(fixManifest(text)).toBe(text);
  });
});

describe('the variables that a command expands', () => {
  it('are those without a default of their own', () => {
    expect(variablesIn('a $PAWL_ITEM_ID ${PAWL_ITEM_X} ${PAWL_ITEM_Y:-none} \\$PAWL_ITEM_Z PAWL_ITEM_V')).toEqual([
      'PAWL_ITEM_ID',
      'PAWL_ITEM_X',
    ]);
  });
});
