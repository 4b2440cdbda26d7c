export { eventFaults as faultsOf } from '../../src/agents/event-faults.js';
