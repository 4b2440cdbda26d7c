/**
 * Plain words at the end of a message that claim that the whole task is done. In doubt it is no claim: a missed one costs
 * an iteration, a false one can end a run too early.
 */

const WHOLE =
  '(?:task|work|job|project|feature|request|assignment|implementation|migration|refactoring|refactor|rewrite|fix)';
const PARTS =
  '(?:features|tasks|subtasks|work|functionality|functions|requirements|acceptance criteria|items|todos|to-dos|changes|goals|issues|bugs|endpoints|pieces)';
const ASKED = '(?: (?:that )?(?:you |was |were )?(?:asked for|requested|specified|described))?';
const PLACE =
  '(?: (?:in|from|of|on) (?:the |your |this )?(?:task|prompt|plan|spec|specification|issue|checklist|list|request|todo list))?';
const IS = '(?:is|are|has been|have been|was|were)';
const FULLY = '(?: (?:now|fully|all|100%|successfully|completely)){0,2}';
const DONE = '(?:done|finished|complete|completed|implemented|in place|met|satisfied|resolved|fixed|checked off)';
const TESTS = '(?:all )?(?:the )?(?:\\d+ )?tests (?:pass|are passing|are green)';
const AND = `(?:,? (?:and|with) (?:(?:it )?works|(?:fully )?(?:working|functional)|(?:fully )?tested|verified|(?:ready|done|complete)(?: for (?:use|review))?|${TESTS}|all (?:the )?(?:\\d+ )?tests passing)){0,2}`;
const MANNER = '(?: (?:successfully|as requested|as specified|as described|as asked|as expected|now|here))?';

/** Whole sentences, without their punctuation. */
const FORMS = [
  `(?:we|it|i)(?:'re| are|'s| is|'m| am) (?:now )?all (?:done|finished)`,
  'all done',
  `everything${ASKED}${PLACE} ${IS}${FULLY} ${DONE}${AND}${MANNER}`,
  `(?:the|this|your)(?: whole| entire| requested| full)? ${WHOLE} ${IS}${FULLY} ${DONE}${AND}${MANNER}`,
  `all(?: of)?(?: the| your)?(?: \\d+)?(?: requested| required| planned| listed| remaining)? ${PARTS}${ASKED}${PLACE} ${IS}${FULLY} ${DONE}${AND}${MANNER}`,
  `${WHOLE} (?:is )?(?:now )?(?:done|finished|complete|completed)${AND}${MANNER}`,
  `(?:i have|i've|we have|we've)(?: now)? (?:finished|completed|implemented|done) (?:everything${ASKED}${PLACE}|(?:the|this|your) (?:whole |entire )?${WHOLE}|all(?: of)?(?: the)?(?: \\d+)?(?: requested| required)? ${PARTS}${ASKED}${PLACE})${AND}${MANNER}`,
  `(?:this|that|which) (?:completes|finishes|concludes) (?:the|this|your) (?:whole |entire )?${WHOLE}`,
  `(?:there is |there's |there are )?(?:now )?(?:nothing|no (?:work|tasks|items))(?: is| are)? (?:left|remaining)(?: to (?:do|be done|implement|fix))?`,
  `(?:there is |there's )?(?:now )?nothing (?:more|else) to (?:do|implement|fix)`,
  `no (?:more|further|other) (?:work|changes) (?:is|are) (?:needed|required|left)`,
];
const CLAIM = new RegExp(`^(?:so |and |with that,? |now )?(?:${FORMS.join('|')})$`, 'i');
/** Each form has one of these words. To compile the forms takes 40 ms, and most messages have none of them. */
const WORD_OF_A_FORM = new RegExp(`${DONE}|finishes|concludes|left|remaining|nothing|needed|required`, 'i');

/** What the rest of the paragraph must not say. */
const DOUBT = new RegExp(
  `\\b(?:${[
    'missing|fail|fails|failed|failing|failures?|broken|breaks|errors?|red',
    'remain|remains|remaining|left|next|still|yet|pending|later|follow-?ups?|todos?|to-dos?|wip|for now|so far|until|will',
    'except|excluding|apart from|aside from|other than|but|however|although|though|unless|without|only|just',
    'incomplete|unfinished|partial|partially|mostly|almost|nearly|most|half|some|skip|skips|skipped|disabled|stubs?|stubbed|placeholders?',
    "no|not|never|cannot|unable|blocked|\\w+n't|should|would|could|might|may|if|once|please|you need|you have to|want me",
    'steps?|parts?|chapters?|phases?|stages?|milestones?|sections?|rounds?|iterations?|first|second|third|\\d+ of \\d+|\\d+/\\d+',
  ].join('|')})\\b|[?❌⚠🚧⏳✗✘☐]`,
  'iu',
);
/** What the agent did for it last, after it has said so. */
const REPORT =
  /^i(?:'ve| have)?(?: also| now)* (?:added|renamed|improved|polished|fixed|repaired|updated|removed|deleted|cleaned|changed|moved|rewrote|wrote|documented|tested|verified|checked|ran|formatted|refactored|simplified|adjusted|implemented|extended|split|merged|replaced|tidied)\b/i;
/** Good news in words of bad news. */
const REASSURANCES =
  /\b(?:(?:no|0|zero|without(?: any)?) (?:\w+ )?(?:failures|failed|failing|errors|skipped|regressions|warnings)|(\d+)(?:\/| of )\1)(?!\w)/gi;
/** A line that announces what is left, anywhere in the message. */
const REST =
  /^[\s>*_#\-–•\d.)]*(?:remaining|next steps?|to-?dos?|still (?:to do|open|missing)|not (?:done|implemented|finished)|left to do|what(?:'s| is) left|known (?:issues|problems|limitations)|open (?:points|questions|issues)|follow-?ups?|limitations|missing)\b/im;
const OPEN_BOX = /^\s*(?:[-*+]|\d+[.)])\s+\[ \]/m;
/** What the agent does in its next iteration. */
const ANNOUNCES =
  /\b(?:i'll|i am going to|i'm going to|i (?:now )?(?:can|need to|have to|want to|plan to|intend to)|let me|follows|in progress|working on|continue|continuing|to be done|upcoming|soon)\b/i;
/** That nothing is left, in words of what is left. */
const QUIET_WORDS =
  /\b(?:there (?:is|are|was|were) )?(?:nothing|no) (?:more |further |other |additional |else )?(?:left|remaining|remains|changes?|edits|work|steps?|action|is left|to (?:do|change|add|fix))(?: (?:is|are|was|were))?(?: (?:needed|required|necessary|made|left|remaining|to do))?\b|\bdid not (?:need to )?change anything\b/gi;
/** A warning sign is not decoration. */
const DECORATION = /(?![❌⚠🚧⏳✗✘☐])(?:[*_`~#✓✔☑]|\p{Extended_Pictographic}|\u{FE0F}|\u{200D})/gu;
const LIST_OR_QUOTE = /^\s*(?:[-*+•>|]|\d+[.)])\s/;
const FENCE = /^\s*(?:```|~~~)/m;
const SENTENCE_END = /(?<=[.!?…:])\s+/;

/** The sentence in the last paragraph of a message that claims that everything is done. */
export function doneInWords(message: string): string | undefined {
  const paragraph =
    message
      .trimEnd()
      .split(/\n\s*\n/)
      .at(-1) ?? '';
  const lines = paragraph.split('\n').filter((line) => line.trim() !== '');
  if (FENCE.test(paragraph) || LIST_OR_QUOTE.test(lines.at(-1) ?? '') || REST.test(message)) return undefined;
  // Line breaks within a sentence, or a last line that is a sentence of its own.
  return claimAtEnd(plain(lines.join(' '))) ?? claimOfLastLine(lines.map(plain));
}

/** The message says that something is left, failed, or is done next. In doubt it does. */
export function leavesSomethingOpen(message: string): boolean {
  if (REST.test(message) || OPEN_BOX.test(message)) return true;
  const words = plain(message.replace(QUIET_WORDS, '')).replace(REASSURANCES, '');
  return ANNOUNCES.test(words) || DOUBT.test(words);
}

function claimOfLastLine(lines: readonly string[]): string | undefined {
  const last = lines.at(-1) ?? '';
  if (lines.length < 2 || !/^\p{Lu}/u.test(last) || isDoubtful(lines.slice(0, -1).join(' '))) return undefined;
  return claimAtEnd(last);
}

function claimAtEnd(text: string): string | undefined {
  const sentences = text.split(SENTENCE_END);
  const at = sentences.findLastIndex(isClaim);
  const claim = sentences[at] ?? '';
  const [before, after] = [sentences.slice(0, Math.max(at, 0)), sentences.slice(at + 1)];
  // What it consists of, or what was done for it, takes nothing back.
  const isOwn = claim.endsWith(':') || after.every((sentence) => REPORT.test(sentence));
  const rest = after.join(' ');
  if (at < 0 || !isOwn || ANNOUNCES.test(rest) || isDoubtful(rest) || isDoubtful(before.join(' '))) return undefined;
  return claim.endsWith(':') ? `${claim} ${rest}`.trim() : claim;
}

function isClaim(sentence: string): boolean {
  if (!WORD_OF_A_FORM.test(sentence) || sentence.endsWith('?')) return false;
  return CLAIM.test(sentence.replace(/[\s.!…:]+$/, ''));
}

function isDoubtful(text: string): boolean {
  return DOUBT.test(text.replace(REASSURANCES, ''));
}

function plain(text: string): string {
  return text.replace(DECORATION, ' ').replace(/’/g, "'").replace(/\s+/g, ' ').trim();
}
