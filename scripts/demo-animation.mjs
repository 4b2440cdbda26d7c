// Draws docs/demo.svg from a recording of `pawl demo` in a terminal of 80 x 24.
//
//   node scripts/demo-animation.mjs           records the demo and writes the picture
//   node scripts/demo-animation.mjs --check   records the demo and compares its text with the picture
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ensureCliBuilt } from './build.mjs';
import { inProject } from './project.mjs';
import { fail } from './run-command.mjs';

const PICTURE = inProject('docs', 'demo.svg');
const COMMAND = 'node scripts/demo-animation.mjs';
const COLUMNS = 80;
const ROWS = 24;

const POLL_MS = 40;
/** A screen that was shown for less than this is one between two drawings. */
const SHORTEST_MS = 90;
/** A line that was shown for less than this may be one that only a busy machine shows. */
const STEADY_MS = 2000;
const END_MS = 6000;
const MOST_MS = 60_000;
/** A busy machine can miss a screen that was shown briefly, or catch one that others never show. */
const RECORDINGS = 3;

const COLUMN = 9;
const ROW = 20;
const LEFT = 20;
const TOP = 44;
const WIDTH = LEFT * 2 + COLUMNS * COLUMN;
const HEIGHT = TOP + ROWS * ROW + 12;

/** What a real terminal shows while the demo runs, `{ atMs, untilMs, lines }`, and all that it has printed in the end. */
async function record() {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-recording-'));
  const end = join(folder, 'end');
  const tmux = tmuxIn(folder);
  let printed = '';
  try {
    // The text is wrapped by the length of the folder's name, so the folder is in the same place each time.
    const variables = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', TERM: 'tmux-256color', TMPDIR: '/tmp' };
    const env = ['env', '-i', ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)];
    const program = [process.execPath, inProject('dist', 'bin', 'pawl.js'), end];
    const size = ['-x', String(COLUMNS), '-y', String(ROWS)];
    await tmux(
      'new-session',
      '-d',
      ...size,
      ...env,
      'sh',
      '-c',
      '"$0" "$1" demo; echo $? > "$2"; read end',
      ...program,
    );
    const screens = await watch(tmux, end);
    const exitCode = readFileSync(end, 'utf8').trim();
    if (exitCode !== '0') throw new Error(`The demo ended with exit code ${exitCode}.`);
    printed = await tmux('capture-pane', '-p', '-S', '-');
    return { screens, printed: linesOf(printed) };
  } finally {
    await tmux('kill-server').catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
    const demo = /\/tmp\/pawl-demo-\w{6}/.exec(printed)?.[0];
    if (demo !== undefined) rmSync(demo, { recursive: true, force: true });
  }
}

function tmuxIn(folder) {
  const env = { PATH: process.env.PATH, TERM: 'xterm-256color', LANG: 'C.UTF-8' };
  return async (...args) => {
    const own = ['-u', '-S', join(folder, 's'), '-f', '/dev/null'];
    const { stdout } = await promisify(execFile)('tmux', [...own, ...args], { env });
    return stdout;
  };
}

async function watch(tmux, end) {
  const startedMs = performance.now();
  const screens = [];
  for (let hasEnded = false; !hasEnded; await sleep(POLL_MS)) {
    hasEnded = existsSync(end);
    const text = await tmux('capture-pane', '-p', '-e');
    const atMs = performance.now() - startedMs;
    if (text !== screens.at(-1)?.text) screens.push({ atMs, text, lines: linesOf(text) });
    screens.at(-1).untilMs = atMs;
    if (atMs > MOST_MS) throw new Error(`The demo did not end within ${MOST_MS / 1000} s.`);
  }
  return screens;
}

const STYLES = new Map([
  ['1', 'bold'],
  ['2', 'dim'],
  ['31', 'red'],
  ['32', 'green'],
  ['33', 'yellow'],
  ['36', 'cyan'],
]);

/** The pieces of each line between colours and gaps: `{ column, text, style }`. */
function linesOf(screen) {
  let style = new Set();
  return screen.split('\n').map((line) => {
    const pieces = [];
    let column = 0;
    // oxlint-disable-next-line no-control-regex -- colours
    for (const [part, codes] of line.matchAll(/\u001b\[([\d;]*)m|[^\u001b]+/g)) {
      if (codes === undefined) {
        for (const { 0: text, index } of part.matchAll(/\S+(?: \S+)*/g)) {
          pieces.push({ column: column + index, text, style: [...style].join(' ') });
        }
        column += part.length;
      } else for (const code of codes.split(';')) style = styleAfter(code, style);
    }
    return pieces;
  });
}

function styleAfter(code, style) {
  if (code === '' || code === '0') return new Set();
  if (code === '39') return new Set([...style].filter((name) => name === 'bold' || name === 'dim'));
  return STYLES.has(code) ? new Set([...style, STYLES.get(code)]) : style;
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const THEME = `
    text { font: 15px ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; fill: #1f2328 }
    .ground { fill: #ffffff; stroke: #d1d9e0 }
    .bar { fill: #f6f8fa; stroke: #d1d9e0 }
    .dot { fill: #d1d9e0 }
    .bold { font-weight: 700 }
    .dim { fill: #59636e }
    .red { fill: #cf222e }
    .green { fill: #1a7f37 }
    .yellow { fill: #9a6700 }
    .cyan { fill: #1b7c83 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .ground { fill: #0d1117; stroke: #3d444d }
      .bar { fill: #151b23; stroke: #3d444d }
      .dot { fill: #3d444d }
      .dim { fill: #9198a1 }
      .red { fill: #f85149 }
      .green { fill: #3fb950 }
      .yellow { fill: #d29922 }
      .cyan { fill: #39c5cf }
    }`;

/** Every line is drawn once and used by the screens that show it. Without animation the last screen is shown. */
function draw(screens) {
  const firstMs = screens[0].atMs;
  const totalMs = screens.at(-1).atMs - firstMs + END_MS;
  const percent = (atMs) => `${(((atMs - firstMs) / totalMs) * 100).toFixed(2)}%`;
  const lines = new Map();
  const idOf = (pieces) => {
    const drawn = pieces.map(drawPiece).join('');
    if (!lines.has(drawn)) lines.set(drawn, `l${lines.size}`);
    return lines.get(drawn);
  };
  const frames = screens.map((screen, at) => {
    const rows = screen.lines.flatMap((pieces, row) =>
      pieces.length === 0 ? [] : [`<use href="#${idOf(pieces)}" x="${LEFT}" y="${TOP + (row + 0.75) * ROW}"/>`],
    );
    return `  <g class="frame" style="animation-name:f${at}">${rows.join('')}</g>`;
  });
  const moments = screens.map(({ atMs }, at) => {
    const next = screens[at + 1];
    const until = next === undefined ? '' : `${percent(next.atMs)}{visibility:hidden}`;
    return `    @keyframes f${at}{0%{visibility:hidden}${percent(atMs)}{visibility:visible}${until}}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">`,
    '  <title>pawl demo</title>',
    '  <desc>A recording of pawl demo in a terminal: five iterations of a scripted agent, of which one breaks tests and one hangs, until all tests pass.</desc>',
    `  <style>${THEME}`,
    `    .frame { visibility: hidden; animation: ${(totalMs / 1000).toFixed(2)}s step-end infinite }`,
    '    .frame:last-of-type { visibility: visible }',
    '    @media (prefers-reduced-motion: reduce) { .frame { animation: none } }',
    ...moments,
    '  </style>',
    '  <defs>',
    ...[...lines].map(([drawn, id]) => `    <text id="${id}">${drawn}</text>`),
    '  </defs>',
    `  <rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="8" class="ground"/>`,
    `  <path d="M0.5 32.5V8.5a8 8 0 0 1 8-8H${WIDTH - 8.5}a8 8 0 0 1 8 8V32.5z" class="bar"/>`,
    ...[20, 40, 60].map((x) => `  <circle cx="${x}" cy="16.5" r="6" class="dot"/>`),
    `  <text x="${WIDTH / 2}" y="22" text-anchor="middle" class="dim">npx pawl demo</text>`,
    ...frames,
    '</svg>',
    '',
  ].join('\n');
}

function drawPiece({ column, text, style: name }) {
  const kind = name === '' ? '' : ` class="${name}"`;
  const width = text.length === 1 ? '' : ` textLength="${text.length * COLUMN}"`;
  return `<tspan x="${column * COLUMN}"${width}${kind}>${escaped(text)}</tspan>`;
}

/** The lines of the picture as they were drawn. */
function drawnLines(svg) {
  return [...svg.matchAll(/<text id="l\d+">(.*?)<\/text>/g)].map(([, drawn]) =>
    textOf(
      [...drawn.matchAll(/<tspan x="(\d+)"[^>]*>(.*?)<\/tspan>/g)].map(([, x, text]) => ({
        column: Number(x) / COLUMN,
        text: text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
      })),
    ),
  );
}

function textOf(pieces) {
  return pieces.reduce((line, { column, text }) => line.padEnd(column) + text, '');
}

/** A line without what differs from run to run: ids, times, durations and the gaps beside them. */
function stable(line) {
  return line
    .replace(/\/tmp\/pawl-demo-\w{6}/g, 'FOLDER')
    .replace(/loop_[0-9A-Z]{26}|\b0[0-9A-Z]{9}\b/g, 'ID')
    .replace(/, reached at about .*/, ', reached at about ...')
    .replace(/\b\d+m?s\b|\b\d+m \d+s\b/g, 'DURATION')
    .replace(/\b\d\d:\d\d\b/g, 'TIME')
    .replace(/\s+/g, ' ')
    .trim();
}

/** How long each line of a recording was shown. */
function shownMs({ screens }) {
  const shown = new Map();
  for (const { atMs, untilMs, lines } of screens) {
    for (const line of new Set(lines.map(textOf).map(stable))) shown.set(line, (shown.get(line) ?? 0) + untilMs - atMs);
  }
  return shown;
}

/** The quickest of some recordings, without the screens that not all of them have. */
async function recordSteady() {
  const recordings = [];
  for (let count = 0; count < RECORDINGS; count += 1) recordings.push(await record());
  const shown = recordings.map(shownMs);
  const [{ screens }] = recordings.toSorted((a, b) => a.screens.at(-1).atMs - b.screens.at(-1).atMs);
  const isSteady = ({ lines }) => lines.map(textOf).every((line) => shown.every((one) => one.has(stable(line))));
  return screens.filter(
    (screen) =>
      screen === screens.at(-1) ||
      (screen.untilMs - screen.atMs >= SHORTEST_MS && screen.lines.flat().length > 0 && isSteady(screen)),
  );
}

/** Fails if the picture has a line that is never shown, or lacks one that is always printed or shown for long. */
async function check() {
  const drawn = new Set(drawnLines(readFileSync(PICTURE, 'utf8')).map(stable));
  let never = [...drawn];
  let always;
  for (let count = 0; count < RECORDINGS; count += 1) {
    const recording = await record();
    const shown = shownMs(recording);
    const printed = recording.printed.map(textOf).map(stable);
    const lasting = [...shown].filter(([, ms]) => ms >= STEADY_MS).map(([line]) => line);
    const missing = new Set([...printed, ...lasting].filter((line) => line !== '' && !drawn.has(line)));
    never = never.filter((line) => !shown.has(line));
    always = (always ?? [...missing]).filter((line) => missing.has(line));
    if (never.length + always.length === 0) return;
  }
  const differences = [...never.map((line) => `- ${line}`), ...always.map((line) => `+ ${line}`)];
  throw new Error(
    `docs/demo.svg does not show what "pawl demo" prints today:\n${differences.join('\n')}\nDraw it again: ${COMMAND}`,
  );
}

await ensureCliBuilt();
try {
  if (process.argv.includes('--check')) await check();
  else writeFileSync(PICTURE, draw(await recordSteady()));
} catch (error) {
  fail(error.code === 'ENOENT' && error.path === 'tmux' ? 'The recording needs tmux.' : error.message);
}
