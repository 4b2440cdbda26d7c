import {
  build,
  byFile,
  byTests,
  claim,
  claimAgain,
  type Family,
  first,
  NO_TESTS,
  project,
  say,
  shell,
  write,
} from '../steps.js';

const LONG = { maxIterations: 20 } as const;
const FEATURE = byTests({ ...LONG, task: 'build' });

const TWENTY = Array.from({ length: 20 }, (_, index) => index + 1);

const GAPS = ['0.10', '0.14', '0.18', '0.22', '0.21', '0.20', '0.205'];

/** A number in a file whose language no list has. */
export const numbers: Family = [
  {
    name: 'bracket-that-fits',
    story:
      'there are no tests; seven calls each set another gap in an OpenSCAD model and look at the section; the eighth keeps the one that fits',
    wants: byFile(LONG),
    project: { ...NO_TESTS, files: { 'bracket.scad': 'gap = 0.30;\nbracket(gap);\n' } },
    calls: [
      ...GAPS.map((gap) => [
        write('bracket.scad', `gap = ${gap};\nbracket(gap);\n`),
        say(
          `With a gap of ${gap} mm the section shows that the bracket is ${gap < '0.2' ? 'too tight' : 'nearly right'}.`,
        ),
      ]),
      [write('DONE.md', 'The bracket fits.\n'), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'pages-of-the-manual',
    story: 'there are no tests and a manual is asked for; each call only raises the number of pages in its first line',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: TWENTY.map((call) => [
      write('manual.adoc', `This manual will have ${10 + call} pages.\n`),
      say(`I have planned page ${10 + call} of the manual.`),
    ]),
    rest: [say('I plan another page.')],
  },
];

const DIALOGS = ['upload', 'import', 'backup', 'export', 'preview', 'sync'];

/** "Could you plug it in?" */
export const couldYou: Family = [
  {
    name: 'card-in-the-reader',
    story:
      'all tests pass; the release has to be signed with a card; each call asks the user to connect its reader, and changes nothing',
    wants: FEATURE,
    project: project(3, 3),
    calls: TWENTY.map(() => [
      shell('pkcs11-tool --list-slots', 'No slots.'),
      say('The reader of the card is not accessible, so nothing is signed. Could you connect it, please?'),
    ]),
    rest: [say('The reader is not accessible. Could you connect it, please?')],
  },
  {
    name: 'dialog-that-asks-for-space',
    story:
      'all tests pass; each of six calls writes another dialog that asks its user to free some space; done in the sixth',
    wants: FEATURE,
    project: project(3, 3),
    calls: DIALOGS.map((name, index) => [
      write(`src/dialogs/${name}.ts`, `export const ${name}Full = 'Could you free some space, please?';\n`),
      index === DIALOGS.length - 1
        ? claim()
        : say(
            `When the ${name} is blocked, its dialog asks "Could you free some space, please?" in place of an error. Could you connect it to a real disk later? I continue with the ${DIALOGS[index + 1]}.`,
          ),
    ]),
    rest: claimAgain,
  },
  {
    name: 'blocked-by-an-old-rule',
    story:
      'one of three tests fails; two calls only read, and say what blocks the build and that the user could update a rule later; the third repairs it',
    wants: byTests(LONG),
    project: project(3, 2),
    calls: [
      [
        shell('make lint', 'rule 12 is deprecated'),
        say(
          'The build was blocked by rule 12, so I read where it is used. Could you update the rule some day? The cause is in the parser.',
        ),
      ],
      [
        shell('make parser', 'ok'),
        say('The cause is a token that was missing in the parser. I know now what to change.'),
      ],
      [build(first(3)), claim()],
    ],
    rest: claimAgain,
  },
];
