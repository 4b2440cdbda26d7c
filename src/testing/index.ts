export {
  memoryFleet,
  type MemoryFleet,
  type MemoryFleetOptions,
  type MemoryRun,
  type MemoryRunRequest,
} from '../fleet/engine/memory-fleet.js';
export { type CrashPoint, crashingJournal, SimulatedCrash } from './crashing-journal.js';
export { type ManualClock, manualClock } from './manual-clock.js';
export { type MemoryJournal, type MemoryJournalOptions, memoryJournal } from './memory-journal.js';
export { type ScriptedAgent, type ScriptedStep, scriptedAgent } from './scripted-agent.js';
export {
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedReply,
  type ScriptedToolCall,
  type ScriptedUsage,
  scriptedModel,
} from './scripted-model.js';
