/**
 * @file The conformance kit: what every world must keep, each rule one line of a table and one small function.
 *
 * Rules stand in stages, and each stage takes the ones before for granted: a log that cannot be repeated says nothing about its payoffs.
 * All play goes through the same `Course`, `play` and `rollout` that users get.
 */

import {
  type Action,
  type AnyEnvironment,
  type Ask,
  type EpisodeEvent,
  equal,
  Fault,
  type Json,
  type JsonObject,
  type Knob,
  policyOf,
  type Rng,
  rng,
  type Seat,
  type Seed,
  type StartEvent,
  type Step,
  sentenceOf,
} from '../core/index.ts';
import { Course } from './course.ts';
import { rollout } from './rollout.ts';
import { altered, episode, type Manner, player, playthrough, type Sample, samples } from './sample.ts';

export { playthrough } from './sample.ts';
export { transcript } from './transcript.ts';

/** A rule that a world breaks, and where it was seen. */
export interface Problem {
  readonly rule: string;
  readonly message: string;
  readonly task?: Json;
  readonly seed?: Seed;
}

export interface CheckOptions {
  /** Episodes of random play over all tasks; 200 unless told. */
  readonly episodes?: number;
  /** Steps of random play after which no further episode is begun; 8,000 unless told. Each rule repeats about as many. */
  readonly steps?: number;
  /** The text of the world's golden playthrough, to be matched. */
  readonly golden?: string;
}

/** What the rules of the kit look at. */
interface Bench {
  readonly environment: AnyEnvironment;
  readonly options: CheckOptions;
  readonly samples: readonly Sample[];
  readonly steps: number;
}

type Found = Omit<Problem, 'rule'>;

export interface Rule {
  readonly id: string;
  readonly says: string;
  find(bench: Bench): Iterable<Found> | AsyncIterable<Found>;
}

/** The most problems told under one rule. */
const enough = 3;

const stages: readonly (readonly Rule[])[] = [
  [
    { id: 'K1', says: 'The id is a name and a version, like kuhn-poker@1.', find: identity },
    { id: 'K2', says: 'Every task in `about` is read, reading it twice changes nothing, and its seats are named once each.', find: facts },
    { id: 'K3', says: '`task` refuses what is not a task, knobs it does not know and values out of range, with a fault.', find: refusals },
  ],
  [
    { id: 'K4', says: 'States, messages and asks are plain JSON.', find: faults(/^Expected plain JSON at step(?!\.(rewards|penalties))/) },
    { id: 'K5', says: 'A step changes nothing it was given.', find: faults(/read only property|not extensible|Cannot delete property/) },
    { id: 'K6', says: 'Only known seats are spoken of, and each is asked once a turn.', find: faults(/speak of a seat|in one turn/) },
    { id: 'K7', says: 'Rewards and penalties are finite.', find: faults(/at step\.(rewards|penalties)|must be a finite number/) },
    { id: 'K8', says: 'Where choices are listed, there is at least one and none stands twice.', find: choices },
    {
      id: 'K9',
      says: 'No answer makes the rules throw.',
      find: faults(/^/, /plain JSON|read only|extensible|Cannot delete|a seat|in one turn|finite/),
    },
    { id: 'K10', says: 'Every episode is over within `about.turns` turns.', find: endings },
  ],
  [
    { id: 'K11', says: 'The same task, seed and agents give the same log.', find: repeats },
    { id: 'K12', says: 'Episodes in lock-step do not disturb each other.', find: interleaves },
    { id: 'K13', says: 'A state that went through JSON text plays on the same.', find: clones },
    { id: 'K14', says: 'Looking changes nothing: turns, dice and knowledge can be asked for twice.', find: observations },
  ],
  [
    { id: 'K15', says: 'The rewards of an episode add up to `about.sum`.', find: sums },
    { id: 'K16', says: 'Every listed choice is accepted.', find: listedChoices },
    { id: 'K17', says: 'Where the list is complete, no other move is accepted.', find: unlistedChoices },
    { id: 'K18', says: 'A refused answer changes nothing, and none is replaced by a move.', find: substitutions },
    { id: 'K19', says: 'A seat is shown only what follows from what it knows, did and was paid.', find: leaks },
    { id: 'K20', says: 'Scripts play their seats without a fault and without breaking form.', find: scripts },
    { id: 'K21', says: 'The golden playthrough is as it was.', find: golden },
  ],
];

/** The rules of the kit, in order. */
export const rules: readonly Rule[] = stages.flat();

/** The problems of a world, empty when it keeps every rule; later stages are looked at once earlier ones are clean. */
export async function check(environment: AnyEnvironment, options: CheckOptions = {}): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const steps = options.steps ?? 8000;
  let bench: Bench = { environment, options, samples: [], steps };
  for (const [i, stage] of stages.entries()) {
    if (i === 1) bench = { ...bench, samples: await samples(environment, options.episodes ?? 200, steps) };
    for (const { id, find } of stage) {
      let told = 0;
      for await (const found of find(bench)) {
        problems.push({ rule: id, ...found });
        if (++told === enough) break;
      }
    }
    if (problems.length > 0) break;
  }
  return problems;
}

// ── at the door ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function* identity({ environment }: Bench): Iterable<Found> {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*@[1-9][0-9]*$/.test(environment.id))
    yield { message: `The id should look like "name@1" in lower case, but is "${environment.id}".` };
}

function* facts({ environment }: Bench): Iterable<Found> {
  const { summary, tasks, turns } = environment.about;
  if (summary.trim() === '') yield { message: 'about.summary is empty; say what the world is.' };
  if (tasks.length === 0) yield { message: 'about.tasks is empty; give at least one task, such as {}.' };
  if (!Number.isSafeInteger(turns) || turns < 1) yield { message: `about.turns should be a whole number of 1 or more, but is ${turns}.` };
  for (const task of tasks) {
    try {
      const read: Json = environment.task(task);
      if (!equal(environment.task(read), read)) yield { message: 'Reading the task that was read gives another task.', task };
      const seats = environment.seats(read);
      if (seats.length === 0 || new Set(seats).size < seats.length || seats.some((seat) => seat === ''))
        yield { message: `The seats should have names, each its own, but are ${JSON.stringify(seats)}.`, task };
    } catch (thrown) {
      yield { message: `A task of about.tasks is refused: ${sentenceOf(thrown)}`, task };
    }
  }
}

function* refusals({ environment }: Bench): Iterable<Found> {
  const knobs = Object.entries(environment.knobs);
  for (const [name, knob] of knobs) {
    const problem = refusal(environment, { [name]: knob.otherwise });
    if (problem !== 'none') yield { message: `The default of "${name}" is not accepted: ${problem ?? 'it throws what is no fault'}.` };
  }
  const nonsense: readonly Json[] = ['nonsense', 7, true, [], ['x'], { 'no such knob': 1 }];
  for (const input of [...nonsense, ...knobs.flatMap(([name, knob]) => wrongValues(knob).map((value) => ({ [name]: value })))]) {
    const problem = refusal(environment, input);
    if (problem === 'none') yield { message: `task accepts ${JSON.stringify(input)}; it should refuse it in a sentence.` };
    if (problem === null) yield { message: `task throws what is no fault on ${JSON.stringify(input)}; throw new Fault('input', …).` };
  }
}

/** The sentence in which an input is refused, 'none' where it is accepted, null where something else than a fault is thrown. */
function refusal(environment: AnyEnvironment, input: Json): string | null {
  try {
    environment.task(input);
    return 'none';
  } catch (thrown) {
    return thrown instanceof Fault ? thrown.message : null;
  }
}

function wrongValues(knob: Knob): readonly Json[] {
  if (knob.kind === 'whole') return [knob.from - 1, knob.to + 1, knob.from + 0.5, 'text', {}];
  if (knob.kind === 'number') return [knob.from - 1, knob.to + 1, 'text'];
  if (knob.kind === 'yesno') return ['yes', 1];
  if (knob.kind === 'one') return ['no such name', 0];
  return knob.kind === 'text' ? [5, []] : [];
}

// ── read off the logs ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Samples that the rules ended with a fault whose sentence is like this one, and unlike that one. */
function faults(like: RegExp, unlike = /$^/): Rule['find'] {
  return function* (bench) {
    for (const { task, seed, end } of bench.samples)
      if (end.fault !== undefined && like.test(end.fault.message) && !unlike.test(end.fault.message)) {
        const who = end.fault.seat === undefined ? '' : ` (the stand-in of seat "${end.fault.seat}")`;
        yield { message: `${end.fault.message}${who}`, task, seed };
      }
  };
}

function* choices(bench: Bench): Iterable<Found> {
  for (const { task, seed, steps } of bench.samples)
    for (const { seat, choices: listed } of steps.flatMap((step) => step.asks ?? [])) {
      if (listed?.length === 0)
        yield { message: `Seat "${seat}" is asked to choose from nothing; leave choices out or list some.`, task, seed };
      if (listed && new Set(listed).size < listed.length)
        yield { message: `Seat "${seat}" is asked to choose from ${listed.join(' ')}, where one stands twice.`, task, seed };
    }
}

function* endings({ environment, samples }: Bench): Iterable<Found> {
  for (const { task, seed, end, manner } of samples)
    if (end.reason === 'limit') {
      const how = manner === 'chance' ? 'listed choices' : 'choices and nonsense';
      yield { message: `Playing ${how}, the episode is not over after about.turns = ${environment.about.turns} turns.`, task, seed };
    }
}

// ── the same again ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Where a log first differs from the one it should equal, in a sentence; null where it does not. */
function difference(found: readonly EpisodeEvent[], wanted: readonly EpisodeEvent[]): string | null {
  const length = Math.max(found.length, wanted.length);
  for (let i = 0; i < length; i++) {
    const [was, is] = [wanted[i], found[i]].map((event) => JSON.stringify(event) ?? 'missing') as [string, string];
    if (was !== is) return `event ${i} was ${was.slice(0, 200)}, but is ${is.slice(0, 200)}`;
  }
  return null;
}

/** Backwards, so that whatever an episode leaves behind meets another one than before. */
async function* repeats({ environment, samples }: Bench): AsyncIterable<Found> {
  for (const one of samples.toReversed()) {
    const problem = difference(await episode(environment, one), one.events);
    if (problem !== null) yield { message: `Played a second time, ${problem}. All dice must come from the rng given.`, ...where(one) };
  }
}

async function* interleaves({ environment, samples }: Bench): AsyncIterable<Found> {
  for (const task of environment.about.tasks)
    for (const manner of ['chance', 'careless'] as const satisfies readonly Manner[]) {
      const alone = samples.filter((one) => one.task === task && one.manner === manner);
      const policy = policyOf(manner, player(environment, manner));
      const policies = Object.fromEntries(environment.seats(environment.task(task)).map((seat: Seat) => [seat, policy]));
      const logs = await rollout(environment, policies, { task, seeds: alone.map((one) => one.seed), freeze: true });
      for (const [i, one] of alone.entries()) {
        const problem = difference(logs[i] as readonly EpisodeEvent[], one.events);
        if (problem !== null)
          yield { message: `With other episodes in between, ${problem}. Keep nothing outside the state.`, ...where(one) };
      }
    }
}

async function* clones({ environment, samples }: Bench): AsyncIterable<Found> {
  const reread = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
  const copied = altered(environment, {
    start: (task, dice) => environment.start(reread(task), dice),
    step: (state, actions, dice) => environment.step(reread(state), reread(actions), dice),
  });
  for (const one of samples) {
    const problem = difference(await episode(copied, one), one.events);
    if (problem !== null) yield { message: `With every state read back from its JSON text, ${problem}.`, ...where(one) };
  }
}

function* observations({ environment, samples }: Bench): Iterable<Found> {
  for (const one of samples) {
    const course = new Course(environment, one.events[0] as StartEvent, { freeze: true });
    const script = player(environment, one.manner);
    while (!course.over) {
      const ask = course.waiting[0] as Ask;
      const [first, second] = [look(environment, course, ask), look(environment, course, ask)];
      if (first !== second) yield { message: `Looked at twice, turn ${course.turns} is ${first}, then ${second}.`, ...where(one) };
      const answer = script(course.turn(ask));
      course.answer(ask.seat, 'action' in answer ? answer : { action: answer });
    }
    const problem = difference(course.events, one.events);
    if (problem !== null) yield { message: `Looked at while it is played, ${problem}.`, ...where(one) };
  }
}

function look(environment: AnyEnvironment, course: Course, ask: Ask): string {
  const { rng: dice, ...turn } = course.turn(ask);
  const { seats, task } = course.events[0] as StartEvent;
  const known = seats.map((seat) => environment.knows?.(course.state, seat) ?? null);
  return JSON.stringify([turn, dice.next(), known, environment.seats(task), environment.task(task)]);
}

function where({ task, seed }: Sample): Pick<Problem, 'task' | 'seed'> {
  return { task, seed };
}

// ── the game ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function* sums({ environment, samples }: Bench): Iterable<Found> {
  const declared = environment.about.sum;
  if (declared === undefined) return;
  for (const one of samples) {
    const sum = Object.values(one.end.returns).reduce((total, amount) => total + amount, 0);
    if (Math.abs(sum - declared) > 1e-9 * Math.max(1, Math.abs(declared)))
      yield { message: `about.sum is ${declared}, but the rewards of this episode add up to ${sum}.`, ...where(one) };
  }
}

/** An ask in mid-game, put to a probe: what the rules do with one answer, everything else being equal. */
interface Moment {
  readonly sample: Sample;
  readonly step: Step;
  readonly ask: Ask;
  readonly dice: Rng;
  put(text: string): Outcome;
}

interface Outcome {
  readonly events: readonly EpisodeEvent[];
  readonly state: Json;
  readonly asks: readonly Ask[];
  readonly refused: boolean;
  readonly forfeited: boolean;
}

/** Moments of decent play at which choices are listed, spread over samples, until the probes put have used up the steps. */
function* moments({ environment, samples, steps }: Bench): Iterable<Moment> {
  let probes = 0;
  const decent = samples.filter((one) => one.manner === 'chance');
  for (let round = 0; probes < steps && round < 8; round++)
    for (const one of decent) {
      if (probes >= steps) return;
      const dice = rng(one.seed, 'check', round);
      const open = one.steps.filter((step) => step.asks.some((ask) => ask.choices !== undefined));
      if (open.length === 0) continue;
      const step = dice.pick(open);
      const ask = dice.pick(step.asks.filter((asked) => asked.choices !== undefined));
      const put = (text: string): Outcome => {
        probes++;
        return outcome(environment, { sample: one, step, ask }, text);
      };
      yield { sample: one, step, ask, dice, put };
    }
}

/** Sets a course on a step of a sample, answers with a text at one seat and decently at the others, and looks one step ahead. */
function outcome(environment: AnyEnvironment, { sample, step, ask }: Pick<Moment, 'sample' | 'step' | 'ask'>, text: string): Outcome {
  const course = new Course(altered(environment, { start: () => step }), sample.events[0] as StartEvent, { freeze: true });
  const decent = player(environment, 'chance');
  for (const asked of step.asks) {
    const answer = asked === ask ? { text } : decent(course.turn(asked));
    course.answer(asked.seat, 'action' in answer ? answer : { action: answer });
  }
  const last = course.events.findLastIndex((event) => event.kind === 'action');
  const events = course.events.slice(last + 1);
  const penalised = events.some((event) => event.kind === 'reward' && (event.penalties?.[ask.seat] ?? 0) !== 0);
  const forfeited = events.some((event) => event.kind === 'message' && /forfeit/i.test(event.text));
  return { events, state: course.state, asks: course.waiting, refused: penalised || forfeited, forfeited };
}

function* listedChoices(bench: Bench): Iterable<Found> {
  for (const { sample, ask, dice, put } of moments(bench))
    for (const choice of dice.shuffle(ask.choices as readonly string[]).slice(0, 12))
      if (put(choice).refused) yield { message: `Seat "${ask.seat}" may choose ${choice}, but it is refused.`, ...where(sample) };
}

/** Moves of other moments, and moves bent a little, that are not in the list. */
function* unlistedChoices(bench: Bench): Iterable<Found> {
  if (bench.environment.about.complete !== true) return;
  const seen = new Set(bench.samples.flatMap((one) => one.steps.flatMap((step) => step.asks.flatMap((ask) => ask.choices ?? []))));
  for (const { sample, ask, dice, put } of moments(bench)) {
    const listed = ask.choices as readonly string[];
    const legal = new Set(listed.map((choice) => choice.toLowerCase()));
    const bent = [dice.pick(listed).replace(/(?=\]?$)/, '~'), '[99999]', '[-1]', '[0.5]', '[]', '[no such move]'];
    for (const text of [...dice.shuffle([...seen]).slice(0, 8), ...bent])
      if (!legal.has(text.toLowerCase()) && !put(text).refused)
        yield { message: `Seat "${ask.seat}" may not choose ${text} (only ${listed.join(' ')}), but it is accepted.`, ...where(sample) };
  }
}

function* substitutions(bench: Bench): Iterable<Found> {
  const { environment } = bench;
  if (environment.about.complete !== true) return;
  for (const { sample, step, ask, dice, put } of moments(bench)) {
    const [move, other] = [dice.pick(ask.choices as readonly string[]), dice.pick(ask.choices as readonly string[])];
    const plain = put(move);
    for (const text of [move.toUpperCase(), `I take ${move}.`]) {
      const result = put(text);
      if (!result.refused && difference(result.events, plain.events) !== null)
        yield { message: `"${text}" is taken for another move than ${move}.`, ...where(sample) };
    }
    const bare = move.replaceAll(/[[\]]/g, '');
    for (const text of ['', ' ', 'hello', `${move} ${other}`, `${move}${move}`, `[${move}]`, `[${bare}`, bare === move ? '' : bare]) {
      const result = put(text);
      if (!result.refused) yield { message: `"${text}" is no move, but seat "${ask.seat}" is taken to have made one.`, ...where(sample) };
      else if (!result.forfeited && !unchanged(environment, step, ask, result))
        yield {
          message: `"${text}" is refused, but the game went on: seat "${ask.seat}" should be asked the same again.`,
          ...where(sample),
        };
    }
  }
}

/** The same seat is asked the same again, in the same state but for the count of its misses; answers of other seats may be held. */
function unchanged(environment: AnyEnvironment, step: Step, ask: Ask, result: Outcome): boolean {
  const asked = result.asks.find((one) => one.seat === ask.seat);
  if (asked === undefined || !equal(asked.choices, ask.choices)) return false;
  if (result.events.some((event) => event.kind === 'reward' && Object.values(event.rewards).some((amount) => amount !== 0))) return false;
  if (equal(withoutMisses(step.state), withoutMisses(result.state))) return true;
  const knows = environment.knows;
  return step.asks.length > 1 && knows !== undefined && equal(knows(step.state, ask.seat), knows(result.state, ask.seat));
}

function withoutMisses(state: Json): Json {
  if (state === null || typeof state !== 'object' || Array.isArray(state)) return state;
  const { misses: _, ...rest } = state as JsonObject;
  return rest;
}

/**
 * Two steps that agree on what a seat knew before, did, was paid and knows after must show it the same messages and ask it the same.
 * Deals are cheap and hide the most, so more of them are made than there are samples.
 */
function* leaks({ environment, samples, steps }: Bench): Iterable<Found> {
  const { tasks } = environment.about;
  if (environment.knows === undefined) {
    const crowded = tasks.find((task) => environment.seats(environment.task(task)).length > 1);
    if (crowded !== undefined) yield { message: 'There are several seats, but no `knows` to say what each may know.', task: crowded };
    return;
  }
  const shown = new Map<string, string>();
  const deals = Array.from({ length: Math.ceil(Math.min(1500, steps / 2) / tasks.length) }, (_, i) => 1_000_000 + i);
  for (const [t, task] of tasks.entries()) {
    const read: Json = environment.task(task);
    const seats = environment.seats(read);
    const dealt = deals.map((seed) => ({ task, seed, steps: [environment.start(read, rng(seed, 'start'))], actions: [] }));
    for (const one of [...samples.filter((sampled) => sampled.task === task), ...dealt])
      for (const seat of seats)
        for (const [key, visible] of showings(environment, one, seat)) {
          const before = shown.get(`${t} ${key}`);
          if (before === undefined) shown.set(`${t} ${key}`, visible);
          else if (before !== visible)
            yield { message: `Seat "${seat}" knows the same, but is shown ${visible} here and ${before} elsewhere.`, task, seed: one.seed };
        }
  }
}

/** For each step: all that may decide what a seat is shown, and what it is shown. */
function* showings(
  environment: AnyEnvironment,
  { steps, actions }: Pick<Sample, 'steps' | 'actions'>,
  seat: Seat,
): Iterable<readonly [string, string]> {
  let before: Json = null;
  let misses = 0;
  for (const [i, { state, messages, asks, rewards, penalties }] of steps.entries()) {
    const after: Json = environment.knows?.(state, seat) ?? null;
    const did: Action | null = actions[i - 1]?.[seat] ?? null;
    const reward = rewards?.[seat] ?? null;
    const penalty = penalties?.[seat] ?? null;
    const heard = messages.filter((message) => message.to.includes(seat)).map(({ text, from, data }) => ({ text, from, data }));
    const asked = asks.find((ask) => ask.seat === seat) ?? null;
    yield [JSON.stringify([seat, i === 0, before, did, misses, reward, penalty, after]), JSON.stringify([heard, asked])];
    before = after;
    if (did !== null) misses = penalty ? misses + 1 : 0;
  }
}

async function* scripts({ environment, steps }: Bench): AsyncIterable<Found> {
  let spent = 0;
  for (const seed of [1, 2, 3])
    for (const task of environment.about.tasks)
      for (const [name, script] of Object.entries(environment.scripts ?? {})) {
        const seats: readonly Seat[] = environment.seats(environment.task(task));
        const own = seats.includes(name);
        for (const seat of own ? [name] : seats) {
          if (spent > steps) return;
          const events = await episode(environment, { task, seed, manner: 'chance' }, { [seat]: script });
          spent += events.length;
          const problem = conduct(events, seat, own);
          if (problem !== null) yield { message: `Script "${name}" on seat "${seat}" ${problem}`, task, seed };
        }
      }
}

/** What a script did wrong, or null. One that is named after no seat may decline a seat that is not its own by throwing an input fault. */
function conduct(events: readonly EpisodeEvent[], seat: Seat, own: boolean): string | null {
  const end = events.at(-1);
  if (end?.kind !== 'end') return 'has no end.';
  if (end.reason === 'error') return !own && end.fault?.boundary === 'input' ? null : `ends in a fault: ${end.fault?.message}`;
  if (end.reason === 'limit') return 'does not come to an end.';
  const answers = events.flatMap((event) => (event.kind === 'action' && event.seat === seat ? [event.action.text] : []));
  return end.penalties[seat] === 0 ? null : `breaks form with one of: ${answers.join(' | ').slice(0, 300)}`;
}

async function* golden({ environment, options }: Bench): AsyncIterable<Found> {
  if (options.golden === undefined) return;
  const [wanted, found] = [options.golden.split('\n'), (await playthrough(environment)).split('\n')];
  const line = Array.from({ length: Math.max(wanted.length, found.length) }, (_, i) => i).find((i) => wanted[i] !== found[i]);
  if (line !== undefined) yield { message: `Line ${line + 1} should be "${wanted[line] ?? ''}", but is "${found[line] ?? ''}".` };
}
