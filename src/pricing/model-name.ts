/** A model name taken apart: whose price list it belongs to, when the name says so, and the name on that list. */
export interface ModelName {
  readonly provider?: string | undefined;
  readonly model: string;
}

/**
 * Prefixes that agents, SDKs and gateways put before a name, and whose prices they mean. One that is not here is a
 * gateway whose prices no one knows.
 */
const PROVIDER_BY_PREFIX: ReadonlyMap<string, string> = new Map([
  ['anthropic', 'anthropic'],
  ['openai', 'openai'],
  ['google', 'google'],
  ['gemini', 'google'],
  ['google-gla', 'google'],
  ['google-vertex', 'google'],
  ['vertex', 'google'],
  ['vertex_ai', 'google'],
  ['bedrock', 'aws'],
  ['amazon-bedrock', 'aws'],
  ['aws', 'aws'],
  ['azure', 'azure'],
  ['openrouter', 'openrouter'],
  ['github-copilot', 'github-copilot'],
  ['github_copilot', 'github-copilot'],
  ['x-ai', 'x-ai'],
  ['xai', 'x-ai'],
  ['deepseek', 'deepseek'],
  ['mistral', 'mistral'],
  ['mistralai', 'mistral'],
  ['moonshotai', 'moonshotai'],
  ['minimax', 'minimax'],
  ['cohere', 'cohere'],
  ['zai', 'zai'],
  ['z-ai', 'zai'],
  ['groq', 'groq'],
  ['cerebras', 'cerebras'],
  ['perplexity', 'perplexity'],
  ['together', 'together'],
  ['together_ai', 'together'],
  ['fireworks', 'fireworks'],
]);

/** Bedrock's own ids: `us.anthropic.claude-…`, `anthropic.claude-…`, `amazon.nova-…`. */
export const BEDROCK_VENDOR =
  /^(?:[a-z]+(?:-[a-z]+)?\.)?(?:ai21|amazon|anthropic|cohere|deepseek|meta|mistral|openai)\./;

export const LARGE_CONTEXT_MARK = /\[1m\]$/;

export function readModelName(written: string): ModelName {
  const name = written.trim().toLowerCase().replace(LARGE_CONTEXT_MARK, '');
  if (name.startsWith('arn:aws')) return { provider: 'aws', model: name.slice(name.lastIndexOf('/') + 1) };
  if (name.startsWith('models/')) return { provider: 'google', model: name.slice('models/'.length) };
  const separator = name.search(/[/:]/);
  const provider = separator < 0 ? undefined : PROVIDER_BY_PREFIX.get(name.slice(0, separator));
  if (provider !== undefined) return { provider, model: name.slice(separator + 1).replace(/^models\//, '') };
  return BEDROCK_VENDOR.test(name) ? { provider: 'aws', model: name } : { model: name };
}

/** The ways one name is spelled on price lists, the one that was written first. */
export function spellingsOf(model: string): readonly string[] {
  const dashed = model.replace('@', '-');
  const dated = dashed.replace(/-(20\d{2})(\d{2})(\d{2})(?=-|$)/, '-$1-$2-$3');
  return [...new Set([model, dashed, dated, withoutVersionDots(dashed)])];
}

/** `claude-sonnet-4.5` and `claude-sonnet-4-5` are one model. */
export function withoutVersionDots(model: string): string {
  return model.replace(/(?<=\d)\.(?=\d)/g, '-');
}
