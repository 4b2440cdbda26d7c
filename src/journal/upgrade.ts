import type { RunEvent } from '../model/run-event.js';

/** Turns a record of version n of its type into one of version n + 1. */
type UpgradeStep = (record: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** By event type, then by the version that a step starts from. A type may be an old name that no longer exists. */
export type Upgrades = Readonly<Record<string, Readonly<Record<number, UpgradeStep>>>>;

/** No shape has changed yet. */
export const UPGRADES: Upgrades = {};

/** The record in its current shape, or undefined when a step is missing. `currentVersion` is undefined for unknown types. */
export function upgradeRecord(
  record: RunEvent,
  currentVersion: (type: string) => number | undefined,
  upgrades: Upgrades = UPGRADES,
): RunEvent | undefined {
  let next = record as unknown as Readonly<Record<string, unknown>>;
  for (;;) {
    const type = String(next['type']);
    const v = Number(next['v']);
    const current = currentVersion(type);
    if (current === v) return next as unknown as RunEvent;
    const step = Object.hasOwn(upgrades, type) ? upgrades[type]?.[v] : undefined;
    if (step === undefined) return undefined;
    next = { ...step(next), v: v + 1 };
  }
}
