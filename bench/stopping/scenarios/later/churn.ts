import type { Call } from '../scenario.js';
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

const LONG = byFile({ maxIterations: 15 });
const FIFTEEN = Array.from({ length: 15 }, (_, index) => index);

const LOGGED = ['read the parser', 'thought about names', 'compared two books', 'read the parser again', 'made a list'];

const RULES = ['.menu {', 'display: flex;', 'gap: 1rem;', '}'];

const PHRASES = [
  'save=Enregistrer',
  'cancel=Annuler',
  'search=Chercher',
  'print=Imprimer',
  'close=Fermer',
  'help=Aide',
  'undo=Annuler la saisie',
  'share=Partager',
];

const MODULES = ['lexer', 'reader', 'printer', 'folder', 'sorter', 'matcher', 'walker', 'differ'];

const SECTIONS = [
  'Installing: unpack the archive and run the setup.',
  'First steps: open a folder and press F5.',
  'Projects: a project is a folder with a manifest.',
  'Searching: quotes find a phrase, a minus leaves a word out.',
  'Backups: every evening, kept for a month.',
  'Printing: choose a printer, then the paper.',
  'Troubles: what to try when nothing happens.',
  'Words: what each term means.',
];

/** Each of some calls adds one of these to a file; the last one also makes the agreed file. */
const growing = (path: string, parts: readonly string[], words: string): readonly Call[] =>
  parts.map((_, index) => [
    write(path, `${parts.slice(0, index + 1).join('\n')}\n`),
    ...(index === parts.length - 1 ? [write('DONE.md', 'All of it.\n'), claim()] : [say(words)]),
  ]);

/** Files that change without anything new in them, and small steps that are real. */
export const churn: Family = [
  {
    name: 'writes-the-time',
    story: 'every call writes the time into a status file and nothing else',
    wants: LONG,
    project: NO_TESTS,
    calls: FIFTEEN.map((index) => [
      write('build/status.json', `{ "checked_at": "2026-03-02T10:${index + 10}:07Z" }\n`),
      say('I checked the project and updated the status.'),
    ]),
    rest: [say('I checked the project.')],
  },
  {
    name: 'writes-a-log',
    story: 'every call appends a line to a log of what it looked at and nothing else',
    wants: LONG,
    project: NO_TESTS,
    calls: FIFTEEN.map((index) => [
      write(
        'logs/session.log',
        FIFTEEN.slice(0, index + 1)
          .map((line) => `[${line + 1}] ${LOGGED[line % 5]}\n`)
          .join(''),
      ),
      say('I have logged what I looked at.'),
    ]),
    rest: [say('I have logged what I looked at.')],
  },
  {
    name: 'moves-white-space',
    story: 'every call indents the same style sheet in another way',
    wants: LONG,
    project: { ...NO_TESTS, files: { 'src/menu.css': `${RULES.join('\n')}\n` } },
    calls: FIFTEEN.map((index) => [
      write('src/menu.css', `${RULES.join(`\n${' '.repeat(index + 1)}`)}\n${'\n'.repeat(index % 4)}`),
      say('The style sheet is formatted more clearly now.'),
    ]),
    rest: [say('The style sheet is formatted.')],
  },
  {
    name: 'bumps-a-lock-file',
    story: 'every call installs the dependencies again, which changes the lock file and nothing else',
    wants: LONG,
    project: { ...NO_TESTS, files: { 'Cargo.lock': '[[package]]\nname = "serde"\nversion = "1.0.200"\n' } },
    calls: FIFTEEN.map((index) => [
      shell('cargo update', `Updating serde v1.0.${200 + index} -> v1.0.${201 + index}`),
      write('Cargo.lock', `[[package]]\nname = "serde"\nversion = "1.0.${201 + index}"\n`),
      say('Dependencies are up to date. Next I start with the feature.'),
    ]),
    rest: [say('Dependencies are up to date.')],
  },
  {
    name: 'one-phrase-a-call',
    story: 'every call translates one more phrase in the same file; the eighth is the last',
    wants: LONG,
    project: NO_TESTS,
    calls: growing('locales/fr.properties', PHRASES, 'One more phrase is translated.'),
    rest: claimAgain,
  },
  {
    name: 'handbook-is-the-work',
    story: 'the task is a handbook in one file; every call writes another section, the eighth is the last',
    wants: LONG,
    project: NO_TESTS,
    calls: growing('HANDBOOK.md', SECTIONS, 'The section is written.'),
    rest: claimAgain,
  },
  {
    name: 'notes-with-every-module',
    story: 'every call writes a new module and a line in its notes; the eighth is the last',
    wants: LONG,
    project: NO_TESTS,
    calls: MODULES.map((module, index) => [
      write(`lib/${module}.txt`, `the ${module} and what it returns\n`),
      write(
        'NOTES.md',
        MODULES.slice(0, index + 1)
          .map((name) => `- wrote ${name}\n`)
          .join(''),
      ),
      ...(index === 7 ? [write('DONE.md', 'Eight modules.\n'), claim()] : [say(`The ${module} is written.`)]),
    ]),
    rest: claimAgain,
  },
];

const CACHES = ['least recently used', 'least often used', 'first in, first out'];
const LAYOUTS = [
  ['sidebar', 'narrow'],
  ['tabs', 'narrow'],
  ['tabs', 'wide'],
] as const;

const layout = (words: string) => write('src/layout.txt', `${words}\n`);

/** The tree returns to an earlier state: in circles, or to compare. */
export const cycles: Family = [
  {
    name: 'three-caches-in-turn',
    story: 'three ways to cache, one after the other, again and again; there are no tests',
    wants: LONG,
    project: NO_TESTS,
    calls: FIFTEEN.map((index) => [
      write('src/cache.txt', `${CACHES[index % 3]}\n`),
      say(`${CACHES[index % 3]} is the better strategy after all.`),
    ]),
    rest: [say('Any strategy is fine.')],
  },
  {
    name: 'layout-goes-round',
    story: 'two settings in two files go through the same three combinations again and again',
    wants: LONG,
    project: { ...NO_TESTS, files: { 'ui/nav.txt': 'none\n', 'ui/width.txt': 'narrow\n' } },
    calls: FIFTEEN.map((index) => [
      write('ui/nav.txt', `${LAYOUTS[index % 3]?.[0]}\n`),
      write('ui/width.txt', `${LAYOUTS[index % 3]?.[1]}\n`),
      say('This layout is easier to read.'),
    ]),
    rest: [say('The layout is fine.')],
  },
  {
    name: 'restores-to-compare',
    story:
      'returns to an earlier state every second call to compare, and more tests pass each time in between; done in the seventh',
    wants: byTests({ maxIterations: 15 }),
    project: project(6, 1),
    calls: [3, 1, 4, 1, 5, 3, 6].map((count) => [
      build(first(count)),
      count === 6 ? claim() : say('I compare this with the version before.'),
    ]),
    rest: claimAgain,
  },
  {
    name: 'first-design-wins',
    story: 'tries two other designs, returns to the first after each, and builds on it; done in the eighth call',
    wants: LONG,
    project: NO_TESTS,
    calls: [
      [layout('grid'), say('A first design: a grid.')],
      [layout('columns'), say('A second design: columns.')],
      [layout('grid'), say('Columns are too narrow on a phone, so back to the grid.')],
      [layout('cards'), say('A third design: cards.')],
      [layout('grid'), say('Cards waste space. The grid it is.')],
      [layout('grid with a header'), say('The header is in.')],
      [layout('grid with a header and a footer'), say('The footer is in.')],
      [layout('grid with a header, a footer and a menu'), write('DONE.md', 'The layout.\n'), claim()],
    ],
    rest: claimAgain,
  },
];
