import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addedLines } from './added-lines.js';

const PATCH = `diff --git a/src/a.js b/src/a.js
index 1f8e07a..b41c9e1 100644
--- a/src/a.js
+++ b/src/a.js
@@ -2 +2,2 @@ export
-const b = 2;
+const b = 3;
+++ b/not-a-header
@@ -9,0 +11 @@
+last\r
\\ No newline at end of file
diff --git a/old name.txt b/new name.txt
similarity index 90%
rename from old name.txt
rename to new name.txt
--- a/old name.txt\t
+++ b/new name.txt\t
@@ -1 +1 @@
--- a/x
+hello
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-+++ b/evil
-bye
diff --git a/logo.png b/logo.png
new file mode 100644
Binary files /dev/null and b/logo.png differ
diff --git "a/d\\303\\251j\\303\\240 \\"vu\\".py" "b/d\\303\\251j\\303\\240 \\"vu\\".py"
new file mode 100644
--- /dev/null
+++ "b/d\\303\\251j\\303\\240 \\"vu\\".py"
@@ -0,0 +1,2 @@
+a
+
diff --git a/moved b/moved-too
similarity index 100%
rename from moved
rename to moved-too
diff --git a/kept.c b/kept.c
--- a/kept.c
+++ b/kept.c
@@ -1,3 +1,4 @@
 one
+two

 three
`;

it('lines are added to files at lines, also after renames, in quoted names and without a last newline', () => {
  expect(addedLines(PATCH).map(({ path, line, text }) => `${path}:${line} ${text}`)).toEqual([
    'src/a.js:2 const b = 3;',
    'src/a.js:3 ++ b/not-a-header',
    'src/a.js:11 last',
    'new name.txt:1 hello',
    'déjà "vu".py:1 a',
    'déjà "vu".py:2 ',
    'kept.c:2 two',
  ]);
});

it('a removed line that resembles a header does not name a file', () => {
  const evil = 'diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -1 +1 @@\n-++ b/other.js\n+x\n';
  expect(addedLines(evil)).toEqual([{ path: 'a.js', line: 1, text: 'x' }]);
});

it('anything else adds nothing and does not throw', () => {
  const pieces = fc.constantFrom(
    '@@ -1 +1 @@\n',
    '@@ -1,9 +1,9 @@\n',
    '+++ b/a\n',
    '+++ "b/\\',
    '"\n',
    '\\777',
    '+',
    '-',
    ' ',
    '\n',
    'diff --git ',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 30 }), (parts) => void addedLines(parts.join(''))),
  );
  expect(addedLines('')).toEqual([]);
  expect(addedLines('@@ -0,0 +1 @@\n+a\n')).toEqual([]);
});
