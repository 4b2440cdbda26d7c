#!/usr/bin/env node
// An agent that needs no model: it looks at the code, reads the feedback in its prompt, and takes the next step of a
// script. It goes wrong once and hangs once, as agents do. What it prints is the protocol of docs/guide/agents.md.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const tell = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
const prompt = readFileSync(0, 'utf8');
const code = readFileSync('roman.mjs', 'utf8');

const VALUES = `const VALUES = [[1000, 'M'], [500, 'D'], [100, 'C'], [50, 'L'], [10, 'X'], [5, 'V'], [1, 'I']];`;
const ALL_VALUES = `const VALUES = [
  [1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'], [100, 'C'], [90, 'XC'], [50, 'L'], [40, 'XL'],
  [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I'],
];`;
const TO_ROMAN = (guard) => `
export function toRoman(number) {${guard}
  let text = '';
  for (const [value, letters] of VALUES) {
    for (; number >= value; number -= value) text += letters;
  }
  return text;
}
`;
const FROM_ROMAN = `
export function fromRoman(text) {
  let number = 0;
  for (let rest = text; rest !== ''; ) {
    const [value, letters] = VALUES.find(([, candidate]) => rest.startsWith(candidate));
    number += value;
    rest = rest.slice(letters.length);
  }
  return number;
}
`;
const GUARD = `
  if (!Number.isInteger(number) || number < 1) throw new RangeError('not a Roman number');`;

async function work(thought, tokens, file) {
  await say(thought, tokens);
  tell({ pawl: 'tool-call', id: 'w', name: 'Write', input: 'roman.mjs' });
  writeFileSync('roman.mjs', file);
  tell({ pawl: 'tool-result', id: 'w', failed: false, output: `wrote ${file.split('\n').length} lines` });
}

async function say(text, [input, output]) {
  await pause(500);
  tell({ pawl: 'text', text });
  tell({
    pawl: 'usage',
    model: 'claude-sonnet-4-5',
    id: `${process.pid}-${input}`,
    input_tokens: input,
    output_tokens: output,
  });
  await pause(300);
}

if (code.includes('not implemented')) {
  await work('I start with the plain letters, largest first.', [9_400, 900], `${VALUES}\n${TO_ROMAN('')}${FROM_ROMAN}`);
  await say('toRoman adds letters up. Numbers like 4 and 9 are still wrong.', [11_200, 300]);
} else if (code.startsWith(VALUES)) {
  await work(
    'A lookup table should be faster.',
    [12_800, 1_400],
    `// A table\nexport const toRoman = (number) => ({ 1: 'I', 6: 'VI' })[number];\nexport const fromRoman = () => 1;\n`,
  );
  await say('Done. ALL TESTS PASS.', [13_500, 200]);
} else if (code.startsWith('// A table') && !prompt.includes('was ended')) {
  await say('Let me watch the tests for a while before I change anything.', [14_100, 250]);
  tell({ pawl: 'text', text: 'Starting a watcher in the background ...' });
  // A session of its own: it outlives the agent, unless somebody looks after it.
  spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  await pause(600_000);
} else if (code.startsWith('// A table')) {
  await work(
    'The table was a mistake, and waiting led nowhere. Back to letters, with IV, IX and the like as letters of their own.',
    [15_300, 1_700],
    `${ALL_VALUES}\n${TO_ROMAN('')}${FROM_ROMAN}`,
  );
  await say('One test is left: 0 has to be refused.', [16_000, 300]);
} else {
  await work('Refusing what is no Roman number.', [16_900, 700], `${ALL_VALUES}\n${TO_ROMAN(GUARD)}${FROM_ROMAN}`);
  await say('toRoman now refuses 0 and fractions.', [17_600, 200]);
}
