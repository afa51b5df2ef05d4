/** @file All built-in environments, each loaded lazily. */

import { type AnyEnvironment, Fault, findEntry, type KindEntry } from '@ludus-agents/kernel/internal/core/index';
import { withAddedEntries } from '@ludus-agents/kernel/internal/core/kind-registry';
import { dress } from './surface.ts';

type EnvironmentGroup = 'games' | 'puzzles' | 'grids' | 'control' | 'people' | 'work' | 'laboratory';

/** Environments by group, in listing order. */
const groups: Readonly<Record<EnvironmentGroup, Readonly<Record<string, KindEntry<AnyEnvironment>>>>> = {
  /** Board games, cards, and dice. */
  games: {
    'kuhn-poker': { about: 'the smallest poker: three cards, one bet', load: async () => (await import('./kuhn-poker.ts')).kuhnPoker },
    leduc: { about: 'poker with six cards, two rounds and one card on the table', load: async () => (await import('./leduc.ts')).leduc },
    'liars-dice': { about: 'bids on hidden dice, until one is doubted', load: async () => (await import('./liars-dice.ts')).liarsDice },
    'hanabi-tiny': {
      about: 'two partners see each other’s cards and not their own; small enough to be solved',
      load: async () => (await import('./hanabi/tiny.ts')).hanabiTiny,
    },
    hanabi: {
      about: 'partners see each other’s cards and not their own, and build five rows by hints',
      load: async () => (await import('./hanabi/hanabi.ts')).hanabi,
    },
    'tic-tac-toe': { about: 'three in a row on a board of nine', load: async () => (await import('./kinarow.ts')).ticTacToe },
    'connect-four': { about: 'four in a row, pieces fall', load: async () => (await import('./kinarow.ts')).connectFour },
    kinarow: { about: 'any number in a row on a board of any size', load: async () => (await import('./kinarow.ts')).kinarow },
    chess: { about: 'chess with all its rules, and endgames solved exactly', load: async () => (await import('./chess/chess.ts')).chess },
    dilemma: {
      about: 'two by two games such as the prisoner’s dilemma, once or often',
      load: async () => (await import('./dilemma.ts')).dilemma,
    },
    bargain: { about: 'two parties haggle over a price or share out items', load: async () => (await import('./bargain.ts')).bargain },
    debate: {
      about: 'two sides argue and bet in private on winning; a judge decides',
      load: async () => (await import('./debate/debate.ts')).debate,
    },
    werewolf: {
      about: 'a village seeks the wolves among it, by day and by night',
      load: async () => (await import('./werewolf.ts')).werewolf,
    },
    nations: {
      about: 'eight nations order acts from treaties to strikes, day by day, at once',
      load: async () => (await import('./nations/nations.ts')).nations,
    },
    commons: { about: 'harvest a shared stock that regrows, or collapses', load: async () => (await import('./commons.ts')).commons },
  },
  /** One player against hidden information. */
  puzzles: {
    lock: {
      about: 'dials to be turned one after another; a longer lock begins like a shorter one',
      load: async () => (await import('./lock.ts')).lock,
    },
    codebreaker: {
      about: 'find a hidden code or number from what each guess tells',
      load: async () => (await import('./codebreaker.ts')).codebreaker,
    },
    'twenty-questions': {
      about: 'guess what someone thinks of, with yes-or-no questions',
      load: async () => (await import('./twenty-questions.ts')).twentyQuestions,
    },
    'guess-my-city': {
      about: 'guess a city with yes-or-no questions',
      load: async () => (await import('./twenty-questions.ts')).guessMyCity,
    },
    wordle: { about: 'find a hidden word by what its letters tell', load: async () => (await import('./wordle/wordle.ts')).wordle },
    minesweeper: {
      about: 'open every cell without a mine; numbers count neighboring mines',
      load: async () => (await import('./minesweeper/minesweeper.ts')).minesweeper,
    },
    rules: { about: 'find a hidden rule by trying, then say what follows', load: async () => (await import('./rules/rules.ts')).rules },
    design: {
      about: 'one seat for each parameter of a design, and one simulated reward for all',
      load: async () => (await import('./design/design.ts')).design,
    },
  },
  /** Places, paths, and bodies. */
  grids: {
    'frozen-lake': {
      about: 'cross slippery ice to the goal; its value is known exactly',
      load: async () => (await import('./frozen-lake/frozen-lake.ts')).frozenLake,
    },
    maze: { about: 'find the way to the goal, by map or by touch', load: async () => (await import('./maze/maze.ts')).maze },
    sokoban: { about: 'push every box onto a goal', load: async () => (await import('./sokoban/sokoban.ts')).sokoban },
    pathfinding: {
      about: 'agents walk to goals on one grid without getting in each other’s way',
      load: async () => (await import('./pathfinding/pathfinding.ts')).pathfinding,
    },
    kitchen: {
      about: 'cooks share a kitchen and a clock, and serve soup',
      load: async () => (await import('./kitchen/kitchen.ts')).kitchen,
    },
    skirmish: {
      about: 'units on a grid walk to a beacon, collect shards or defeat each other',
      load: async () => (await import('./skirmish/skirmish.ts')).skirmish,
    },
  },
  /** Continuous quantities, controlled by numbers. */
  control: {
    motor: { about: 'a DC motor follows a reference, by numbers', load: async () => (await import('./motor/motor.ts')).motor },
    drones: {
      about: 'small drones hover, in a row or in the wind, by numbers',
      load: async () => (await import('./drones/drones.ts')).drones,
    },
    volleyball: {
      about: 'rallies of two teams, by skills or by the numbers below them',
      load: async () => (await import('./volleyball/volleyball.ts')).volleyball,
    },
    'team-volleyball': {
      about: 'rallies of teams of three, by a strategy and the motions below it',
      load: async () => (await import('./volleyball/team-volleyball.ts')).teamVolleyball,
    },
  },
  /** Conversations with simulated people. */
  people: {
    tutor: {
      about: 'help a student by questions, or by a limited number of explanations',
      load: async () => (await import('./tutor/tutor.ts')).tutor,
    },
    support: {
      about: 'a simulated conversation with a person who seeks support',
      load: async () => (await import('./support/support.ts')).support,
    },
    lesson: {
      about: 'teach concepts in words to a student with misconceptions, between two quizzes',
      load: async () => (await import('./lesson/lesson.ts')).lesson,
    },
    consultation: {
      about: 'a patient puts symptoms into words, a therapist names the condition and treats it',
      load: async () => (await import('./consultation/consultation.ts')).consultation,
    },
    recommender: {
      about: 'show lists to a user who tires and leaves, or items between sober and clickbait',
      load: async () => (await import('./recommender/recommender.ts')).recommender,
    },
    shift: {
      about: 'serve guests whose tastes, goals or kitchen change half-way',
      load: async () => (await import('./shift/shift.ts')).shift,
    },
    clinic: {
      about: 'a doctor questions and examines a patient, then names the disease',
      load: async () => (await import('./clinic/clinic.ts')).clinic,
    },
    chat: { about: 'a conversation between a person and a character', load: async () => (await import('./chat.ts')).chat },
    'social-scene': {
      about: 'characters with goals and secrets in one room, or a person who talks with several',
      load: async () => (await import('./social-scene/social-scene.ts')).socialScene,
    },
    'multi-turn': {
      about: 'a conversation that asks for one ability of many turns: context, coherence, consistency, correction, return, fairness',
      load: async () => (await import('./multi-turn/multi-turn.ts')).multiTurn,
    },
    'next-line': {
      about: 'a character says the next line of a dialogue that stands as it is written',
      load: async () => (await import('./next-line/next-line.ts')).nextLine,
    },
    'character-quiz': {
      about: 'a character answers one question with one of some lines: where characters are taught',
      load: async () => (await import('./character-quiz/character-quiz.ts')).characterQuiz,
    },
    questionnaire: {
      about: 'items of a questionnaire, answered one by one',
      load: async () => (await import('./questionnaire.ts')).questionnaire,
    },
    'privacy-guard': {
      about: 'an attacker tries to learn what a defender must not tell',
      load: async () => (await import('./privacy-guard/index.ts')).privacyGuard,
    },
    disclosure: {
      about: 'people who must share some facts and hide others agree on one option',
      load: async () => (await import('./disclosure/disclosure.ts')).disclosure,
    },
    preferences: {
      about: 'a user shows tastes in passing; a writer keeps a profile, a reader answers from it',
      load: async () => (await import('./preferences/preferences.ts')).preferences,
    },
    jailbreak: {
      about: 'an attacker tries to make a guarded assistant break its rules',
      load: async () => (await import('./jailbreak.ts')).jailbreak,
    },
    discussion: {
      about: 'members who know different things talk under a protocol until they have one answer',
      load: async () => (await import('./discussion/discussion.ts')).discussion,
    },
  },
  /** Tasks with tools, documents, and code. */
  work: {
    mission: {
      about: 'files that members share and routes with setbacks and a clock; for teams',
      load: async () => (await import('./mission/mission.ts')).mission,
    },
    'quest-world': {
      about: 'rooms, things and a quest, in typed commands',
      load: async () => (await import('./quest-world/quest-world.ts')).questWorld,
    },
    'idea-quest': {
      about: 'a text adventure out of a written idea, proved to be winnable',
      load: async () => (await import('./quest-world/idea-quest.ts')).ideaQuest,
    },
    sites: {
      about: 'a browser on six small working web sites, with tasks that are checked by rules',
      load: async () => (await import('./sites/sites.ts')).sites,
    },
    memory: {
      about: 'facts told over many sessions, then asked: retrieval, learning, range, conflict, forgetting',
      load: async () => (await import('./memory/memory.ts')).memory,
    },
    library: {
      about: 'answer a question from documents with links, and cite what proves it',
      load: async () => (await import('./library/library.ts')).library,
    },
    tables: {
      about: 'questions over made tables, answered by queries or by code',
      load: async () => (await import('./tables/tables.ts')).tables,
    },
    maths: {
      about: 'problems with exact answers, and turns with a calculator or code',
      load: async () => (await import('./maths/maths.ts')).maths,
    },
    blocks: {
      about: 'build what a blueprint shows, block by block or by code',
      load: async () => (await import('./blocks/blocks.ts')).blocks,
    },
    programs: {
      about: 'small repositories with tests: repair, optimise, break and repair',
      load: async () => (await import('./programs/programs.ts')).programs,
    },
    reproduction: {
      about: 'reproduce the results of a study with a shell; checked by the interval in which one more run would lie',
      load: async () => (await import('./reproduction/reproduction.ts')).reproduction,
    },
    relay: { about: 'a remote environment, played by an agent on its world seat', load: async () => (await import('./relay.ts')).relay },
  },
  /** Small environments that each test one mechanism of a learner against its control. */
  laboratory: {
    forge: {
      about: 'an order made piece by piece; long orders can be made at few sites only',
      load: async () => (await import('./forge.ts')).forge,
    },
    trail: {
      about: 'questions over many linked pages, yours or a made handbook',
      load: async () => (await import('./trail/trail.ts')).trail,
    },
    exam: {
      about: 'one question, one answer, and a program that proves it',
      load: async () => (await import('./exam.ts')).exam,
    },
    comb: {
      about: 'certain steps with a few real choices, whose places are known',
      load: async () => (await import('./laboratory/comb.ts')).comb,
    },
    stairs: {
      about: 'doors up, traps, and an exit that pays a little at once',
      load: async () => (await import('./laboratory/stairs.ts')).stairs,
    },
    ladder: {
      about: 'a pool of tasks that their text identifies: easy, hard, and impossible',
      load: async () => (await import('./laboratory/ladder.ts')).ladder,
    },
    sums: { about: 'two numbers added in writing, digit by digit', load: async () => (await import('./laboratory/sums.ts')).sums },
    products: {
      about: 'numbers to read, and products that need a calculator',
      load: async () => (await import('./laboratory/products.ts')).products,
    },
    matrix: {
      about: 'a matrix game with a transitive and a cyclic part, solved by construction',
      load: async () => (await import('./laboratory/matrix.ts')).matrix,
    },
    gauge: {
      about: 'a sum, with a tool that fails at random, with or without an error',
      load: async () => (await import('./laboratory/gauge.ts')).gauge,
    },
    courier: {
      about: 'facts among chatter, a window of one message, and a memo',
      load: async () => (await import('./laboratory/courier.ts')).courier,
    },
    toolshed: {
      about: 'up to 120 tools with stated and true costs, and jobs that come again',
      load: async () => (await import('./laboratory/toolshed.ts')).toolshed,
    },
    partner: {
      about: 'meet a partner whose hidden type decides where it goes',
      load: async () => (await import('./laboratory/partner.ts')).partner,
    },
  },
};

/** Returns the group of an environment: one of this package's, or the one that another package specifies in its entry. */
export function environmentGroup(name: string): string {
  for (const [group, entries] of Object.entries(groups)) if (Object.hasOwn(entries, name)) return group;
  return findEntry(plainEntries(), name)?.group ?? '';
}

const loaded = new Map<string, AnyEnvironment>();

/** Returns the entries of this package and of packages that add environments, without the switches that every environment has. */
function plainEntries(): Readonly<Record<string, KindEntry<AnyEnvironment>>> {
  return withAddedEntries(
    'environments',
    Object.assign({}, ...Object.values(groups)) as Readonly<Record<string, KindEntry<AnyEnvironment>>>,
  );
}

/** Returns the names of all built-in environments. */
export function environmentNames(): readonly string[] {
  return Object.keys(plainEntries());
}

/** Returns the entries of all built-in environments, each with its summary. */
export function environmentEntries(): Readonly<Record<string, KindEntry<AnyEnvironment>>> {
  return Object.fromEntries(
    Object.entries(plainEntries()).map(([name, { about }]) => [name, { about, load: () => builtInEnvironment(name) }]),
  );
}

/** Environments that were merged into another one. */
const replaced: Readonly<Record<string, { readonly by: string; readonly how: string }>> = {
  'group-chat': {
    by: 'social-scene',
    how: 'pass a script with "person" and "characters", as "ludus chat A B" does. Stored episodes can still be read, scored, and exported, but not replayed or resumed.',
  },
};

/** Returns whether an environment of this name was merged into another one. */
export function isReplacedEnvironment(name: string): boolean {
  return Object.hasOwn(replaced, name);
}

/** Returns whether a built-in environment, named with or without its version, never gives rewards. */
export async function isUnpaid(name: string): Promise<boolean> {
  const entry = findEntry(plainEntries(), name.split('@', 1)[0]!);
  return entry !== null && (await entry.load()).about.unpaid === true;
}

/** Loads a built-in environment by name, with or without its version. */
export async function builtInEnvironment(name: string): Promise<AnyEnvironment> {
  const [plain, version] = name.split('@', 2) as [string, string | undefined];
  const entry = findEntry(plainEntries(), plain);
  const replacement = replaced[plain];
  if (entry === null && replacement !== undefined)
    throw new Fault('input', `"${plain}" is now part of "${replacement.by}": ${replacement.how}`);
  if (entry === null)
    throw new Fault('input', `Unknown environment "${name}". Built-in environments: ${environmentNames().join(', ')}.`, {
      code: 'E_UNKNOWN_NAME',
    });
  const environment = loaded.get(plain) ?? dress(await entry.load());
  loaded.set(plain, environment);
  if (version !== undefined && environment.id !== name)
    throw new Fault(
      'input',
      `This version of Ludus has ${environment.id}, not ${name}. Install the version that has these rules of "${plain}".`,
    );
  return environment;
}
