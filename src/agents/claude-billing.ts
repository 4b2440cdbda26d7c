import type { AgentEnvironment } from './adapter.js';

const CLOUDS = [
  ['CLAUDE_CODE_USE_BEDROCK', 'an AWS account through Bedrock'],
  ['CLAUDE_CODE_USE_VERTEX', 'a Google Cloud project through Vertex'],
  ['CLAUDE_CODE_USE_FOUNDRY', 'an Azure account through Foundry'],
] as const;

/** In the order in which Claude Code prefers them: the first one pays. */
const CREDENTIALS = [
  ['ANTHROPIC_AUTH_TOKEN', 'bills the account of that token, not a subscription'],
  ['ANTHROPIC_API_KEY', 'bills that key, not a subscription'],
  ['CLAUDE_CODE_OAUTH_TOKEN', 'uses the subscription of that token, not the one you are logged in to'],
] as const;

/** What in the environment decides who pays for Claude Code, as sentences. The values are not shown. */
export function claudeBilling(environment: AgentEnvironment): readonly string[] {
  const cloud = CLOUDS.find(([name]) => isOn(environment[name]));
  if (cloud !== undefined) return [`${cloud[0]} is set: Claude Code bills ${cloud[1]}`];
  const credential = CREDENTIALS.find(([name]) => (environment[name] ?? '') !== '');
  const server = hostOf(environment['ANTHROPIC_BASE_URL']);
  return [
    ...(credential === undefined ? [] : [`${credential[0]} is set: Claude Code ${credential[1]}`]),
    ...(server === undefined ? [] : [`ANTHROPIC_BASE_URL is set: requests go to ${server}, and it decides who pays`]),
  ];
}

function isOn(value = ''): boolean {
  return !['', '0', 'false', 'no', 'off'].includes(value.toLowerCase());
}

/** Without what may stand beside it: an address can hold a password. */
function hostOf(address = ''): string | undefined {
  if (address === '') return undefined;
  const host = URL.canParse(address) ? new URL(address).host : 'another server';
  return host === 'api.anthropic.com' ? undefined : host;
}
