import type { Call } from '../scenario.js';
import { build, byFile, byTests, type Family, first, NO_TESTS, project, say, shell, tool, write } from '../steps.js';

const LONG = { maxIterations: 20 } as const;
const FEATURE = byTests({ ...LONG, task: 'build' });

const TWENTY = Array.from({ length: 20 }, (_, index) => index + 1);
const every = (callFor: (call: number) => Call): readonly Call[] => TWENTY.map(callFor);
const inTurn = <Value>(values: readonly Value[], call: number): Value => values[(call - 1) % values.length] as Value;

const LOOKED = [
  'the environment of the container',
  'the mounted volumes',
  'the metadata service',
  'the logs of the service',
  'the old backups',
  'the shell history',
];

const SETTINGS = [
  'lr=0.1 epoch=5',
  'lr=0.2 epoch=5',
  'lr=0.3 epoch=10',
  'lr=0.4 epoch=10',
  'lr=0.5 epoch=20',
  'lr=0.7 epoch=25',
  'lr=0.9 epoch=25',
];

const HEADINGS = [
  'Phase 1: analysis',
  'Phase 1: discovery',
  'Stage 1: analysis',
  'Step 1: discovery',
  'First: analysis',
];

/** What comes to nothing. */
export const sick: Family = [
  {
    name: 'prints-its-tool-calls',
    story: 'three of four tests fail; each call prints the calls of its tools as text, so that nothing is called',
    wants: byTests(LONG),
    project: project(4, 1),
    calls: every((call) => [
      say(
        `Let's start by reading the file of high temperatures.\n\n\`\`\`json\n{"file_path": "/app/daily_${call}.csv"}\n\`\`\`\n\nWhile that runs, let me check the scripts:\n\n\`\`\`json\n{"command": "ls -la *.sh"}\n\`\`\``,
      ),
    ]),
    rest: [say("Let's start by reading the files.")],
  },
  {
    name: 'guesses-passwords',
    story: 'there are no tests; each call tries ten more passwords of an archive, all of which are wrong',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: every((call) => [
      shell(`for p in seal${call}0 seal${call}1; do 7z x -p$p secrets.7z; done`, 'ERROR: Wrong password', true),
      say(`None of these was right. Let me try some that have ${call + 3} letters.`),
    ]),
    rest: [say('Let me try some others.')],
  },
  {
    name: 'shell-that-prints-nothing',
    story:
      'two of three tests fail; the shell prints nothing, and each call writes another script to find out why, and no code',
    wants: byTests(LONG),
    project: project(3, 1),
    calls: every((call) => [
      write(`scripts/probe_${call}.sh`, `echo "probe ${call}" && ls /app && python3 -c 'print(${call})'\n`),
      shell(`bash scripts/probe_${call}.sh`, ''),
      say('The command seems to have run, but no output was captured. Let me try a different approach.'),
    ]),
    rest: [say('No output was captured.')],
  },
  {
    name: 'nothing-was-found',
    story:
      'there are no tests and a password is to be found; each call looks, finds nothing, and writes that in other words into the same file',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: every((call) => [
      shell('env | grep -i minio', '', true),
      write(
        'result.txt',
        `No credentials of MinIO were found in ${inTurn(LOOKED, call)}${call > 6 ? ', again' : ''}.\nnode1:9000 answers 502.\n`,
      ),
      say(
        `I looked at ${inTurn(LOOKED, call)} and documented the result. Is there anything else you'd like me to check?`,
      ),
    ]),
    rest: [say('The result is documented.')],
  },
  {
    name: 'accuracy-that-stays',
    story:
      'there are no tests; each call trains with other settings, overwrites a model that git ignores, and the accuracy is 0.58 each time',
    wants: byFile(LONG),
    project: { ...NO_TESTS, ignored: ['model.bin'] },
    calls: every((call) => [
      write('train.sh', `fasttext supervised -output model ${inTurn(SETTINGS, call)}${call > 7 ? ' bucket=1' : ''}\n`),
      write('model.bin', `\0${call}`),
      shell('sh train.sh', 'P@1 0.58'),
      say('The accuracy is still 0.58. I try other settings.'),
    ]),
    rest: [say('The accuracy is still 0.58.')],
  },
  {
    name: 'verifies-once-more',
    story:
      'all tests pass; two calls build the feature, the second says that it works; each later one verifies it once more and changes nothing',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [
        write('src/export.ts', 'export const csv = rows.map(join);\n'),
        say('The export writes CSV. Next is the header.'),
      ],
      [write('src/header.ts', 'export const header = names;\n'), say('The header is written, and the export works.')],
    ],
    rest: [
      shell('./run-tests.sh', 'ok 1 - one\nok 2 - two\nok 3 - three\n1..3'),
      tool('Read', 'export const csv = rows.map(join);'),
      say('The export works and the three tests pass. Let me verify it once more from another side.'),
    ],
  },
  {
    name: 'plans-the-first-phase',
    story:
      'all tests pass and a feature is asked for; each call writes the same plan with another heading, and no code',
    wants: FEATURE,
    project: project(3, 3),
    calls: every((call) => [
      tool('TodoWrite', 'Todos have been modified successfully'),
      write(
        'docs/roadmap.md',
        `# ${inTurn(HEADINGS, call)}${call > 5 ? ` (draft ${call})` : ''}\n- look at the code\n- decide what to do\n`,
      ),
      say('I have created a structured list of what is to do. Let me begin with the first phase.'),
    ]),
    rest: [say('Let me begin with the first phase.')],
  },
  {
    name: 'repairs-a-copy-in-tmp',
    story: 'one of three tests fails; each call repairs a copy of the code in /tmp, where no test looks',
    wants: byTests(LONG),
    project: project(3, 2),
    calls: every((call) => [
      shell(`cp -r src /tmp/work && sed -i 's/- ${call}/+ ${call}/' /tmp/work/total.ts`, ''),
      shell('node /tmp/work/total.ts', `total: ${40 + call}`),
      say('The copy computes the right total now. The test still fails, so I look at it again.'),
    ]),
    rest: [say('The copy computes the right total.')],
  },
  {
    name: 'no-compiler-here',
    story:
      'two of four tests fail; the first call writes the program in C, and each later one asks for a compiler or for where to build it',
    wants: byTests(LONG),
    project: project(4, 2),
    calls: [
      [
        write('cli/main.c', 'int main(void) { return predict(); }\n'),
        build(first(2)),
        shell('gcc -O2 cli/main.c', 'bash: gcc: command not found', true),
        say('The source is written. There is no compiler here, so I could not build it.'),
      ],
    ],
    rest: [
      shell('which gcc cc clang', '', true),
      say(
        'There is still no compiler. Please enable a C compiler here, or let me know if I should proceed on your build machine.',
      ),
    ],
  },
];
