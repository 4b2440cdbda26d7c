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
  tool,
  write,
} from '../steps.js';

const LONG = { maxIterations: 20 } as const;
const FEATURE = byTests({ ...LONG, task: 'build' });

const lines = (items: readonly string[]) => items.map((item) => `${item}\n`).join('');

const WINS = [31, 33, 38, 37, 44, 49, 52, 58, 61, 66, 71];
const warrior = (step: number) =>
  lines([
    'gate   EQU 12',
    `step   EQU ${3044 + 7 * step}`,
    `bomb   DAT #${step}, #-${step}`,
    `start  SPL.B <${step * 3}, $gate`,
    `       MOV.I $bomb, @${step * 5}`,
    `       ADD.AB #step, $-${(step % 3) + 1}`,
  ]);

const TRAINED = [
  ['lr=0.1 dim=100', '0.571', '212 MB'],
  ['lr=0.3 dim=100', '0.594', '212 MB'],
  ['lr=0.5 dim=50', '0.602', '131 MB'],
  ['lr=0.5 dim=50 wordNgrams=2', '0.621', '168 MB'],
  ['lr=0.5 dim=40 wordNgrams=2', '0.619', '149 MB'],
  ['lr=0.5 dim=30 wordNgrams=2 minCount=5', '0.618', '121 MB'],
  ['lr=0.6 dim=30 wordNgrams=2 minCount=8', '0.620', '104 MB'],
] as const;

const SERVER = [
  ['apt-get install -y nginx git', 'Setting up nginx (1.22.1-9) ...'],
  ['adduser --system --shell /usr/bin/git-shell git', "Adding system user `git' (UID 106) ..."],
  ['git init --bare /srv/git/site.git', 'Initialized empty Git repository in /srv/git/site.git/'],
  ['install -m 755 /tmp/post-receive /srv/git/site.git/hooks/post-receive', ''],
  ['openssl req -x509 -nodes -newkey rsa:2048 -keyout /etc/nginx/key.pem -out /etc/nginx/cert.pem', '.....+++++'],
  ['nginx -t && systemctl restart nginx', 'nginx: configuration file /etc/nginx/nginx.conf test is successful'],
] as const;

const MISSING_FOR_KERNEL = [
  ['flex', '/bin/sh: 1: flex: not found'],
  ['bison', '/bin/sh: 1: bison: not found'],
  ['libelf-dev', 'error: Cannot generate ORC metadata for CONFIG_UNWINDER_ORC=y, please install libelf-dev'],
  ['bc', '/bin/sh: 1: bc: not found'],
] as const;

const LEAKS = ['deploy/aws.sh', 'deploy/gcp.sh', 'src/mail.py', 'src/pay.py', 'notebooks/train.py', 'ci/release.yml'];
const leak = (index: number) => `TOKEN = "live-${index}-9f27ab"\nrun(TOKEN)\n`;

const WINDOWS = [
  ['1500, 1650', '1580.3', '21.4'],
  ['1520, 1640', '1580.9', '19.8'],
  ['1540, 1620', '1581.2', '18.1'],
  ['1545, 1615', '1581.4', '17.2'],
  ['1550, 1612', '1581.5', '16.9'],
] as const;

const MODULES = ['tokens', 'lexer', 'nodes', 'parser', 'scope', 'types', 'checks', 'lower', 'emit', 'link', 'cache'];

/** What works, although it does not look like it from outside. */
export const healthy: Family = [
  {
    name: 'warrior-that-wins-more',
    story:
      'there are no tests; each of eleven calls changes the same six lines of a program and plays it against others; it wins more and more, and the twelfth says so',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: [
      ...WINS.map((wins, index) => [
        write('warrior.red', warrior(index + 1)),
        shell('pmars -r 100 warrior.red paper.red stone.red', `Results: ${wins} ${80 - wins} 20`),
        say(`With this step it wins ${wins} of 100 rounds. 75 are wanted, so I change the bomber.`),
      ]),
      [write('warrior.red', warrior(20)), write('DONE.md', '78 of 100 rounds are won.\n'), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'model-that-has-to-be-small',
    story:
      'there are no tests; each of seven calls trains with other settings and writes the model anew; the eighth keeps the one that is small and good enough',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: [
      ...TRAINED.map(([settings, accuracy, size], index) => [
        write('train.sh', `fasttext supervised -input train.txt -output model ${settings}\n`),
        write('model.bin', `\0${settings}\0${index}`),
        shell('sh train.sh && ls -lh model.bin', `P@1 ${accuracy}\n${size} model.bin`),
        say(`The accuracy is ${accuracy} at ${size}. It has to be above 0.62 and below 150 MB.`),
      ]),
      [write('DONE.md', '0.622 at 143 MB.\n'), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'server-set-up-in-the-shell',
    story:
      'there are no tests; each of six calls sets up a part of a server by commands, outside of the folder; the seventh writes down how to use it',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: [
      ...SERVER.map(([command, output], index) => [
        shell(command, output),
        say(`Step ${index + 1} of 6 of the server is in place.`),
      ]),
      [write('DONE.md', 'Push to git@host:/srv/git/site.git.\n'), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'reads-the-collector-first',
    story:
      'one of four tests fails; three calls read a garbage collector, build it and look into its core dumps; the fourth repairs it',
    wants: byTests(LONG),
    project: project(4, 3),
    calls: [
      ...['shared_heap.c', 'major_gc.c', 'minor_gc.c'].map((file) => [
        tool('Read', `static void sweep(/* ${file} */) { ... }`),
        shell('make -j4 && gdb -batch -ex bt ./ocamlrun core', `#0  caml_alloc_shr (${file})\n#1  oldify_one`),
        say(`The run-length of free blocks in ${file} looks right. Next I follow the caller.`),
      ]),
      [write('runtime/shared_heap.c', 'wh = Whsize_wosize(wosize);\n'), build(first(4)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'kernel-that-lacks-a-tool',
    story:
      'there are no tests; each of four builds of a kernel fails, as another tool is missing, which the agent then installs; the fifth is done',
    wants: byFile(LONG),
    project: { ...NO_TESTS, ignored: ['linux/'] },
    calls: [
      ...MISSING_FOR_KERNEL.map(([name, error], index) => [
        shell('make -C linux bzImage', error, true),
        shell(`apt-get install -y ${name}`, `Setting up ${name} ...`),
        write('linux/.config', `CONFIG_STEP=${index}\n`),
        say(`${name} was missing and is installed now. I build again.`),
      ]),
      [
        shell('make -C linux bzImage', 'Kernel: arch/x86/boot/bzImage is ready'),
        write('DONE.md', 'The kernel is built.\n'),
        claim(),
      ],
    ],
    rest: claimAgain,
  },
  {
    name: 'offers-a-commit-each-time',
    story:
      'all tests pass; each of six calls takes the secrets out of another file, and ends with the question whether it should commit; done in the sixth',
    wants: FEATURE,
    project: project(3, 3, { files: Object.fromEntries(LEAKS.map((path, index) => [path, leak(index)])) }),
    calls: LEAKS.map((path, index) => [
      write(path, 'TOKEN = "<your-token>"\nrun(TOKEN)\n'),
      index === LEAKS.length - 1
        ? claim()
        : say(
            `\`${path}\` is clean.\n\nDo you want me to:\n- create a commit with these changes?\n- prepare a rewrite of the history?`,
          ),
    ]),
    rest: claimAgain,
  },
  {
    name: 'fits-the-peak-again',
    story:
      'there are no tests; five calls fit a curve with other limits and write the same two figures anew; the sixth is sure of them',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: [
      ...WINDOWS.map(([limits, centre, width]) => [
        write('fit.py', `window = (${limits})\nprint(fit(load("graphene.dat"), window))\n`),
        write('results.json', `{\n  "x0": ${centre},\n  "gamma": ${width}\n}\n`),
        shell('python3 fit.py', `x0=${centre} gamma=${width}`),
        say(`With the window ${limits} the centre is ${centre}. The residuals still have a slope.`),
      ]),
      [write('DONE.md', 'The centre is 1581.5.\n'), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'finds-no-todo',
    story:
      'all tests pass; each of twelve calls begins with a search that finds nothing, which is an error for the shell, and then writes another module',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      ...MODULES.map((name) => [
        shell('grep -rn "TODO(compiler)" src', '', true),
        write(`src/compiler/${name}.ts`, `export const ${name} = (input) => input.${name};\n`),
        say(`The module ${name} is written.`),
      ]),
      [
        shell('grep -rn "TODO(compiler)" src', '', true),
        write('src/compiler/index.ts', `export const compile = pipe(${MODULES.join(', ')});\n`),
        claim(),
      ],
    ],
    rest: claimAgain,
  },
];
