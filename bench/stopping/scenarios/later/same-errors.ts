import {
  byFile,
  byTests,
  claim,
  claimAgain,
  type Family,
  first,
  NO_TESTS,
  project,
  build,
  say,
  shell,
  write,
} from '../steps.js';

const LONG = { maxIterations: 20 } as const;
const FEATURE = byTests({ ...LONG, task: 'build' });

const FIELDS = ['name', 'street', 'city', 'zip', 'country', 'phone', 'mail', 'note', 'photo', 'form'];
const SHAPES = ['line', 'curve', 'arc', 'text', 'image', 'group', 'mask', 'layer', 'page'];
const TWENTY = Array.from({ length: 20 }, (_, index) => index + 1);

const MISSING_NOTE = 'cat: NOTES.md: No such file or directory';
const OLD_FINDINGS = 'legacy/draw.c:88: unused variable `w`\nlegacy/draw.c:93: unused variable `h`\n2 findings';
const REFUSED = 'Error: connect ECONNREFUSED 10.0.4.17:5433';
const UNRESOLVED = 'error: cannot find module `core/ring` (src/main.src:1)\nbuild failed';

/** The same command with the same error in iteration after iteration, in runs that work and in runs that do not. */
export const sameErrors: Family = [
  {
    name: 'looks-for-a-missing-note',
    story:
      'all tests pass; each of ten calls begins with a command that fails, as there are no notes, and then adds a field',
    wants: FEATURE,
    project: project(3, 3),
    calls: FIELDS.map((field, index) => [
      shell('cat NOTES.md', MISSING_NOTE, true),
      write(`src/address/${field}.txt`, `${field}: at most ${20 + index} characters\n`),
      ...(index === FIELDS.length - 1
        ? [build([...first(3), 'address']), claim()]
        : [say(`The field ${field} is there.`)]),
    ]),
    rest: claimAgain,
  },
  {
    name: 'old-findings-of-the-linter',
    story: 'there are no tests; each of nine calls writes a part and runs a linter that has the same two old findings',
    wants: byFile(LONG),
    project: { ...NO_TESTS, files: { 'legacy/draw.c': 'int w, h;\n' } },
    calls: SHAPES.map((shape, index) => [
      write(`src/${shape}.c`, `void draw_${shape}(void) { stroke(${index}); }\n`),
      shell('make lint', OLD_FINDINGS, true),
      ...(index === SHAPES.length - 1
        ? [write('DONE.md', 'Nine shapes.\n'), claim()]
        : [say(`The shape ${shape} is drawn. The two findings of the linter are old.`)]),
    ]),
    rest: claimAgain,
  },
  {
    name: 'server-that-refuses',
    story: 'each call runs the same migration, which cannot reach its server, and changes nothing',
    wants: byTests(LONG),
    project: project(3, 1),
    calls: [],
    rest: [shell('npm run migrate', REFUSED, true), say('The migration did not run. The server does not answer.')],
  },
  {
    name: 'server-that-refuses-and-a-log',
    story:
      'there are no tests; each call runs the same import, which cannot reach its server, and adds a line to a log',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: TWENTY.map((number) => [
      shell('npm run import', REFUSED, true),
      write(
        'import.log',
        TWENTY.slice(0, number)
          .map((attempt) => `attempt ${attempt}: refused\n`)
          .join(''),
      ),
      say('The import did not run.'),
    ]),
    rest: [say('The import did not run.')],
  },
  {
    name: 'builds-with-the-same-error',
    story: 'there are no tests; each call writes another workaround, and the build fails with the same error as before',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: TWENTY.map((number) => [
      write(`src/workaround-${number}.src`, `use path ${number} for the ring, if it is there\n`),
      shell('make', UNRESOLVED, true),
      say('I added another way to find the module.'),
    ]),
    rest: [say('I added another way to find the module.')],
  },
];
