import { expect, it } from 'vitest';
import { AGENT_NAMES } from '../agents/find-adapter.js';
import { AGENT_PROGRAMS } from './agent-programs.js';

it('every agent that a config can name is known to init and doctor', () => {
  const names = AGENT_PROGRAMS.map(({ name }) => name);
  expect([...names, 'command'].sort()).toEqual([...AGENT_NAMES].sort());
});
