/**
 * @file Detects polite contempt: doubting a customer's mind, insincere praise and pity, condescension, and impatience. Rules
 * over English phrasings of each kind; phrases that may also be sincere are left out.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

interface Kind {
  /** The kind of contempt in a line. */
  readonly note: string;
  readonly ways: readonly RegExp[];
}

const not = "(?:not|n['’]t)";
const will = "(?:['’]ll| will| shall| can| could| would)";

const kinds: readonly Kind[] = [
  {
    note: 'doubts the customer’s intelligence',
    ways: [
      linear(
        /\beven (?:for |to )?(?:you(?! (?:can|could|may|might|have|had|do|did|want|are)\b)|(?:some(?:one|body)|people|customers) like you|a (?:child|toddler|beginner)|my (?:dog|cat|\w*mother|grandma|child|kid|son|daughter)|you can (?:follow|understand|manage|grasp|read|remember|see))\b/i,
      ),
      linear(
        /\b(?:a|any|my) (?:small |little |\w+-year-old )?(?:child|toddler|kid|baby|dog|cat|goldfish|monkey|grandmother|grandma|\w+-year-old) (?:can|could|would)(?: have)? (?:do|done|understand|understood|fill|figure|see|seen|read|follow|manage|managed|get|know|known|tell|answer|find|found|work|worked|guess|guessed)\b/i,
      ),
      /\bany(?:body|one|one at all| person| adult)? (?:who (?:thinks?|can (?:\w+ ){0,5}could(?: have)?|can think|can read|reads?|pays|has eyes|uses)|with (?:half )?(?:a |any )?(?:brains?|mind|sense|eyes))\b/i,
      linear(
        /\b(?:every(?:body|one)|any(?:body|one)|the) (?:else|others?) (?:\w+ )?(?:manages?|managed|knew|knows|understands?|understood|figured|reads|seems? to (?:get|manage|understand))\b/i,
      ),
      linear(
        /\b(?:i doubt|i wonder|i question|i am not sure|it is unlikely)(?: that| whether| if)? you(?:['’]d|['’]ll| would| could| can| will| have)? (?:ever |really |even )*(?:follow|understand|understood|grasp|get (?:it|this|that)|manage|remember|notice|read|listen|think)\b/i,
      ),
      linear(
        new RegExp(
          `\\byou (?:clearly|obviously|evidently|plainly|really|honestly) (?:do ?${not}|can ?(?:not|['’]t)|did ?${not}|have(?: no|n['’]t| not)|lack|struggle|failed?|never|need help)\\b`,
          'i',
        ),
      ),
      linear(
        /\b(?:struggl\w+|(?:have|having) (?:trouble|difficult\w+|problems)|find(?:ing)? it (?:hard|difficult))(?: with| in| to)? (?:the )?(?:simple|basic|easy|simplest|reading|understanding|thinking|listening|read|understand|think|listen) ?(?:instructions?|words|rules|things|english|sentences|concepts?)?\b/i,
      ),
      /\b(?:is|are)(?: not|n['’]t) (?:exactly |really )?your (?:strength|strong (?:point|suit|side)|forte)\b|\byou have (?:absolutely |really )?no (?:idea|clue) (?:how|what|why)\b/i,
      /\b(?:too|so|that|really|all that) (?:hard|difficult|complicated|demanding) (?:for you|to (?:grasp|understand|follow|comprehend|get|remember))\b/i,
      linear(
        new RegExp(
          `\\b(?:let me|let us|let['’]s|i${will}) (?:say|explain|repeat|try|spell|put|tell|walk|take|write|go)\\b[^.?!]*\\bslowly\\b`,
          'i',
        ),
      ),
      /\b(?:(?:small|short|little|tiny) words|words of one syllable|baby steps|letter by letter)\b/i,
      /\bdraw (?:it|you|that)? ?(?:out )?(?:for you|a (?:picture|diagram|map))\b|\bhold your hand\b|\bask (?:a|an|your|some) (?:grown[- ]?up|adult|parent|mother|mum|mom|nurse|child)\b/i,
      /\b(?:one|you|i)(?:['’]d| would| might| should)? (?:have )?(?:think|thought|expect|expected|hope|hoped)(?: that)? (?:an?|some|any) (?:grown )?(?:adult|grown[- ]?up|person of your age|customer)\b/i,
      /\b(?:i could|i would|i can) explain (?:it|this|that)(?: to you)?(?: again)?, but\b|\b(?:made|makes) sense (?:to you|when you|in your)\b/i,
      /\b(?:engage|use|switch on) your (?:mind|brains?|head|wits|eyes)\b|\bstrain yourself\b|\bthink(?:ing)? before you\b|\b(?:you|people|customers|some) (?:do|did) ?(?:not|n['’]t) think\b/i,
      /\b(?:(?:people|some(?:one|body)|customers) like you (?:always|never|should|can['’]?t|cannot|don['’]t|do not|won['’]t|are (?:why|the reason|all))|(?:it(?:['’]s| is)|this is) (?:really |honestly )?not (?:(?:that|so) (?:hard|difficult|complicated)|rocket science)|(?:let me )?spell it out|you should know better|your (?:confusion|ignorance|inability|incompetence)|in (?:very )?simple (?:words|terms) for you|if you could be bothered)\b/i,
      /\b(?:did|do|have) you (?:even|bother(?:ed)? to|ever bother(?:ed)? to) (?:look|read|think|check|try|listen|open|see|know)/i,
      linear(
        /\b(?:which|what) part of\b.{1,40}\b(?:(?:do|did) ?(?:you|n['’]t you)(?: not)?|don['’]t you|are you) (?:understand|get|not get|not understand|follow|missing)\b/i,
      ),
    ],
  },
  {
    note: 'gives insincere praise',
    ways: [
      /\b(?:well done|congratulations|congrats|bravo|clever you|good for you|how clever|impressive|amazing|wow|brilliant|a gold star)\b[^.!?]{0,20}\byou(?:['’]ve| have)? (?:actually |finally |really |even |almost )?(?:managed|figured|worked (?:it |that )?out|discovered|noticed|remembered|typed|learned|read|can (?:read|type|count))\b/i,
      /\b(?:how charming of you|how (?:original|clever|typical)(?: of you)?|what a surprise|bravo)\b/i,
      linear(
        /\b(?:clever you|gold star for you|(?:found|did|managed|wrote|typed|worked)[^.?!]* all by yourself|give yourself a (?:pat|hand|medal)|slow clap|round of applause)\b/i,
      ),
      linear(
        /\b(?:oh|ah|well|how|just),? (?:wonderful|great|lovely|brilliant|fantastic|perfect|delightful|marvellous|splendid|super|terrific|joy)[,.!]? (?:another|yet another|one more|you again|somebody|someone|just what)\b|\byet another (?:complain\w+|expert|genius)\b/i,
      ),
      linear(
        /\bare(?:n['’]t| not)? (?:we|you) (?:so |all |just |not )*(?:special|clever|smart|cute|sweet|precious|impatient|important|charming|quick|bright|the (?:genius|expert|clever one))\b/i,
      ),
      linear(
        /\bwhat an? (?:\w+ )?(?:fascinating|novel|touching|moving|charming|original|heart\w+|bold|remarkable|sad)(?: little)? (?:theory|story|tale|excuse|argument|opinion|speech)\b/i,
      ),
      linear(
        /\byour (?:own )?(?:little|sad|touching|precious|expert|sob|heart\w+|fascinating|so-called|vast|infinite) (?:story|tale|opinion|problems?|rant|drama|speech|tantrum|complaints?|feelings|theory|life|world|outburst|expertise|wisdom|experience|knowledge|crisis)\b/i,
      ),
      /(?:^|[,.!?] |\b(?:oh|listen|look|well|sorry|no|yes|sure),? )(?:sweetheart|sweetie|darling|missy|princess|sunshine|genius|einstein|sherlock|professor|champ|young (?:man|lady)|your (?:majesty|highness|lordship|ladyship))(?=[,.!?]|$| will | has )/i,
      /\b(?:it is|it['’]s|that is|that['’]s) (?:almost |truly |really |quite )?(?:impressive|amazing|remarkable|astonishing|a talent|an art|an achievement) (?:how|that|what) (?:some people|customers|people|you)\b|\bnever (?:cease|fails?) to (?:be )?amaze/i,
      /\b(?:i suppose|i guess)(?: that)? (?:counts|passes) (?:as|for)\b|\bif (?:you|one|we) can call (?:it|that|this)\b/i,
    ],
  },
  {
    note: 'gives insincere pity',
    ways: [
      /\bmy heart bleeds\b|\bpoor you\b|\bboo[- ]?hoo\b|\bcry me\b|\b(?:smallest|tiny|little) violin\b|\bpoor little\b|\bbig,? bad\b/i,
      linear(
        /\bhow (?:terrible|awful|tragic|dreadful|sad|horrible|inconvenient|exhausting|devastating|hard) (?:for you|that must be|it must be|this must be)\b(?!.{0,80}(?:sorry|apolog|help|check|look|fix|see))/i,
      ),
      /\bwhat a (?:tragedy|catastrophe|disaster|nightmare|drama)\b(?!.{0,80}(?:sorry|apolog|help))/i,
      /\bmust (?:be|feel) (?:so |very |really )?(?:hard|tough|difficult|exhausting|nice|lovely|wonderful) (?:to be you|being you|to have (?:so much|nothing|that much))/i,
      linear(
        /\b(?:got (?:out|up)|woke up) .{0,12}wrong side\b|\bsome(?:one|body)(?:['’]s| is) (?:in a (?:\w+ )?mood|grumpy|cranky|having a tantrum)\b/i,
      ),
    ],
  },
  {
    note: 'puts the customer in their place',
    ways: [
      /\bworld (?:does ?(?:not|n['’]t) (?:revolve|turn)|revolves|was made)\b|\bwho (?:exactly |on earth )?do you think you are\b/i,
      linear(/\brules (?:also |do |even )*apply (?:even )?to you\b|\b(?:like|with) the rest of us\b|\bsome of us (?:have|actually|do)\b/i),
      /\byou (?:do )?(?:realise|realize|know)(?:,)?(?: that)? there are (?:real|bigger|worse|serious|actual|people with)\b/i,
      linear(
        /\b(?:forgive|excuse|pardon) (?:me|us) for not (?:drop|jump|run|read|know|car|be)\w*\b(?! (?:you|back|sooner|earlier))|\bdrop(?:ping)? everything\b|\bbend (?:all |every |the |our )+(?:rules?|laws)\b/i,
      ),
      /\bwhich is not (?:much|saying much)\b|\bpretend(?: that)? i (?:did ?(?:not|n['’]t)|never) (?:read|hear|see|saw|heard)\b/i,
      /\b(?:nobody|no one|no-one) (?:forced|made|begged|asked) you\b|\bif you (?:really )?think (?:that|this|it)(?:['’]s| is) (?:an? )?(?:good|valid|serious|real|clever) (?:argument|reason|excuse|question|point)\b/i,
      /\bimagine that,|\bsurprise,? surprise\b|\bcolou?r me (?:surprised|shocked)\b|\bwhat a shock\b/i,
    ],
  },
  {
    note: 'shows impatience with the customer',
    ways: [
      /\breading (?:helps|would (?:have )?help)|\b(?:already )?(?:made|been) (?:perfectly|abundantly|very|quite) clear\b(?=.{0,40}\b(?:already|others|before|enough|today|you)\b|,)/i,
      /\b(?:oh,? please|spare me (?:the|your)|give me a break|good luck with that)\b/i,
      /\bnot (?:as if|as though|like) (?:i|we) (?:had|have|['’]ve)\b|\b(?:better|more important) things to do\b|\b(?:have|got)(?:n['’]t| not)? (?:got )?all day\b/i,
      linear(
        /\bare (?:you|we) (?:quite|finally) (?:finished|done|through)\b|\bhappy now\?|\bsatisfied now\?|\bfeel(?:ing)? better now\b[^.!]*\?/i,
      ),
      /(?:^|[.!?] )(?:oh,? )?you again\b|\bwhat is it (?:this time|now)\b|\band yet,? here (?:you|we) are\b/i,
      /\bstay with me here\b|\btry (?:to|and) (?:keep up|stay with me|pay attention|concentrate|listen|focus for once)\b|\bi(?:['’]m| am) not (?:going to|here to) (?:hold your|babysit|do your (?:thinking|homework)|repeat myself)\b/i,
    ],
  },
];

/** The contemptuous words, and their kind; null if there are none. */
export function contemptIn(text: string): { readonly quote: string; readonly note: string } | null {
  for (const { note, ways } of kinds)
    for (const way of ways) {
      const quote = way.exec(text)?.[0].trim();
      if (quote !== undefined && quote !== '') return { quote, note };
    }
  return null;
}
