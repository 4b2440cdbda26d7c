import { build, byTests, claim, claimAgain, type Family, first, project, remove, say, tool, write } from '../steps.js';

const FEATURE = byTests({ task: 'build', maxIterations: 15 });

/** All tests pass at the start, and each run of them writes a file. */
export const testsThatWrite: Family = [
  {
    name: 'report-is-no-work',
    story: 'the tests write a report, the agent says done in every call and never changes anything',
    wants: FEATURE,
    project: project(3, 3, { testsWrite: 'report.html' }),
    calls: [],
    rest: claimAgain,
  },
  {
    name: 'coverage-while-it-reads',
    story: 'the tests write their coverage, the agent reads a file in every call and never changes anything',
    wants: FEATURE,
    project: project(3, 3, { testsWrite: 'coverage/lcov.info' }),
    calls: [],
    rest: [tool('Read', 'one\ntwo\nthree'), say('I read the list of features.')],
  },
  {
    name: 'report-beside-real-work',
    story: 'the tests write a report, and the agent builds the feature in two calls',
    wants: FEATURE,
    project: project(3, 3, { testsWrite: 'report.html' }),
    calls: [
      [write('src/print/page.txt', 'margins and a header\n'), say('The page works. The printer is next.')],
      [write('src/print/printer.txt', 'one job at a time\n'), build([...first(3), 'print']), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'report-beside-notes-first',
    story: 'the tests write a report; the first call writes only notes and says done, the second builds the feature',
    wants: FEATURE,
    project: project(3, 3, { testsWrite: 'test.db' }),
    calls: [
      [write('NOTES.md', 'The tests pass.\n'), claim()],
      [write('src/sort/stable.txt', 'keep the order of equals\n'), build([...first(3), 'sort']), claim()],
    ],
    rest: claimAgain,
  },
];

/** An iteration leaves every file as it was: the work is finished, or only paused. */
export const quiet: Family = [
  {
    name: 'reads-in-the-middle',
    story: 'the second of three calls only reads and announces what it writes next',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [write('src/chart/axis.txt', 'ten ticks\n'), say('The axis is there.')],
      [tool('Read', 'ten ticks'), say('I read how the axis scales. I will write the legend in the next step.')],
      [write('src/chart/legend.txt', 'one line per series\n'), build([...first(3), 'chart']), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'tries-and-restores',
    story: 'the second of three calls tries something, measures it and restores the file',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [write('src/pack/method.txt', 'run length\n'), say('Run length makes it 20 % smaller.')],
      [
        write('src/pack/method.txt', 'pairs\n'),
        tool('Bash', '12 % smaller'),
        write('src/pack/method.txt', 'run length\n'),
        say('Pairs were worse, and the file is as it was.'),
      ],
      [write('src/pack/method.txt', 'a dictionary\n'), build([...first(3), 'pack']), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'stops-writing',
    story: 'two calls build the feature, every later one names it and changes nothing',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [write('src/feed/items.txt', 'newest on top\n'), say('I added the items.')],
      [build([...first(3), 'feed']), write('src/feed/links.txt', 'absolute\n'), say('I added the links.')],
    ],
    rest: [say('The feed is in src/feed.')],
  },
  {
    name: 'reads-its-work-again',
    story: 'three calls build the feature, every later one reads it, approves and changes nothing',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [write('src/map/tiles.txt', 'four levels\n'), say('I added the tiles.')],
      [write('src/map/pins.txt', 'one per place\n'), say('I added the pins.')],
      [build([...first(3), 'map']), write('src/map/zoom.txt', 'by wheel\n'), say('I added the zoom.')],
    ],
    rest: [tool('Read', 'four levels'), say('I read the code of the map again. It does what was asked.')],
  },
];

const SCENES = ['harbour', 'market', 'bridge', 'station'];
const COUNTED = { progress: { also: ['data/**'] } };

/** All tests pass at the start, and the work is where git does not see it. */
export const greenElsewhere: Family = [
  {
    name: 'green-and-fills-a-folder',
    story:
      'the first call writes code, four more fill a folder that git ignores and the user counts; done in the sixth',
    wants: FEATURE,
    project: project(3, 3, { ignored: ['data/'] }),
    adds: COUNTED,
    calls: [
      [write('src/render/scene.txt', 'light and camera\n'), build([...first(3), 'render']), say('It renders.')],
      ...SCENES.map((scene) => [write(`data/${scene}.txt`, `pixels of ${scene}\n`), say(`The ${scene} is rendered.`)]),
      [write('data/index.txt', 'four scenes\n'), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'green-and-writes-next-door',
    story: 'the first call writes shared code, four more use it in apps outside the project; done in the fifth',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [write('src/shared/money.txt', 'two decimals\n'), build([...first(3), 'money']), say('The shared code works.')],
      ...SCENES.map((name, index) => [
        write(`../apps/${name}.txt`, `${name} uses money\n`),
        index === 3 ? claim() : say(`The app ${name} uses it.`),
      ]),
    ],
    rest: claimAgain,
  },
  {
    name: 'the-folder-is-the-work',
    story: 'three calls fill a folder that git ignores and the user counts, and the third says done',
    wants: FEATURE,
    project: project(3, 3, { ignored: ['data/'] }),
    adds: COUNTED,
    calls: [
      [write('data/north.txt', 'rain\n'), say('The north is loaded.')],
      [write('data/south.txt', 'sun\n'), say('The south is loaded.')],
      [write('data/west.txt', 'wind\n'), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'counted-folder-stays-as-it-is',
    story: 'the user counts a folder, two calls write code, every later one changes nothing, there or elsewhere',
    wants: FEATURE,
    project: project(3, 3, { ignored: ['data/'] }),
    adds: COUNTED,
    calls: [
      [write('src/load/open.txt', 'by name\n'), remove('data/old.txt'), say('I added the opening.')],
      [write('src/load/parse.txt', 'by line\n'), build([...first(3), 'load']), say('I added the parser.')],
    ],
    rest: [say('The loader reads the folder data.')],
  },
];
