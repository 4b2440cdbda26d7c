import { describe, expect, it } from 'vitest';
import { parsePatch } from './parse-patch.js';

const PATCH = `diff --git a/src/roman.js b/src/roman.js
index 1f8e07a..b41c9e1 100644
--- a/src/roman.js
+++ b/src/roman.js
@@ -1,3 +1,4 @@ export
 const a = 1;
-const b = 2;
+const b = 3;
+--- not a header
 const c = 3;
\\ No newline at end of file
diff --git a/new file.txt b/new file.txt
new file mode 100644
--- /dev/null
+++ b/new file.txt\t
@@ -0,0 +1 @@
+hello
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/old.bin b/new.bin
similarity index 100%
rename from old.bin
rename to new.bin
diff --git a/logo.png b/logo.png
new file mode 100644
Binary files /dev/null and b/logo.png differ
`;

describe('a patch', () => {
  const files = parsePatch(PATCH);

  it('is taken apart into its files', () => {
    expect(files.map(({ path, change }) => [path, change])).toEqual([
      ['src/roman.js', undefined],
      ['new file.txt', 'new'],
      ['gone.txt', 'deleted'],
      ['new.bin', 'renamed from old.bin'],
      ['logo.png', 'new'],
    ]);
  });

  it('has lines of which those that look like headers are lines', () => {
    expect(files[0]).toMatchObject({ added: 2, removed: 1 });
    expect(files[0]?.lines).toContainEqual({ kind: 'added', text: '--- not a header' });
    expect(files[0]?.lines.at(-1)).toEqual({ kind: 'note', text: 'No newline at end of file' });
  });

  it('tells which files have no lines that could be shown', () => {
    expect(files.map(({ isBinary }) => isBinary)).toEqual([false, false, false, false, true]);
    const encoded = 'diff --git a/a.bin b/a.bin\nindex 1..2 100644\nGIT binary patch\nliteral 4\nLcmZ\n\n';
    expect(parsePatch(encoded)).toMatchObject([{ path: 'a.bin', isBinary: true, lines: [] }]);
  });

  it('has no file that stands in the line of another', () => {
    const forged =
      'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+a\rdiff --git a/b b/b\u2028diff --git a/c b/c\n';
    expect(parsePatch(forged)).toMatchObject([
      {
        path: 'a',
        lines: [{ kind: 'hunk' }, { kind: 'added', text: 'a\rdiff --git a/b b/b\u2028diff --git a/c b/c' }],
      },
    ]);
  });

  it('that was cut off in the middle of a hunk has the lines that are there', () => {
    const cut = 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,9 +1,9 @@ f()\n a\n-b\n+c\n';
    expect(parsePatch(cut)).toMatchObject([{ path: 'a', added: 1, removed: 1 }]);
  });

  it('has the words marked that replace others', () => {
    expect(files[0]?.lines.filter(({ changed }) => changed !== undefined)).toEqual([]);
    const patch = 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-const b = 2;\n+const b = 3;\n';
    expect(parsePatch(patch)[0]?.lines.slice(1)).toEqual([
      { kind: 'removed', text: 'const b = 2;', changed: [{ start: 10, end: 11 }] },
      { kind: 'added', text: 'const b = 3;', changed: [{ start: 10, end: 11 }] },
    ]);
  });

  it('that is none has no files', () => {
    expect(parsePatch('')).toEqual([]);
    expect(parsePatch('not a patch\n')).toEqual([]);
  });
});
