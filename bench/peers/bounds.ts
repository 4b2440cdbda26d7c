import { cellOf, nameIn, type Results } from './results.js';
import { shownCell } from './table.js';

export interface Bound {
  readonly what: string;
  readonly figure: string;
  /** A figure without one stands beside the others for people. */
  readonly bound?: string;
  readonly holds?: boolean;
}

const FLOORS = ['bash', 'bare-node'];

/** Whether the kill table found every finished iteration in the runner's record after kill -9. */
export function keepsRecord(results: Results, runner: string): boolean {
  const kept = cellOf(results, 'kill', runner, 'kept');
  return typeof kept === 'string' && /^(\d+) of \1$/.test(kept);
}

/** Only a peer whose record survives does the work that the time is spent on; the others are told without a bound. */
function besidePeers(results: Results, pawlMs: number): readonly Bound[] {
  const peers = results.runners.filter(({ id }) => !FLOORS.includes(id) && !id.startsWith('pawl'));
  return peers.flatMap(({ id }) => {
    const peerMs = cellOf(results, 'iteration', id, 'periodMs');
    if (typeof peerMs !== 'number') return [];
    const what = `an iteration, tracking off, against ${nameIn(results)(id)}`;
    const figure = pawlMs * 100 < peerMs ? '< 0.01 x' : `${(pawlMs / peerMs).toFixed(2)} x`;
    if (cellOf(results, 'kill', id, 'kept') === undefined) return { what: `${what}, kill -9 not measured`, figure };
    if (!keepsRecord(results, id)) return { what: `${what}, whose record does not survive kill -9`, figure };
    return { what, figure, bound: '< 1 x', holds: pawlMs < peerMs };
  });
}

function iterationBounds(results: Results): readonly Bound[] {
  const pawlMs = cellOf(results, 'iteration', 'pawl-untracked', 'periodMs');
  const ratio = cellOf(results, 'iteration', 'pawl-untracked', 'ratio');
  if (typeof pawlMs !== 'number' || typeof ratio !== 'number') return [];
  const bare = {
    what: 'an iteration, tracking off, against bare Node',
    figure: `${ratio.toFixed(2)} x`,
    bound: '<= 2.5 x',
    holds: ratio <= 2.5,
  };
  return [bare, ...besidePeers(results, pawlMs)];
}

function memoryBounds(results: Results): readonly Bound[] {
  const table = results.tables.find(({ id }) => id === 'memory');
  const ratios = table?.columns.filter(({ id }) => id.startsWith('ratio')) ?? [];
  return ratios.flatMap(({ id }) => {
    const ratio = cellOf(results, 'memory', 'pawl-untracked', id);
    if (typeof ratio !== 'number') return [];
    const what = `memory with ${Number(id.slice(5)) / 1e6} MB of output`;
    return { what, figure: `${ratio.toFixed(2)} x`, bound: '<= 1.5 x', holds: ratio <= 1.5 };
  });
}

function trackingBounds(results: Results): readonly Bound[] {
  const most = { nothingRatio: 0.8, oneRatio: 1.3 };
  return Object.entries(most).flatMap(([id, limit]) => {
    const ratio = cellOf(results, 'tracking', 'pawl', id);
    if (typeof ratio !== 'number') return [];
    const what = `tracking, ${id === 'oneRatio' ? 'one file' : 'nothing'} changed`;
    return { what, figure: `${ratio.toFixed(2)} x`, bound: `<= ${limit} x git status`, holds: ratio <= limit };
  });
}

function behaviourBounds(results: Results): readonly Bound[] {
  const left = ['timeoutLeft', 'interruptLeft', 'terminateLeft'].map((id) => cellOf(results, 'survival', 'pawl', id));
  const started = cellOf(results, 'kill', 'pawl', 'started');
  const survival = {
    what: 'left alive',
    figure: [...new Set(left.map((cell) => shownCell(cell, 'text')))].join('; '),
    bound: 'nothing',
    holds: left.every((cell) => cell === 'nothing'),
  };
  const isCapped = started === 5 || started === 6;
  const kill = {
    what: 'agents after kill -9, cap 5',
    figure: shownCell(started, 'count'),
    bound: '5 or 6',
    holds: isCapped,
  };
  return [...(left.includes(undefined) ? [] : [survival]), ...(started === undefined ? [] : [kill])];
}

/** What Pawl promises about itself, held against this run; the text of each is Pawl's row. */
export function bounds(results: Results): readonly Bound[] {
  const behaviour = behaviourBounds(results);
  if (results.isQuick) return behaviour;
  return [...iterationBounds(results), ...memoryBounds(results), ...trackingBounds(results), ...behaviour];
}
