export { type CrashPoint, crashingJournal, SimulatedCrash } from './crashing-journal.js';
export { type ManualClock, manualClock } from './manual-clock.js';
export { type MemoryJournal, type MemoryJournalOptions, memoryJournal } from './memory-journal.js';
