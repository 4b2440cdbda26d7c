/**
 * Phrases by which an agent says that it depends on a person, or that it does not. English only: a message in another
 * language has none of them. Each is looked for in one sentence, in lower case and without what the agent quotes.
 */

/** What a person has and an agent may lack. */
const RIGHT =
  '(?:access|permissions?|credentials?|password|passphrase|secrets?|tokens?|login|account|rights|licen[cs]e|' +
  '(?:api |access |private |secret |ssh |signing |encryption )?keys?|[a-z]+_(?:key|token|secret|password))';
const NEEDED =
  `(?:${RIGHT}|decision|answer|choice|approval|confirmation|consent|clarification|input|guidance|direction|instructions?|` +
  'feedback|preference|go-ahead|sign-off|help|reply|response|(?:more |further |additional )?(?:information|info|details))';
const THING =
  '(?:url|link|address|files?|folder|dataset|data|context|requirements?|specification|server|service|network)';
const PROCEED = '(?:continue|proceed|resume|go on|go ahead|go any further|go further|move forward|move on|carry on)';
const CONTINUE = `(?:${PROCEED}|finish|complete|start|begin)`;
const GIVE =
  '(?:provide|supply|send|share|upload|attach|paste|specify|clarify|confirm|choose|decide|pick|select|approve|authori[sz]e|grant|' +
  'advise|answer|reply|respond|tell me|point me|give me|indicate)';
const GIVEN =
  '(?:provided|supplied|sent|shared|uploaded|specified|clarified|confirmed|chosen|chose|decided|picked|selected|approved|granted|' +
  'answered|replied|responded|added|installed|set)';
/** What a person is also asked to do after finished work. */
const DO =
  '(?:add|set|put|install|enable|configure|create|export|allow|place|fill in|log in|sign in|start|restore|fix|make|run|update|define|copy|free|renew|unlock|connect|raise|increase)';
const CANNOT_NOW =
  "(?:can't|cannot|can not|am unable to|'m unable to|am not able to|'m not able to|are unable to|won't be able to)";
const CANNOT = `(?:${CANNOT_NOW}|couldn't|could not|was unable to|were unable to|wasn't able to|was not able to)`;
const PERSON = '(?:person|human|maintainer|administrator|admin|owner|operator)';
/** Somebody to whom an agent leaves its task. */
const SOMEBODY =
  '(?:somebody|someone|your team|the team|(?:an?|the|another|one of (?:the|your)) (?:[\\w-]+ ){0,2}?' +
  '(?:person|human|developer|engineer|programmer|maintainer|colleague|teammate|administrator|admin|owner|operator|expert|specialist|dba))';
const WORK = '(?:this|it|that|(?:the|this) (?:rest|task|work|problem|issue|ticket|investigation)|the remaining \\w+)';

/** The agent offers more than it was given to do. */
export const OFFERS: readonly RegExp[] = [
  /\blet me know (?:if|when|whether) (?:you|there|anything|any|something|this|that|it|everything)\b/,
  /\bfeel free\b/,
  /\bif you(?:'d| would)? (?:want|like|need|prefer|have any|run into|encounter|notice|decide)\b/,
  /\bshould you (?:need|want|have)\b/,
];

/** So does this, unless the sentence says that the agent depends on it. */
export const EXTRAS: readonly RegExp[] = [
  /\b(?:anything|something) else\b|\bany (?:questions|other|further(?! progress)|additional|more)\b/,
  /\bhappy to\b|\bglad to\b/,
  /\b(?:i|me to) (?:also|next|further|additionally)\b|\bas well\?/,
  /\b(?:make|create|open|draft|push) (?:a|an|the|these|this) (?:commit|pull request|pr|merge request|branch|release)\b/,
  /\bplease (?:note|see|review|refer|find|keep|be aware|remember|enjoy|visit|check)\b/,
];

/** No polite clause makes this an offer. */
export const INSISTS: readonly RegExp[] = [
  new RegExp(
    `\\bhow (?:you'd like|you would like|you want|i should|should i|do you want|would you like) (?:me )?(?:to )?${PROCEED}\\b`,
  ),
];

/** The agent says that it depends on a person. */
export const DEPENDS: readonly RegExp[] = [
  // Renew the certificate, then start me again.
  /\b(?:then|and) (?:run|start|launch|call|invoke|resume|restart|rerun|re-run) me(?: again)?(?:$|[.!])/,
  // This requires manual intervention. Approval is required to delete the table.
  /\b(?:this|that|it|which|and|task|step|the rest) (?:needs|requires) (?:manual|human) (?:intervention|action|work|help)\b/,
  /^(?:your |human |manual )?(?:approval|confirmation|permission|authori[sz]ation|sign-off) (?:is|are|will be) (?:needed|required|necessary) (?:to|before|for)\b(?!.*\b(?:users?|admins?|callers?|clients?|endpoint|api)\b)/,
  // Could you run `sudo ...` for me?
  /\b(?:can|could|would|will) you (?:please |kindly )?(?:run|execute|install|start|restart|enable|open|unlock)\b.*\bfor me\b/,
  // I need your decision. Still need you to choose.
  /(?:\b(?:i|we)(?:'ll| will|'d| would| still| also| first| really| do)*|^(?:still |now |first )?) ?(?:need|require) (?:you|your|from you)\b/,
  // I need the password of the database.
  new RegExp(
    `(?:\\b(?:i|we)(?:'ll| will|'d| would| still| also| first| only| just)*|^(?:still |now |first )?) ?(?:need|require) (?!to\\b)(?:(?!to\\b)[\\w'/.-]+ ){0,5}?${NEEDED}\\b`,
  ),
  new RegExp(`\\b(?:your|human|manual|user) ${NEEDED} (?:(?:is|are) )?(?:still )?(?:needed|required|necessary)\\b`),
  new RegExp(
    `\\b(?:needs?|requires?|depends? on|pending|subject to|without|up to) (?:your ${NEEDED}|an? ${PERSON})\\b`,
  ),
  // I need it to go on. I need the file.
  /\b(?:i|we)(?: still)? need (?:it|them) (?:to|before|from)\b/,
  new RegExp(
    `\\b(?:i|we)(?:'ll| will|'d| would| still)* (?:need|require) (?:the|your|this|that) (?:[\\w'/.-]+ ){0,4}?${THING}\\b`,
  ),
  /^action (?:is )?(?:required|needed)\b|^(?:open )?questions? for (?:you|the user|the owner)\b/,
  // I can't continue: the key is missing.
  new RegExp(`\\b(?:i|we) ?${CANNOT_NOW} ${PROCEED}\\b(?! (?:with|using|this|that|down|in|on|to)\\b)`),
  new RegExp(
    `(?:\\b(?:i|we) ?${CANNOT_NOW}|^(?:cannot|can't|unable to|not able to)) ${CONTINUE}\\b.*\\b(?:without|until|unless)\\b|^(?:cannot|can't|unable to) ${PROCEED}(?:$|[.:;,!])`,
  ),
  // I'm blocked. I'll wait for your answer. Stopped here until the key is set.
  /\b(?:i'm|i am|we're|we are)(?: now| currently| still)* (?:blocked|on hold)\b/,
  /(?:\b(?:i|we)(?:'m| am|'re| are|'ll| will| have|'ve)?(?: now| currently| still)*|^(?:still|now|currently)?) ?(?:waiting|wait for|awaiting|blocked|paused|pausing|stopped|stopping|holding)\b.*\b(?:you|your|decision|answer|reply|response|confirmation|approval|instructions|go-ahead|until|pending|here because)\b/,
  new RegExp(`^still (?:no|without) (?:\\w+ ){0,3}?${NEEDED}\\b`),
  // Once you confirm, I'll start.
  new RegExp(
    `\\b(?:until|unless|once|when|after|as soon as) you(?:'ve| have)? (?:${GIVE}|${GIVEN})\\b.*\\b(?:i|we)(?:'ll| will| can|'d| could)\\b`,
  ),
  new RegExp(
    `\\b(?:i|we)(?:'ll| will| can) (?:${CONTINUE})\\b.*\\b(?:once|after|as soon as|when) (?:you|i have your|i get)\\b`,
  ),
  new RegExp(
    `\\b(?:i|we)(?:'ll| will| can) ${PROCEED}\\b.*\\b(?:once|as soon as) .*\\b(?:there|set|available|provided|added|granted|approved|answered|decided|installed)\\b`,
  ),
  new RegExp(`\\b(?:until|unless) you (?:${GIVE}|${GIVEN}|${DO})\\b`),
  // Please confirm before I delete the table. Before I start: which one?
  new RegExp(
    `(?=.*(?:\\?|\\byou\\b|\\byour\\b|\\bplease\\b|\\bconfirm\\b)).*\\bbefore (?:i|we) (?:can |may |could |will )?(?:${CONTINUE}|implement|make|do|change|touch|write|delete|run|apply|merge|deploy|push)\\b`,
  ),
  new RegExp(
    `\\b(?:you (?:need|have|must|should|can|could)|please|${GIVE})\\b.*\\b(?:(?:so that|so|then) (?:i|we)(?: can|'ll| will)|for me to|to let me|to allow me to)\\b`,
  ),
  /\b(?:grant|give) me (?:the )?(?:permission|access|rights)\b/,
];

/** What the agent is to do next is for the person to say. It may have done something, and continue with another thing. */
export const CHOICES: readonly RegExp[] = [
  /\bplease (?:confirm|decide|choose|advise|specify|say|tell me|let me know) (?:whether (?:to|i should)|which|how to)\b/,
  new RegExp(`\\b(?:do|may|can) i have your ${NEEDED}\\b`),
];

/** The person is asked for something, or to choose. After finished work the same words explain how to use it. */
export const ASKS: readonly RegExp[] = [
  new RegExp(`\\bplease (?:\\w+ ){0,2}?${GIVE}\\b`),
  new RegExp(`\\b(?:can|could|would|will) you (?:please |kindly |also )?${GIVE}\\b`),
  /\blet me know (?:which|what|how|where|who|(?:if|whether) i should|whether to)\b/,
  /(?:\bplease |^)(?:advise|decide|choose) (?:which|what|how|where|whether)\b|\btell me (?:which|what|how|where|whether)\b/,
  /^(?:please |just |you can |you may )?(?:reply|respond|answer) with\b/,
  /^(?:please )?(?:decide|choose|pick|select) (?:between|one|either)\b/,
  /\bwhich\b.*\b(?:should i|do you (?:want|prefer|like|mean)|would you (?:like|prefer)|shall i|to use)\b.*\?/,
  /\b(?:how|what|where)\b.*\b(?:should i|shall i|do you want (?:me )?to|would you like (?:me )?to|would you prefer|do you prefer)\b.*\?/,
  /\b(?:should|shall) (?:i|we)\b.*\bor\b.*\?/,
  /\b(?:do you (?:want|prefer)|would you prefer)\b.*\bor\b.*\?|\bor would you prefer\b.*\?/,
  new RegExp(
    `\\b(?:would you like me to|do you want me to|shall i|should i|may i|can i) (?:${PROCEED}|try|attempt)\\b.*\\?`,
  ),
  /\b(?:may i|am i allowed to|is it (?:ok|okay|fine|acceptable)|are you (?:ok|okay|fine) with)\b.*\?/,
  new RegExp(`\\bwhat(?:'s| is| are) (?:the|your) (?:\\w+ ){0,3}?${NEEDED}\\b.*\\?`),
  new RegExp(`\\bdo you have (?:\\w+ ){0,3}?(?:${NEEDED}|${THING})\\b.*\\?`),
  /\bwhere (?:can i|do i|should i) (?:find|get)\b.*\?/,
  new RegExp(`\\b(?:someone|an? (?:\\w+ )?${PERSON}) (?:needs to|has to|must|should|will need to|will have to)\\b`),
  // A developer of your team should take it from here.
  new RegExp(
    `\\b${SOMEBODY}\\b.*\\b(?:takes?|picks?|carry|carries|continues?)(?: ${WORK})?(?: over| on| up)? from here\\b`,
  ),
  // This should be picked up by somebody who knows the provider.
  new RegExp(
    `^(?!.*\\b(?:if|when|whenever|once|after|unless)\\b).*\\b${WORK} (?:should|must|(?:needs|has|will have|ought) to) (?:now |best |really )?be (?:picked up|taken over|taken on|handled|continued|finished|completed|resolved|solved|done|looked (?:at|into)|addressed) by ${SOMEBODY}\\b`,
  ),
  // I suggest handing it over to somebody who does.
  new RegExp(
    `\\b(?:suggest|recommend|propose|advise|better|best|prefer|must|have to|need to|am|'m)\\b.*\\b(?:hand|pass|leav|giv|escalat|return)(?:e|ing)? ${WORK}(?: over| on| back| up| off)? (?:to|for|with) (?:you|${SOMEBODY})\\b`,
  ),
];

/** A mere question, an instruction, or a lack. It counts only where the agent says that something stops it. */
export const LEANS: readonly RegExp[] = [
  // Only you can renew it. I recommend that an engineer takes over. Please have somebody look at it.
  new RegExp(
    `\\bonly (?:you|${SOMEBODY})\\b(?:.* )?(?:can|could|is able to|are able to) (?!see|read|view|edit|open|use|delete|access)`,
  ),
  new RegExp(
    `\\b(?:suggest|recommend|propose|advise|ask) (?:that )?${SOMEBODY}\\b.*\\b(?:takes? (?:over|this|it|a look)|(?:look|review|check|handle|continue|investigate)s?)\\b`,
  ),
  new RegExp(`\\bplease (?:have|let|ask|get) ${SOMEBODY}\\b`),
  /\b(?:would you like|do you want|shall i|should i)\b.*\?/,
  new RegExp(`\\b(?:please|(?:can|could|would|will) you) (?:\\w+ ){0,2}?${DO}\\b`),
  new RegExp(`\\bif you (?:can |could |are able to )?(?:${GIVE}|${DO})\\b.*\\b(?:i|we)(?:'ll| will| can|'d| could)\\b`),
  new RegExp(`\\byou(?:'ll| will| might| may| would)? (?:need|have|must)(?: to)? (?:${GIVE}|${DO})\\b`),
  new RegExp(
    `\\b(?:i|we) (?:do not|don't|currently lack|lack|have no)(?: have)? (?:\\w+ ){0,4}?${RIGHT}\\b(?!.*\\b(?:but|so|instead)\\b)`,
  ),
  new RegExp(
    `^(?!.*\\b(?:if|when)\\b).*\\b${RIGHT}\\b.*\\b(?:is|are|seems?|has) (?:\\w+ ){0,2}?(?:needed|required|missing|not set|unset|expired|invalid)\\b`,
  ),
];

/** Something outside stops the agent, and it says so. */
export const STOPPED: readonly RegExp[] = [
  // I have done what I can. This cannot be completed by me. The certificate has expired.
  /\b(?:i|we)(?:'ve| have)? (?:done|tried|taken|gone) (?:\w+ )?(?:all|everything|what|as (?:far|much) as)(?: that)? (?:i|we)(?: \w+)? can\b/,
  /\b(?:cannot|can't|can not) be (?:done|completed|finished|solved|continued) by me\b/,
  /^(?!.*\b(?:if|when|once|after|until)\b).*(?:\b(?:has|have) (?:expired|run out|been revoked)(?:$|[.,:;])|\b(?:ran out|expired) (?:yesterday|today|last|on|in|at|\w+ days ago)\b)/,
  new RegExp(`\\b(?:i|we) (?:still )?${CANNOT}`),
  new RegExp(
    `\\b(?:i|we) (?:do not|don't|currently lack|lack|have no)(?: have)? (?:\\w+ ){0,4}?(?:${NEEDED}|${THING})\\b`,
  ),
  /^(?!.*\b(?:if|when|whenever|once|after|until)\b).*\b(?:is|are|was|were) (?:still |currently )?(?:missing|not set|unset|not installed|not found|not available|unavailable|not provided|not accessible|inaccessible|denied|blocked|private)\b/,
  /\b(?:disk|volume|quota|mailbox) is (?:now |still )?(?:full|exhausted|used up)\b|\bcannot be (?:installed|built|started|reached|opened)\b/,
  /\b(?:permission|access) (?:is |was )?denied\b|\bbeyond what i can\b|\bencountered an? (?:\w+ )?(?:error|problem|issue)\b/,
  /\bunable to (?:access|reach|connect|download|find|locate|read|open|install|proceed|continue|complete)\b/,
];

/** The task as a whole cannot be done, or the agent refuses it. */
export const IMPOSSIBLE: readonly RegExp[] = [
  /\b(?:this|the|your|that) (?:\w+ ){0,3}?(?:task|request|goal|challenge|assignment|requirement|problem|work)s? (?:\w+ )?(?:cannot|can't|can not|could not) be (?:\w+ )?(?:done|completed|finished|solved|achieved|fulfilled|satisfied|met|accomplished|performed|carried out)\b/,
  /\b(?:task|request|goal|challenge|assignment|requirement)s? (?:is|are|appears?(?: to be)?|seems?(?: to be)?) (?:\w+ )?(?:impossible|infeasible|unachievable|not possible|not feasible|not achievable|unsolvable|not solvable)\b/,
  /\b(?:it is|it's|it was|this is|that is) (?:\w+ )?(?:impossible|not possible|infeasible|not feasible) (?:for me )?to (?:\w+ )?(?:complete|finish|do|solve|achieve|fulfil|accomplish|perform|carry out)\b/,
  new RegExp(
    `\\b(?:i|we) ${CANNOT} (?:\\w+ )?(?:complete|finish|do|solve|achieve|fulfil|accomplish|perform|carry out) (?:this|the|your|that) (?:\\w+ ){0,2}?(?:task|request|goal|challenge|assignment|work|job)\\b`,
  ),
  new RegExp(`\\b(?:i|we) (?:${CANNOT_NOW}|won't|will not) (?:assist|help|comply)(?: you)? with\\b`),
  /\bthere (?:is|was) no (?:legitimate |possible |practical |known )?way (?:for me )?to (?:complete|finish|do|solve|achieve|accomplish)\b/,
  /\b(?:it|this|that) (?:cannot|can't|can not) be (?:done|completed|accomplished|achieved|solved)(?!.*\b(?:so|therefore|instead|thus) i\b)(?:$|[.:;,!]| (?:as|in|with|without|on|under|within|because|given|here)\b)/,
  /\b(?:this|that|it) is (?:simply |just )?(?:impossible|not possible|not feasible|infeasible)(?:$|[.:;,!]| (?:as|with|without|under|because|given|here)\b)/,
];

/** The work is finished, as the agent says. */
export const FINISHED: readonly RegExp[] = [
  /\ball (?:\w+ ){0,3}?(?:tests?|checks?) (?:now )?(?:pass|passed|succeed|are (?:now )?(?:passing|green))\b/,
  /\bsuccessfully \w+ed\b|\b\w+ed successfully\b|\btask completed?\b|\ball done\b|✅/,
  /\b(?:task|work|implementation|feature|solution|everything|setup|project|it|script|program|all)(?:'s| is| are| has been| have been)(?: now| all| been| fully)* (?:complete|completed|done|finished|ready|in place|implemented|working)\b/,
  /\b(?:i|we)(?:'ve| have)(?: now| also| successfully)? (?:implemented|completed|finished|created|added|fixed|built|written|updated|solved|set up)\b/,
  /^(?:done|completed|finished|fixed|implemented)\b/,
];
export const UNFINISHED =
  /\b(?:not|never|unable|cannot|would|could|once|if|when|until|partially|almost|in the meantime|meanwhile|for now|so far|tasks?: )\b|n't\b/;
