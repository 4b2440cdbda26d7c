import { count, usd } from '../../../../model/figures.js';

const THOUSAND = 1000;
const MILLION = 1_000_000;
const BILLION = 1_000_000_000;

/** `$0.47`, `$12,345.67`: cut as everywhere. */
export function money(value: number): string {
  return groupedMoney(usd(value));
}

/** A text of ours with the amounts in it made easier to read. */
export function groupedMoney(text: string): string {
  return text.replace(/\$\d{4,}/g, (amount) => `$${count(Number(amount.slice(1)))}`);
}

/** `132k`, `1.25M`, `3.4G`: as short as an axis needs it. */
export function shortCount(value: number): string {
  if (Math.abs(value) >= BILLION * THOUSAND) return `${trimmed(value / BILLION / THOUSAND)}T`;
  if (Math.abs(value) >= BILLION) return `${trimmed(value / BILLION)}G`;
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
