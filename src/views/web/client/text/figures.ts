import { count, usd } from '../../../../stop/figures.js';

const THOUSAND = 1000;
const MILLION = 1_000_000;

/** `$0.47`; nothing for what is not known. */
export function usdOrNothing(value: number | undefined): string {
  return value === undefined ? '' : usd(value);
}

/** `132k`, `1.25M`: as short as an axis needs it. */
export function shortCount(value: number): string {
  if (Math.abs(value) >= MILLION) return `${trimmed(value / MILLION)}M`;
  if (Math.abs(value) >= THOUSAND) return `${trimmed(value / THOUSAND)}k`;
  return trimmed(value);
}

/** `$0.05`, `$12`, `$1.5k` on an axis. */
export function shortUsd(value: number): string {
  if (value === 0) return '$0';
  if (value >= THOUSAND) return `$${shortCount(value)}`;
  return value >= 10 ? `$${trimmed(value)}` : `$${String(Number(value.toPrecision(2)))}`;
}

/** `+2`, `-1`; nothing for no change. */
export function changeText(now: number | undefined, before: number | undefined): string {
  if (now === undefined || before === undefined || now === before) return '';
  return `${now > before ? '+' : '−'}${count(Math.abs(now - before))}`;
}

/** `1.2 MB` of text. */
export function sizeText(characters: number): string {
  if (characters >= MILLION) return `${trimmed(characters / MILLION)} MB`;
  return characters >= THOUSAND ? `${trimmed(characters / THOUSAND)} kB` : `${characters} characters`;
}

function trimmed(value: number): string {
  return String(Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 100) / 100);
}
