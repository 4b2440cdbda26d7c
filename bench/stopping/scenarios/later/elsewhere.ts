import { byFile, claim, claimAgain, type Family, NO_TESTS, say, write } from '../steps.js';

const LONG = byFile({ maxIterations: 15 });
const IGNORED = { ...NO_TESTS, ignored: ['data/'] };
const COUNTED = { progress: { also: ['data/**'] } };

const YEARS = [2011, 2012, 2013, 2014, 2015, 2016, 2017, 2018];
const LOSSES = ['2.31', '1.87', '1.52', '1.20', '0.98', '0.81', '0.77'];

/** Work in folders that are counted because the user lists them. */
export const elsewhere: Family = [
  {
    name: 'fills-an-ignored-folder',
    story: 'eight calls fill a folder that git ignores and the user counts; the ninth makes the agreed file',
    wants: LONG,
    project: IGNORED,
    adds: COUNTED,
    calls: [
      ...YEARS.map((year) => [
        write(`data/weather-${year}.csv`, `day,rain\n1,${year % 7}\n`),
        say(`The weather of ${year} is loaded.`),
      ]),
      [write('DONE.md', 'Eight years.\n'), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'trains-outside-the-tree',
    story: 'seven calls improve a model in a folder outside the project that the user counts; the eighth finishes',
    wants: LONG,
    project: NO_TESTS,
    adds: { progress: { also: ['../models/**'] } },
    calls: [
      ...LOSSES.map((loss) => [write('../models/weights.txt', `loss ${loss}\n`), say(`The loss is ${loss}.`)]),
      [write('DONE.md', 'The model is good enough.\n'), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'ignored-folder-stays-empty',
    story: 'the user counts a folder that git ignores, and no call writes anything, there or elsewhere',
    wants: LONG,
    project: IGNORED,
    adds: COUNTED,
    calls: [],
    rest: [say('The download is being prepared.')],
  },
  {
    name: 'same-download-every-time',
    story: 'every call writes the same file with the same content into a folder that git ignores and the user counts',
    wants: LONG,
    project: IGNORED,
    adds: COUNTED,
    calls: [],
    rest: [write('data/stations.csv', 'id,name\n1,Harbour\n2,Hill\n'), say('The list of stations is loaded.')],
  },
];
