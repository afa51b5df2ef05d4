/** @file Fictional people who seek support: what happened to them, what they feel, what would help, and how that shows in what they say. */

export const facts = ['event', 'since', 'people', 'tried'] as const;
export type SeekerFact = (typeof facts)[number];

/** Feelings, each with the words that hint at it before it is named. */
export const feelings = {
  fear: 'My hands shake whenever I think of it.',
  sadness: 'I cry in the evenings and cannot say why.',
  anger: 'I could shout at everybody who is kind to me.',
  shame: 'I hope nobody I know sees me like this.',
  loneliness: 'The house is so quiet that I leave the radio on.',
  guilt: 'I keep thinking that I should have known.',
} as const;
export type Feeling = keyof typeof feelings;

/** Plans that would help, each with the words that hint at it after the feeling was named. */
export const plans = {
  rest: 'I have not slept through a night for weeks.',
  talk: 'Nobody around me knows about any of this.',
  step: 'It is all too much at once.',
  boundary: 'They keep asking me for more, and I always say yes.',
  help: 'I have tried everything I can do alone.',
  list: 'Everything is in a muddle in my head.',
} as const;
export type SupportPlan = keyof typeof plans;

/** The written advice for each plan. */
export const planWords: Readonly<Record<SupportPlan, string>> = {
  rest: 'rest for a few days',
  talk: 'tell one person you trust',
  step: 'take one small step',
  boundary: 'say no to one thing',
  help: 'ask somebody who does this for a living',
  list: 'write everything down as a list',
};

export interface SeekerCard {
  readonly id: string;
  readonly who: string;
  readonly tag: 'family' | 'work and study' | 'society and other';
  readonly problem: string;
  readonly facts: Readonly<Record<SeekerFact, string>>;
  /** Facts that must be told before anything else helps. */
  readonly needed: readonly SeekerFact[];
  /** The seeker's feeling and what would help, each with its hints. Drawn at random if omitted. */
  readonly feeling?: Feeling;
  readonly shows?: string;
  readonly plan?: SupportPlan;
  readonly hints?: string;
}

const row = (
  id: string,
  who: string,
  tag: SeekerCard['tag'],
  problem: string,
  [event, since, people, tried]: readonly [string, string, string, string],
  needed: readonly SeekerFact[],
): SeekerCard => ({ id, who, tag, problem, facts: { event, since, people, tried }, needed });

export const cards: readonly SeekerCard[] = [
  row(
    'baker',
    'a baker of 44',
    'family',
    'My sister and I do not speak any more.',
    [
      'We fell out over our mother’s flat.',
      'Since the spring.',
      'Only my sister and I are left.',
      'I wrote her a letter and did not send it.',
    ],
    ['event', 'people'],
  ),
  row(
    'student',
    'a student of 20',
    'work and study',
    'I am going to fail this year.',
    ['I missed two exams.', 'Since October.', 'My parents think all is well.', 'I bought three planners.'],
    ['event', 'tried'],
  ),
  row(
    'driver',
    'a bus driver of 51',
    'work and study',
    'I cannot face the morning shift.',
    ['A cyclist fell in front of my bus.', 'Since last winter.', 'My colleagues say I am quiet.', 'I asked for other routes.'],
    ['event', 'since'],
  ),
  row(
    'nurse',
    'a nurse of 33',
    'work and study',
    'I am so tired of caring.',
    ['Two of us left and nobody came.', 'Since the summer.', 'My husband does the cooking now.', 'I took a week off.'],
    ['since', 'people'],
  ),
  row(
    'widower',
    'a pensioner of 72',
    'family',
    'The days have become very long.',
    ['My wife died.', 'Two years in May.', 'My son calls on Sundays.', 'I joined a choir and left it again.'],
    ['event', 'people', 'tried'],
  ),
  row(
    'clerk',
    'a clerk of 29',
    'society and other',
    'I moved here and nothing is as I thought.',
    ['I took a job in a new town.', 'Half a year ago.', 'I know the woman at the bakery.', 'I went to a club once.'],
    ['since', 'people'],
  ),
  row(
    'mother',
    'a mother of 37',
    'family',
    'My boy does not talk to me.',
    ['He changed schools.', 'Since Easter.', 'His father lives far away.', 'I took his telephone away.'],
    ['event', 'tried'],
  ),
  row(
    'founder',
    'a shopkeeper of 40',
    'work and study',
    'I may have to close the shop.',
    ['The rent went up.', 'Since January.', 'My partner does not know how bad it is.', 'I sold the van.'],
    ['event', 'people'],
  ),
  row(
    'neighbour',
    'a gardener of 58',
    'society and other',
    'The people upstairs wear me out.',
    ['They have music until two.', 'Since they moved in.', 'The landlord does not answer.', 'I knocked on their door.'],
    ['people', 'tried'],
  ),
  row(
    'runner',
    'a teacher of 26',
    'society and other',
    'I do not like who I have become.',
    ['I hurt my knee and stopped running.', 'Since autumn.', 'My friends all run.', 'I swam a few times.'],
    ['event', 'since', 'people'],
  ),
];

export const crisisLine =
  'This is a simulation with invented people. A product for real people must show this line: if you may harm yourself or somebody else, call the emergency number of your country or a crisis line (116 123 in much of Europe, 988 in the USA and Canada).';
