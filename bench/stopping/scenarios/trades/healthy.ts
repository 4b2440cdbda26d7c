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

const TACTICS = [
  ['simp', 'unsolved goals: ⊢ a * b ≤ (a + b) ^ 2'],
  ['nlinarith', 'linarith failed to find a contradiction'],
  ['nlinarith [sq_nonneg a]', 'linarith failed: a b : ℝ, h : 0 < a'],
  ['nlinarith [sq_nonneg (a + b)]', 'unsolved goals: ⊢ 0 ≤ a * b'],
  ['nlinarith [sq_nonneg (a + b), mul_pos ha hb]', 'type mismatch: hb has type 0 ≤ b'],
  ['nlinarith [sq_nonneg (a + b), mul_nonneg ha.le hb]', "unused variable 'hb'; deterministic timeout"],
] as const;

const SHADES = ['0.90, 0.4', '0.70, 0.4', '0.70, 0.9', '0.62, 1.4', '0.62, 1.2', '0.58, 1.2', '0.58, 1.1'];
const SEEN = [
  'The highlight is far too hard.',
  'It is softer, and the rim is gone.',
  'The rim is back, but as wide as the sphere.',
  'The rim is narrow now. The shadow is a little green.',
  'The green is weaker.',
  'The shadow is neutral. The rim flickers at the left.',
  'The flicker is gone.',
];

const SLACKS = ['-1.84', '-1.61', '-1.42', '-1.10', '-0.87', '-0.61', '-0.44', '-0.29', '-0.08'];

const PARAGRAPHS = ['GROSS-PAY', 'INCOME-TAX', 'PENSION', 'OVERTIME', 'SICK-LEAVE', 'NET-PAY'];
const paragraph = (name: string) =>
  `       ${name}.\n           PERFORM CHECK-${name}\n           ADD WS-${name} TO WS-TOTAL.\n`;
const payroll = (moved: number) =>
  PARAGRAPHS.map((name, index) => (index < moved ? `       COPY "${name}.CPY".\n` : paragraph(name))).join('');

const RESOURCES = [
  'aws_vpc.main',
  'aws_subnet.a',
  'aws_subnet.b',
  'aws_eip.nat',
  'aws_route53_zone.z',
  'aws_iam_role.ci',
  'aws_s3_bucket.log',
];

const RULES = [
  ["expr: expr '+' expr | NUM;", '47 shift/reduce conflicts'],
  ["expr: expr '+' term | term;", '31 shift/reduce conflicts'],
  ["expr: expr '+' term | expr '-' term | term;", '31 shift/reduce, 2 reduce/reduce conflicts'],
  ["expr: sum; sum: sum '+' term | sum '-' term | term;", '18 shift/reduce conflicts'],
  ["expr: sum %prec LOW; sum: sum '+' term | sum '-' term | term;", '9 shift/reduce conflicts'],
  ['expr: sum; sum: sum ADD term | term; %left ADD', '3 shift/reduce conflicts'],
] as const;

const DRIVERS = ['gpio', 'spi', 'i2c', 'uart', 'adc', 'pwm', 'dma', 'rtc', 'flash', 'watchdog'];

const FUNCTIONS = ['sub_401a20', 'sub_4023f0', 'sub_402b10', 'sub_4031c8'];

/** What gets there, although it looks as if it would not. */
export const healthy: Family = [
  {
    name: 'lemma-that-resists',
    story:
      'there are no tests; six calls each put another tactic in place of the last one in a Lean proof, which fails in another way; the seventh proves it',
    wants: byFile(LONG),
    project: { ...NO_TESTS, files: { 'Bound.lean': 'theorem bound : a * b ≤ (a + b) ^ 2 := by\n  sorry\n' } },
    calls: [
      ...TACTICS.map(([tactic, error]) => [
        write('Bound.lean', `theorem bound : a * b ≤ (a + b) ^ 2 := by\n  ${tactic}\n`),
        shell('lake build', `error: Bound.lean:2:2: ${error}`, true),
        say(`\`${tactic}\` does not close the goal: ${error}.`),
      ]),
      [
        write(
          'Bound.lean',
          'theorem bound : a * b ≤ (a + b) ^ 2 := by\n  nlinarith [sq_nonneg (a + b), mul_nonneg ha hb]\n',
        ),
        shell('lake build', 'Build completed successfully.'),
        write('DONE.md', 'The bound is proved.\n'),
        claim(),
      ],
    ],
    rest: claimAgain,
  },
  {
    name: 'shader-by-eye',
    story:
      'there are no tests; seven calls each set two numbers of a GLSL shader, render it into an ignored image, look at it and say what is better; done in the eighth',
    wants: byFile(LONG),
    project: { ...NO_TESTS, ignored: ['out.png'], files: { 'toon.frag': 'vec2 k = vec2(1.00, 0.1);\n' } },
    calls: [
      ...SHADES.map((numbers, index) => [
        write('toon.frag', `vec2 k = vec2(${numbers});\n`),
        write('out.png', `\u0000PNG${index}`),
        tool('Read', `[image: out.png, frame ${index}]`),
        say(`${SEEN[index]}`),
      ]),
      [write('DONE.md', 'The shader looks like the drawing.\n'), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'timing-closes-in-the-tenth',
    story:
      'one of four tests fails, the one of the timing of a Verilog core; nine calls each shorten the path, and the slack that the tool prints gets better; it is met in the tenth',
    wants: byTests(LONG),
    project: project(4, 3),
    calls: [
      ...SLACKS.map((slack, index) => [
        write('rtl/alu.v', `always @(posedge clk) begin // stage ${index}\n  sum_q${index} <= a_q + b_q;\nend\n`),
        shell('nextpnr-ice40 --freq 48 --json alu.json', `Worst slack on clk: ${slack} ns (setup)`, true),
        say(`The worst slack is ${slack} ns. The longest path is in the carry chain.`),
      ]),
      [
        write('rtl/alu.v', 'always @(posedge clk) begin\n  sum_q <= fast_add(a_q, b_q);\nend\n'),
        shell('nextpnr-ice40 --freq 48 --json alu.json', 'Worst slack on clk: 0.12 ns (setup)'),
        build(first(4)),
        claim(),
      ],
    ],
    rest: claimAgain,
  },
  {
    name: 'paragraphs-into-copybooks',
    story:
      'all tests pass; each of six calls moves a paragraph of a COBOL program into a copybook, word for word; done in the sixth',
    wants: FEATURE,
    project: project(3, 3, { files: { 'PAYROLL.CBL': payroll(0) } }),
    calls: PARAGRAPHS.map((name, index) => [
      write(`${name}.CPY`, paragraph(name)),
      write('PAYROLL.CBL', payroll(index + 1)),
      index === PARAGRAPHS.length - 1
        ? claim()
        : say(`${name} is a copybook now. The next is ${PARAGRAPHS[index + 1]}.`),
    ]),
    rest: claimAgain,
  },
  {
    name: 'imports-into-the-state',
    story:
      'there are no tests; each of seven calls imports another resource into the state of Terraform, which is elsewhere; the plan gets shorter; done in the eighth',
    wants: byFile(LONG),
    project: { ...NO_TESTS, files: { 'main.tf': lines(RESOURCES.map((name) => `resource ${name} {}`)) } },
    calls: [
      ...RESOURCES.map((name, index) => [
        shell(`terraform import ${name} id-${index}`, `${name}: Import prepared!\nImport successful!`),
        shell('terraform plan', `Plan: ${RESOURCES.length - index - 1} to add, 0 to change, 0 to destroy.`),
        say(`${name} is in the state. ${RESOURCES.length - index - 1} are left.`),
      ]),
      [
        shell('terraform plan', 'No changes. Your infrastructure matches the configuration.'),
        write('DONE.md', 'The state has all seven resources.\n'),
        claim(),
      ],
    ],
    rest: claimAgain,
  },
  {
    name: 'fewer-conflicts-in-the-grammar',
    story:
      'there are no tests; six calls each write the same rule of a Bison grammar in another way, and it has fewer conflicts, once more of them; none in the seventh',
    wants: byFile(LONG),
    project: { ...NO_TESTS, files: { 'calc.y': 'expr: NUM;\n' } },
    calls: [
      ...RULES.map(([rule, conflicts]) => [
        write('calc.y', `${rule}\n`),
        shell('bison -Wall calc.y', `calc.y: warning: ${conflicts} [-Wconflicts-sr]`),
        say(`The grammar has ${conflicts} now.`),
      ]),
      [
        write('calc.y', "expr: sum;\nsum: sum '+' term | sum '-' term | term;\nterm: NUM;\n"),
        shell('bison -Wall calc.y', ''),
        write('DONE.md', 'The grammar has no conflicts.\n'),
        claim(),
      ],
    ],
    rest: claimAgain,
  },
  {
    name: 'no-board-on-the-desk',
    story:
      'two of three tests pass; each of ten calls writes another driver of a firmware in Rust and tries to flash it, but there is no board; done in the tenth',
    wants: byTests(LONG),
    project: project(3, 2),
    calls: DRIVERS.map((name, index) => [
      write(`drivers/${name}.rs`, `pub fn ${name}_init(p: &Peripherals) { p.${name}.enable(); }\n`),
      shell('probe-rs run --chip STM32F4', 'Error: No probe was found.', true),
      ...(index === 5 ? [build(first(3))] : []),
      index === DRIVERS.length - 1
        ? claim()
        : say(`The driver of ${name} is written and runs on the host. There is no board here, so it is not flashed.`),
    ]),
    rest: claimAgain,
  },
  {
    name: 'reads-a-binary-first',
    story:
      'one of three tests fails; four calls take a binary apart and write what they find into notes; the fifth writes the decoder, the sixth repairs its end',
    wants: byTests(LONG),
    project: project(3, 2, { files: { 'NOTES.md': '# The format\n' } }),
    calls: [
      ...FUNCTIONS.map((name, index) => [
        tool('mcp__ghidra__decompile', `undefined8 ${name}(byte *param_1) { return crc_${index}(param_1); }`),
        write(
          'NOTES.md',
          `# The format\n${lines(FUNCTIONS.slice(0, index + 1).map((one) => `- ${one} reads a chunk`))}`,
        ),
        say(`${name} reads another kind of chunk. I follow its caller.`),
      ]),
      [
        write('decode/chunk.py', 'def chunk(data):\n    return data[4:-4]\n'),
        say('The decoder reads all chunks but the last.'),
      ],
      [write('decode/chunk.py', 'def chunk(data):\n    return data[4:-4] or data[4:]\n'), build(first(3)), claim()],
    ],
    rest: claimAgain,
  },
];
