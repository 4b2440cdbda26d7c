/** Made-up keys of well-known kinds. They are put together here, so that no file of the repository looks like one. */
export interface KeySample {
  readonly name: string;
  /** What stands before it and stays. */
  readonly lead?: string | undefined;
  readonly secret: string;
  /** What has to follow. */
  readonly rest?: string | undefined;
}

const ALPHABET = 'aB3dE5fG7hJ9kL2mN4pQ6rS8tU0vWxYz';
let state = 1;
/** The same at every run, and no part of one is in another. */
function drawn(alphabet: string, length: number): string {
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return alphabet[state % alphabet.length];
  }).join('');
}
const word = (length: number) => drawn(ALPHABET, length);
const hex = (length: number) => drawn('0f1e2d3c4b5a6978', length);
const capitals = (length: number) => drawn('A2B3C4D5E6F7GHJK', length);
/** Written in two, so that it is not found by a search for keys. */
const PRIVATE_KEY = ['PRIVATE', 'KEY'].join(' ');
const digits = (length: number) => drawn('1357924680', length);

const sample = (name: string, prefix: readonly string[], body: string): KeySample => ({
  name,
  secret: `${prefix.join('')}${body}`,
});

export const KEY_SAMPLES: readonly KeySample[] = [
  sample('anthropic_key', ['sk-', 'ant-api03-'], `${word(93)}AA`),
  sample('anthropic_key', ['sk-', 'ant-oat01-'], word(80)),
  sample('openai_key', ['sk-', 'proj-'], `${word(60)}_-${word(60)}`),
  sample('openai_key', ['sk-', 'svcacct-'], word(80)),
  sample('openai_key', ['sk-'], `${word(20)}${['T3Blbk', 'FJ'].join('')}${word(20)}`),
  sample('openrouter_key', ['sk-', 'or-v1-'], hex(64)),
  sample('groq_key', ['gs', 'k_'], word(52)),
  sample('perplexity_key', ['ppl', 'x-'], word(48)),
  sample('huggingface_token', ['h', 'f_'], word(34)),
  ...['p', 'o', 'u', 's', 'r'].map((kind) => sample('github_token', ['gh', `${kind}_`], word(36))),
  sample('github_token', ['github', '_pat_'], `${word(22)}_${word(59)}`),
  ...['pat', 'dt', 'rt'].map((kind) => sample('gitlab_token', ['gl', `${kind}-`], word(20))),
  sample('gitlab_token', ['glp', 'at-'], `${word(27)}.01.${word(9)}`),
  sample('aws_key_id', ['AK', 'IA'], capitals(16)),
  sample('aws_key_id', ['AS', 'IA'], capitals(16)),
  { name: 'aws_secret_key', lead: 'aws_secret_access_key = ', secret: `${word(19)}/${word(10)}+${word(9)}` },
  { name: 'aws_secret_key', lead: 'AWS_SECRET_ACCESS_KEY=', secret: word(40), rest: '\n' },
  { name: 'aws_secret_key', lead: '{"SecretAccessKey": "', secret: word(40), rest: '"}' },
  sample('google_key', ['AI', 'za'], word(35)),
  sample('google_token', ['ya', '29.'], word(120)),
  sample('google_client_secret', ['GOC', 'SPX-'], word(28)),
  { name: 'azure_storage_key', lead: 'AccountName=x;AccountKey=', secret: `${word(43)}+${word(42)}==` },
  sample('digitalocean_token', ['dop', '_v1_'], hex(64)),
  sample('digitalocean_token', ['doo', '_v1_'], hex(64)),
  sample('cloudflare_token', ['cf', 'ut_'], word(48)),
  sample('databricks_token', ['da', 'pi'], hex(32)),
  sample('slack_token', ['xo', 'xb-'], `${digits(12)}-${digits(13)}-${word(24)}`),
  sample('slack_token', ['xo', 'xp-'], `${digits(12)}-${digits(12)}-${digits(12)}-${hex(32)}`),
  sample('slack_token', ['xa', 'pp-'], `1-${capitals(11)}-${digits(13)}-${hex(64)}`),
  {
    name: 'slack_webhook',
    lead: 'https://hooks.slack.com/services/',
    secret: `T0${capitals(8)}/B0${capitals(8)}/${word(24)}`,
  },
  { name: 'discord_webhook', lead: `https://discord.com/api/webhooks/${digits(18)}/`, secret: word(68) },
  sample('telegram_token', [digits(10), ':A'], `A${word(33)}`),
  sample('stripe_key', ['sk', '_live_'], word(24)),
  sample('stripe_key', ['rk', '_live_'], word(24)),
  sample('webhook_secret', ['wh', 'sec_'], word(32)),
  sample('twilio_key', ['S', 'K'], hex(32)),
  sample('sendgrid_key', ['S', 'G.'], `${word(22)}.${word(43)}`),
  sample('mailgun_key', ['ke', 'y-'], hex(32)),
  sample('npm_token', ['np', 'm_'], word(36)),
  sample('pypi_token', ['py', 'pi-AgEIcHlwaS5vcmc'], word(120)),
  sample('rubygems_token', ['ruby', 'gems_'], hex(48)),
  sample('shopify_token', ['shp', 'at_'], hex(32)),
  sample('shopify_token', ['shp', 'ss_'], hex(32)),
  sample('linear_key', ['lin', '_api_'], word(40)),
  sample('notion_token', ['nt', 'n_'], `${digits(11)}${word(35)}`),
  sample('notion_token', ['sec', 'ret_'], word(43)),
  sample('postman_key', ['PM', 'AK-'], `${hex(24)}-${hex(34)}`),
  sample('doppler_token', ['dp', '.pt.'], word(43)),
  sample('doppler_token', ['dp', '.st.dev.'], word(43)),
  sample('vault_token', ['hv', 's.'], word(92)),
  sample('vault_token', ['hv', 'b.'], word(140)),
  sample('terraform_token', [word(14), '.atlas', 'v1.'], word(67)),
  sample('pulumi_token', ['pu', 'l-'], hex(40)),
  sample('grafana_token', ['gl', 'sa_'], `${word(32)}_${hex(8)}`),
  sample('grafana_token', ['gl', 'c_'], word(90)),
  sample('new_relic_key', ['NR', 'AK-'], capitals(27)),
  sample('sentry_token', ['snt', 'rys_'], `${word(80)}=_${word(43)}`),
  sample('atlassian_token', ['ATA', 'TT3x'], `${word(180)}=${hex(8)}`),
  sample('planetscale_token', ['pscale', '_tkn_'], word(43)),
  sample('age_key', ['AGE-SECRET', '-KEY-1'], drawn('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)),
  sample('jwt', ['ey', 'J'], `${word(33)}.${['ey', 'J'].join('')}${word(120)}.${word(43)}`),
  { name: 'bearer_token', lead: 'Authorization: Bearer ', secret: `${word(20)}.${word(20)}` },
  { name: 'bearer_token', lead: '{"authorization":"Bearer ', secret: word(32), rest: '"}' },
  { name: 'url_password', lead: 'postgres://app:', secret: 'correct-horse%21', rest: '@db.example/app' },
  {
    name: 'private_key',
    lead: `-----BEGIN RSA ${PRIVATE_KEY}-----`,
    secret: `\n${word(64)}\n${word(64)}\n${word(30)}==`,
    rest: `\n-----END RSA ${PRIVATE_KEY}-----\n`,
  },
];
