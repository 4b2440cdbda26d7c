import type { AgentEnvironment } from './adapter.js';

/** What in the environment decides who pays for Codex, as sentences. The values are not shown. */
export function codexBilling(environment: AgentEnvironment): readonly string[] {
  return (environment['CODEX_API_KEY'] ?? '') === ''
    ? []
    : ['CODEX_API_KEY is set: Codex bills that key, not a subscription'];
}
