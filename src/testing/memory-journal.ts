export { type MemoryJournal, type MemoryJournalOptions, memoryJournal } from '../journal/memory-journal.js';
