/** What is known of an agent CLI beside how it is called. */
export interface AgentProgram {
  readonly name: string;
  readonly title: string;
  /** The package that `npm install -g` takes. */
  readonly package: string;
  /** The oldest version that Pawl was tried with. */
  readonly oldest: string;
  /** Whether entries of `allow` mean something to it. */
  readonly hasAllow: boolean;
  /** How one logs in. */
  readonly login: string;
  /** Versions with a fault that a run would feel. */
  readonly faults?: readonly VersionFault[];
}

export interface VersionFault {
  /** The first version without the fault that was seen. */
  readonly before: string;
  readonly fault: string;
}

export const FIRST_AGENT: AgentProgram = {
  name: 'claude',
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  oldest: '2.1.197',
  hasAllow: true,
  login: 'start claude once and log in, or set ANTHROPIC_API_KEY',
};

/** As measured with the real programs, in the order in which they are offered. */
export const AGENT_PROGRAMS: readonly AgentProgram[] = [
  FIRST_AGENT,
  {
    name: 'codex',
    title: 'Codex',
    package: '@openai/codex',
    oldest: '0.163.0',
    hasAllow: false,
    login: 'codex login, or set CODEX_API_KEY',
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    package: '@google/gemini-cli',
    oldest: '0.61.0',
    hasAllow: true,
    login: 'start gemini once and log in, or set GEMINI_API_KEY',
  },
  {
    name: 'opencode',
    title: 'opencode',
    package: 'opencode-ai',
    oldest: '1.18.33',
    hasAllow: true,
    login: 'opencode auth login',
  },
  {
    name: 'copilot',
    title: 'Copilot CLI',
    package: '@github/copilot',
    oldest: '1.0.102',
    hasAllow: true,
    login: 'start copilot once and use /login',
  },
  {
    name: 'qwen',
    title: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    oldest: '0.15.10',
    hasAllow: true,
    login: 'start qwen once and log in, or set OPENAI_API_KEY',
    faults: [{ before: '0.24.4', fault: 'it calls a refused key a success' }],
  },
  {
    name: 'pi',
    title: 'pi',
    package: '@earendil-works/pi-coding-agent',
    oldest: '0.74.2',
    hasAllow: false,
    login: 'start pi once and use /login',
  },
];
