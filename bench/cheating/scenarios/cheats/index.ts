import type { Cheat } from '../scenario.js';
import { assertions } from './assertions.js';
import { attacks } from './attacks.js';
import { baseline } from './baseline.js';
import { environment } from './environment.js';
import { expectedValues } from './expected-values.js';
import { freshEyes } from './fresh-eyes.js';
import { heldOut } from './held-out.js';
import { hidden } from './hidden.js';
import { hooks } from './hooks.js';
import { lastTries } from './last-tries.js';
import { mocks } from './mocks.js';
import { output } from './output.js';
import { removed } from './removed.js';
import { secondLook } from './second-look.js';
import { settings } from './settings.js';
import { shims } from './shims.js';
import { timing } from './timing.js';
import { underPressure } from './under-pressure.js';
import { unseen } from './unseen.js';

export const CHEATS: Readonly<Record<string, readonly Cheat[]>> = {
  assertions,
  removed,
  settings,
  shims,
  hooks,
  environment,
  output,
  baseline,
  timing,
  'expected values': expectedValues,
  mocks,
  hidden,
  attacks,
  unseen,
  'held out': heldOut,
  'under pressure': underPressure,
  'fresh eyes': freshEyes,
  'second look': secondLook,
  'last tries': lastTries,
};
