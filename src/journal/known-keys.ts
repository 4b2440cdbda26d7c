/** A kind of key that is known by how it is written, wherever it comes from. */
interface KeyFormat {
  /** Stands in its place, in brackets. In small letters, so that it is no variable of the environment. */
  readonly name: string;
  /** What stands before it and stays, such as the user of an address. */
  readonly lead?: string | undefined;
  readonly key: string;
}

/** Where a key without a lead begins: where no word is under way. What an escape, a colour or a URL's `%3D` ends with is no word. */
const KEY_START = String.raw`(?:(?<![A-Za-z0-9_+/-])|(?<=(?:\\[nrtbf]|\\u[0-9a-f]{4}|%[0-9A-Fa-f]{2}|(?:\x1b|\\u001b|\\x1b|\\e|\\033)\[[0-9;]{0,20}m)))`;
/** A key ends where no word continues. */
const END = '(?![A-Za-z0-9_-])';
/** Names and placeholders have no digit near their beginning. */
const DIGIT_SOON = String.raw`(?=[A-Za-z_./+~-]{0,24}\d)`;
const BREAK = String.raw`(?:\\{1,4}[rn]|\s){1,6}`;

/**
 * Written so that each takes time in proportion to the text: what is not bounded is not followed by anything that could
 * fail. Lengths are those of the issuers, or less where they have changed them.
 */
export const KEY_FORMATS: readonly KeyFormat[] = [
  { name: 'anthropic_key', key: String.raw`sk-ant-[a-z]{2,8}\d{2}-[\w-]{20,}` },
  { name: 'openai_key', key: String.raw`sk-(?:proj|svcacct|admin)-${DIGIT_SOON}[\w-]{40,}` },
  { name: 'openai_key', key: `sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}${END}` },
  { name: 'openrouter_key', key: `sk-or-v1-[0-9a-f]{64}${END}` },
  { name: 'groq_key', key: `gsk_[A-Za-z0-9]{48,60}${END}` },
  { name: 'perplexity_key', key: `pplx-[A-Za-z0-9]{48}${END}` },
  { name: 'huggingface_token', key: `(?:hf_|api_org_)[A-Za-z0-9]{30,40}${END}` },
  { name: 'github_token', key: String.raw`gh[pousr]_[A-Za-z0-9_]{36,}(?:\.[\w-]{10,}){0,2}` },
  { name: 'github_token', key: 'github_pat_[A-Za-z0-9_]{40,}' },
  {
    name: 'gitlab_token',
    key: String.raw`gl(?:pat|dt|rt|rtr|cbt|ptt|ft|soat|oas|imt|agent|ffct)-${DIGIT_SOON}[\w-]{20,}(?:\.[\w-]{2,}){0,2}`,
  },
  { name: 'aws_key_id', key: `A(?:[KS]IA|BIA|CCA)[A-Z2-7]{16}${END}` },
  {
    name: 'aws_secret_key',
    lead: String.raw`(?:secret_access_key|SECRET_ACCESS_KEY|ecretAccessKey)[\\"'\`\s]{0,6}(?:[:=]|=>)[\\"'\`\s]{0,6}`,
    key: '[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])',
  },
  { name: 'google_key', key: String.raw`AIza[\w-]{35}${END}` },
  { name: 'google_token', key: String.raw`ya29\.[\w-]{20,}` },
  { name: 'google_client_secret', key: String.raw`GOCSPX-[\w-]{28}${END}` },
  {
    name: 'azure_storage_key',
    lead: '(?:AccountKey|SharedAccessKey)=',
    key: '[A-Za-z0-9+/]{42,86}={0,2}',
  },
  { name: 'digitalocean_token', key: `do[opr]_v1_[0-9a-f]{40,64}${END}` },
  { name: 'cloudflare_token', key: `cf(?:k|ut|at)_[A-Za-z0-9]{40,56}${END}` },
  { name: 'databricks_token', key: String.raw`dapi[0-9a-f]{32}(?:-\d)?${END}` },
  { name: 'slack_token', key: String.raw`xox[abeoprs](?:\.xox[bp])?-${DIGIT_SOON}[A-Za-z0-9-]{20,}` },
  { name: 'slack_token', key: String.raw`xapp-\d-[A-Z0-9]{6,}-\d{6,}-[A-Za-z0-9]{20,}` },
  {
    name: 'slack_webhook',
    lead: String.raw`hooks\.slack\.com/(?:services|workflows|triggers)/`,
    key: '[A-Za-z0-9+/_-]{30,}',
  },
  {
    name: 'discord_webhook',
    lead: String.raw`discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,22}/`,
    key: String.raw`[\w-]{40,}`,
  },
  { name: 'telegram_token', key: String.raw`\d{8,10}:AA[\w-]{32,33}${END}` },
  { name: 'stripe_key', key: `[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,}` },
  { name: 'webhook_secret', key: `whsec_[A-Za-z0-9+/]{24,}={0,2}` },
  { name: 'twilio_key', key: `SK[0-9a-f]{32}${END}` },
  { name: 'sendgrid_key', key: String.raw`SG\.[\w-]{16,32}\.[\w-]{32,64}` },
  { name: 'mailgun_key', key: `key-[0-9a-f]{32}${END}` },
  { name: 'npm_token', key: `npm_[A-Za-z0-9]{36}${END}` },
  { name: 'pypi_token', key: String.raw`pypi-AgE[\w-]{50,}` },
  { name: 'rubygems_token', key: `rubygems_[0-9a-f]{48}${END}` },
  { name: 'shopify_token', key: `shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}${END}` },
  { name: 'linear_key', key: `lin_(?:api|oauth)_[A-Za-z0-9]{40,64}${END}` },
  { name: 'notion_token', key: `(?:ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43})${END}` },
  { name: 'postman_key', key: `PMAK-[0-9a-f]{24}-[0-9a-f]{34}${END}` },
  {
    name: 'doppler_token',
    key: String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}${END}`,
  },
  { name: 'vault_token', key: String.raw`hv[sbr]\.${DIGIT_SOON}[\w-]{24,}` },
  { name: 'terraform_token', key: String.raw`[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}` },
  { name: 'pulumi_token', key: `pul-[0-9a-f]{40}${END}` },
  { name: 'grafana_token', key: `glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}${END}` },
  { name: 'grafana_token', key: 'glc_[A-Za-z0-9+/]{32,}={0,2}' },
  { name: 'new_relic_key', key: `NR(?:AK-[A-Z0-9]{27}|II-[A-Za-z0-9_-]{32})${END}` },
  { name: 'sentry_token', key: '(?:sntrys_[A-Za-z0-9+/=_]{40,}|sntryu_[0-9a-f]{64})' },
  { name: 'atlassian_token', key: 'AT(?:ATT|CTT)3x[A-Za-z0-9_=-]{50,}' },
  { name: 'planetscale_token', key: String.raw`pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}` },
  { name: 'age_key', key: 'AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}' },
  { name: 'jwt', key: String.raw`eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}` },
  {
    name: 'bearer_token',
    lead: String.raw`[Aa]uthorization[\\"'\`\s]{0,6}[:=,][\\"'\`\s]{0,6}(?:[Bb]earer|[Tt]oken|[Bb]asic)\s{1,3}`,
    key: `${DIGIT_SOON}[A-Za-z0-9._~+/-]{16,}={0,2}`,
  },
  {
    name: 'url_password',
    // What is in brackets, braces or stars is a placeholder, or was replaced already.
    lead: String.raw`://[^\s/?#@:"'<>\\]{0,64}:(?![[{<*$])`,
    key: String.raw`[^\s/?#@"'<>\\]{3,128}(?=@[A-Za-z0-9[])`,
  },
  {
    name: 'private_key',
    lead: '-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----',
    key: `(?:${BREAK}[A-Za-z0-9+/=]{16,}){1,200}(?:${BREAK}[A-Za-z0-9+/=]{1,15})?`,
  },
];

/**
 * What every one of them has in its beginning, found by its rarest character first: a text without any of these costs
 * next to nothing.
 */
const KEY_MARKS: readonly string[] = [
  '_(?<=gh[pousr]_|github_pat_|gsk_|hf_|api_org_|do[opr]_v1_|cf(?:k|ut|at)_|npm_|rubygems_|shp(?:at|ca|pa|ss)_|lin_(?:api|oauth)_|ntn_|secret_|gl(?:sa|c)_|sntry[su]_|[sr]k_(?:live|test|prod)_|whsec_|pscale_[a-z]{2,5}_|secret_access_|SECRET_ACCESS_)',
  '-(?:(?<=sk-(?:ant|proj|svcacct|admin|or)-|pplx-|gl[a-z]{2,5}-|GOCSPX-|xox[abeoprs]-|xapp-|key-|pypi-|PMAK-|pul-|NR(?:AK|II)-|SECRET-KEY-)|(?<=-----)(?=BEGIN))',
  String.raw`\.(?:(?<=ya29\.|SG\.|dp\.[a-z]{2,5}\.|hv[sbr]\.|atlasv1\.)|(?=com/)(?<=slack\.|discord(?:app)?\.))`,
  'J(?<=eyJ|T3BlbkFJ)',
  'z(?<=[Aa]uthoriz)',
  'p(?<=dap)(?=i[0-9a-f]{32})',
  'K(?:(?<=SK)(?=[0-9a-f]{32})|(?<=(?:Access|Account)K)(?=ey))',
  String.raw`A(?:(?<=\d:A)(?=A)|(?=[KSB]IA[A-Z2-7]|CCA[A-Z2-7]|Iza|TATT3|TCTT3))`,
  String.raw`@(?<=:[^\s/@]{3,128}@)(?<=://[^\s/@]{3,200}@)`,
];

/** Takes out of text what is a key by the way it is written, and puts the name of its kind in its place. */
export interface KnownKeys {
  /** Whether it is worth a closer look; also true of the JSON form of a text. */
  readonly mayBeIn: (text: string) => boolean;
  readonly text: (plain: string) => string;
  readonly stream: () => KeyStream;
}

export interface KeyStream {
  write(piece: string): string;
  end(): string;
}

const [words, led] = [
  KEY_FORMATS.filter(({ lead }) => lead === undefined),
  KEY_FORMATS.filter(({ lead }) => lead !== undefined),
];
const FORMATS = [...words, ...led];
const patternOf = ({ lead = '', key }: KeyFormat) => `(${lead})${key}`;
const KEYS = new RegExp(`${KEY_START}(?:${words.map(patternOf).join('|')})|${led.map(patternOf).join('|')}`, 'g');
const MARKS = new RegExp(KEY_MARKS.join('|'));
/** In a stream an address is under way before its password is. */
const OPENINGS = new RegExp([...KEY_MARKS, '://'].join('|'), 'g');

/** As far back as a key is looked for that is not whole yet: a private key of 8192 bits. */
const LONGEST = 8192;
/** From the beginning of a key to the end of its mark. */
const MARK_REACH = 48;
/** What stands before a key decides whether it is one. */
const CONTEXT = 32;

/** Keys that are in `except` stay: the user has written them into the run, which could not continue without them. */
export function createKnownKeys(except: ReadonlySet<string> = new Set()): KnownKeys {
  const inPlaceOf = (match: RegExpExecArray): string => {
    const { lead, name } = partsOf(match);
    return except.has(match[0].slice(lead.length)) ? match[0] : `${lead}[${name}]`;
  };
  const text = (plain: string): string => {
    if (!MARKS.test(plain)) return plain;
    let passed = '';
    let from = 0;
    for (const match of allIn(plain)) {
      passed += plain.slice(from, match.index) + inPlaceOf(match);
      from = match.index + match[0].length;
    }
    return passed + plain.slice(from);
  };
  return { mayBeIn: (plain) => MARKS.test(plain), text, stream: () => createKeyStream(inPlaceOf) };
}

/** A key in a text, without what stands before it. */
export interface FoundKey {
  /** Of its kind. */
  readonly name: string;
  readonly key: string;
  readonly at: number;
}

export function findKeys(text: string): readonly FoundKey[] {
  if (!MARKS.test(text)) return [];
  return Array.from(allIn(text), (match) => {
    const { lead, name } = partsOf(match);
    return { name, key: match[0].slice(lead.length), at: match.index + lead.length };
  });
}

export function keysIn(text: string): readonly string[] {
  return findKeys(text).map(({ key }) => key);
}

function allIn(text: string): IterableIterator<RegExpExecArray> {
  KEYS.lastIndex = 0;
  return text.matchAll(KEYS);
}

function partsOf(match: RegExpExecArray): { readonly lead: string; readonly name: string } {
  const index = match.findIndex((group, at) => at > 0 && group !== undefined) - 1;
  return { lead: match[index + 1] ?? '', name: FORMATS[index]?.name ?? 'key' };
}

function createKeyStream(inPlaceOf: (match: RegExpExecArray) => string): KeyStream {
  let held = '';
  /** So much of it was passed on already. */
  let told = 0;
  let isInsideKey = false;

  const passOn = (until: number): string => {
    let passed = '';
    let from = told;
    const begun = Math.max(told, until);
    KEYS.lastIndex = told;
    let match = MARKS.test(held) ? KEYS.exec(held) : null;
    for (; match !== null && match.index < begun; match = KEYS.exec(held)) {
      passed += held.slice(from, match.index) + inPlaceOf(match);
      from = match.index + match[0].length;
      // Only one that is longer than any is passed on before its end was seen.
      isInsideKey = from === held.length;
    }
    const stop = Math.max(from, begun);
    passed += held.slice(from, stop);
    const kept = Math.max(0, stop - CONTEXT);
    held = held.slice(kept);
    told = stop - kept;
    return passed;
  };
  return {
    write(piece) {
      const news = isInsideKey ? piece.replace(/^[\w.~+/=-]+/, '') : piece;
      isInsideKey &&= news === '';
      held += news;
      return passOn(wholeUntil(held));
    },
    end: () => passOn(held.length),
  };
}

/** Before this place every key can be seen whole. */
function wholeUntil(text: string): number {
  OPENINGS.lastIndex = Math.max(0, text.length - LONGEST);
  const opening = OPENINGS.exec(text)?.index ?? text.length;
  return Math.min(opening, text.length) - MARK_REACH;
}
