import { byFile, claim, claimAgain, type Family, NAMES, NO_TESTS, say, write } from '../steps.js';

const LONG = byFile({ maxIterations: 15 });
const TWELVE = Array.from({ length: 12 }, (_, index) => index);

const prices = (corrected: number) =>
  `section,price\n${NAMES.slice(0, 8)
    .map((name, index) => `${name},${index < corrected ? 130 + index * 7 : 100 + index}.50\n`)
    .join('')}`;
const values = (count: number) =>
  NAMES.slice(0, 7)
    .map((name, index) => `${name}\t${index < count ? index * 3 + 2 : 0}\n`)
    .join('');

/** Only numbers change: in a table they are the work, elsewhere they count what was done. */
export const tables: Family = [
  {
    name: 'corrects-the-prices',
    story: 'each of eight calls corrects the price of one section in a table; the eighth finishes',
    wants: LONG,
    project: { ...NO_TESTS, files: { 'shop/prices.csv': prices(0) } },
    calls: TWELVE.slice(0, 8).map((index) => [
      write('shop/prices.csv', prices(index + 1)),
      ...(index === 7 ? [write('DONE.md', 'All prices.\n'), claim()] : [say(`Section ${NAMES[index]} is corrected.`)]),
    ]),
    rest: claimAgain,
  },
  {
    name: 'fills-in-the-values',
    story: 'each of seven calls replaces one zero in a table by a value; the seventh finishes',
    wants: LONG,
    project: { ...NO_TESTS, files: { 'lab/values.tsv': values(0) } },
    calls: TWELVE.slice(0, 7).map((index) => [
      write('lab/values.tsv', values(index + 1)),
      ...(index === 6 ? [write('DONE.md', 'All values.\n'), claim()] : [say(`The value of ${NAMES[index]} is there.`)]),
    ]),
    rest: claimAgain,
  },
  {
    name: 'counts-its-visits',
    story: 'every call only raises the number in a text about how often it was there',
    wants: LONG,
    project: NO_TESTS,
    calls: TWELVE.map((index) => [
      write('about.txt', `This folder was inspected ${index + 1} times.\n`),
      say('I inspected the folder.'),
    ]),
    rest: [say('I inspected the folder.')],
  },
  {
    name: 'dates-a-table',
    story: 'every call only writes another date into the same table',
    wants: LONG,
    project: NO_TESTS,
    calls: TWELVE.map((index) => [
      write('watch/seen.csv', `what,when\nfolder,2026-03-${10 + index}\n`),
      say('I brought the table up to date.'),
    ]),
    rest: [say('I brought the table up to date.')],
  },
];

const TEXT = 'Open the valve.\nWait for the pressure.\nClose the valve.\n';

/** The same content under new names is nothing new. */
export const copies: Family = [
  {
    name: 'copies-of-one-file',
    story: 'every call copies the same file to a new name',
    wants: LONG,
    project: { ...NO_TESTS, files: { 'src/valve.txt': TEXT } },
    calls: TWELVE.map((index) => [
      write(`src/valve-copy-${NAMES[index]}.txt`, TEXT),
      say('I made a copy before the change.'),
    ]),
    rest: [say('I made a copy before the change.')],
  },
  {
    name: 'same-code-in-new-folders',
    story: 'every call writes the same lines of code into a file in a new folder',
    wants: LONG,
    project: NO_TESTS,
    calls: TWELVE.map((index) => [
      write(`packages/${NAMES[index]}/main.js`, "import { start } from './start.js';\nstart();\n"),
      say('I laid out a package.'),
    ]),
    rest: [say('I laid out a package.')],
  },
  {
    name: 'empty-files-that-mark',
    story: 'each of seven calls migrates an account elsewhere and marks it with an empty file; done in the eighth',
    wants: LONG,
    project: NO_TESTS,
    calls: [
      ...NAMES.slice(0, 7).map((name) => [write(`migrated/${name}`, ''), say(`The account ${name} is migrated.`)]),
      [write('DONE.md', 'Seven accounts.\n'), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'copies-with-one-change',
    story: 'each of seven calls copies a page and changes one line of the copy; done in the eighth',
    wants: LONG,
    project: { ...NO_TESTS, files: { 'pages/page.txt': TEXT } },
    calls: [
      ...NAMES.slice(0, 7).map((name) => [
        write(`pages/${name}.txt`, `${TEXT}This is valve ${name}.\n`),
        say(`The page of valve ${name} is there.`),
      ]),
      [write('DONE.md', 'Seven pages.\n'), claim()],
    ],
    rest: claimAgain,
  },
];
