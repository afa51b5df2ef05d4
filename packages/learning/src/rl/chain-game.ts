/**
 * @file A game of several tasks of another environment, one after another, with a library of skills (SAGE, arXiv 2512.17102). After a
 * rewarded task, the first seat may keep its moves as a skill: for each situation, the move that it made there. In later tasks it may use a
 * skill, which plays its moves as long as it recognizes the situation. The library is empty when a chain begins.
 */

import type {
  AnyEnvironment,
  Ask,
  Environment,
  EpisodeEvent,
  Json,
  JsonObject,
  Message,
  Rng,
  Script,
  Seat,
  Step,
} from '@ludus-agents/kernel/internal/core/index';
import { Fault, isObject, nameOf, parameter, readTask } from '@ludus-agents/kernel/internal/core/index';
import type { EpisodeJudge } from './judging.ts';

const keep = '[keep]';
const drop = '[drop]';

/** The number of tasks in the longest allowed chain. */
const mostTasks = 64;

const parameters = {
  chain: parameter.integer({ min: 1, max: mostTasks, default: 4, description: 'tasks of a chain' }),
  skills: parameter.integer({
    min: 0,
    max: 8,
    default: 1,
    description: 'skills that the library holds; a new one takes the place of the oldest',
  }),
} as const;

/** The text read since the previous move, and the move. */
type SkillStep = { readonly when: string; readonly move: string };
type Skill = { readonly name: string; readonly steps: readonly SkillStep[] };
/** `family`: tasks of the base environment, one of which each chain uses; the base's own rules vary it within a chain. */
type Task = { readonly chain: number; readonly skills: number; readonly family: readonly Json[] };

type State = {
  readonly task: Task;
  readonly inner: Json;
  readonly own: Seat;
  readonly base: Json;
  /** Pending asks of the base environment; null while the first seat is asked whether to keep a skill. */
  readonly asks: readonly Json[] | null;
  /** The number of completed tasks. */
  readonly over: number;
  readonly library: readonly Skill[];
  /** The number of skills kept so far, used to name them. */
  readonly kept: number;
  readonly trail: readonly SkillStep[];
  /** Text that the first seat has read since its last move. */
  readonly read: string;
  /** The skill in progress and its current step. */
  readonly running: { readonly name: string; readonly at: number } | null;
  /** Whether a skill was used in this task, and the first seat's reward in it. */
  readonly used: boolean;
  readonly paid: number;
};

/** The output of a step, accumulated over the moves of a skill. */
type Gathered = { readonly messages: Message[]; readonly rewards: Record<Seat, number>; readonly penalties: Record<Seat, number> };

export function createChainGame(base: AnyEnvironment): Environment<State, Task> {
  const useOf = ({ name }: Skill) => `[use ${name}]`;

  /** Continues from a step of the base environment: runs a skill, starts the next task, or asks. */
  const goOn = (before: State, first: Step<Json>, dice: Rng, out: Gathered): Step<State> => {
    let [state, step] = [before, first];
    for (let moves = 0; ; moves++) {
      const { own, task, library } = state;
      gather(out, step, task.chain);
      const observation = step.messages.flatMap(({ to, text }) => (to.includes(own) ? [text] : [])).join('\n');
      state = {
        ...state,
        base: step.state,
        read: observation === '' ? state.read : observation,
        paid: state.paid + (step.rewards?.[own] ?? 0),
      };
      if (step.asks.length === 0) {
        const isGood = state.paid > 0;
        if (isGood && state.used) out.messages.push(note(own, 'The skill was of use.', 'reused'));
        if (isGood && !state.used && task.skills > 0 && state.over < task.chain - 1) {
          out.messages.push(note(own, `Task ${state.over + 1} is solved. ${keep} what you did as a skill, or ${drop} it?`));
          return finish(out, { ...state, asks: null }, [{ seat: own, choices: [keep, drop] }]);
        }
        const next = beginNext(state, dice, out);
        if (next === null) return finish(out, { ...state, asks: [], over: task.chain }, []);
        [state, step] = next;
        continue;
      }
      const [ask] = step.asks as readonly [Ask];
      const isAlone = step.asks.length === 1 && ask.seat === own;
      const move = isAlone && moves < base.about.turns ? skillMove(state, ask) : null;
      const { running, ...rest } = state;
      if (move === null || running === null) {
        if (isAlone && running !== null) out.messages.push(note(own, `${running.name} does not know what to do here.`));
        const offers = isAlone && !state.used ? library.map(useOf) : [];
        if (offers.length > 0) addLine(out.messages, own, `Skills: ${offers.join(', ')}.`);
        const asks = step.asks.map((item) => (item === ask && offers.length > 0 ? withChoices(ask, offers) : item));
        return finish(out, { ...rest, running: isAlone ? null : running, asks: step.asks as readonly Json[] }, asks);
      }
      out.messages.push(note(own, `${running.name}: ${move.text}`));
      const trail = [...state.trail, { when: state.read, move: move.text }];
      state = { ...state, trail, running: { ...running, at: move.at + 1 } };
      step = base.step(state.base, { [own]: { text: move.text } }, dice);
    }
  };

  /** The next task of the chain, or null after the last. */
  const beginNext = (state: State, dice: Rng, out: Gathered): readonly [State, Step<Json>] | null => {
    const over = state.over + 1;
    if (over >= state.task.chain) return null;
    out.messages.push({ to: base.seats(state.inner), text: `Task ${over + 1} of ${state.task.chain}.` });
    return [{ ...state, over, trail: [], read: '', running: null, used: false, paid: 0 }, base.start(state.inner, dice)];
  };

  return {
    id: `chain:${base.id}`,
    about: {
      summary: `A chain of tasks of ${nameOf(base)}: what solved one may be kept as a skill, and used in the next.`,
      tasks: base.about.tasks,
      turns: mostTasks * (base.about.turns + 1),
    },
    parameters: { ...base.parameters, ...parameters },
    task(input) {
      if (!isObject(input)) readTask('chain', parameters, input);
      const { chain, skills, family, ...rest } = input as JsonObject;
      const chainSettings = readTask('chain', parameters, {
        ...(chain !== undefined && { chain }),
        ...(skills !== undefined && { skills }),
      });
      if (family !== undefined && (!Array.isArray(family) || family.length === 0))
        throw new Fault('input', `family: expected a list of tasks of ${nameOf(base)}, got ${JSON.stringify(family)}.`);
      const tasks = (family as readonly Json[] | undefined) ?? [rest];
      return { ...chainSettings, family: tasks.map((task) => base.task(isObject(task) ? { ...rest, ...task } : task) as Json) };
    },
    seats: ({ family }) => base.seats(family[0]),
    start(task, dice) {
      const inner = dice.pick(task.family);
      const [ownSeat] = base.seats(inner) as readonly [Seat];
      const out: Gathered = { messages: [{ to: base.seats(inner), text: `Task 1 of ${task.chain}.` }], rewards: {}, penalties: {} };
      const state = { task, inner, own: ownSeat, base: null, asks: [], over: 0, library: [], kept: 0, trail: [], read: '', running: null };
      return goOn({ ...state, used: false, paid: 0 }, base.start(inner, dice), dice, out);
    },
    step(state, actions, dice) {
      const { own, task, library, kept, trail } = state;
      const out: Gathered = { messages: [], rewards: {}, penalties: {} };
      const text = actions[own]?.text.trim() ?? '';
      if (state.asks === null) {
        const name = `skill-${(kept % task.skills) + 1}`;
        const isKept = text === keep;
        if (isKept) out.messages.push(note(own, `Kept as ${name}.`, 'kept'));
        const rest = library.filter((skill) => skill.name !== name);
        const changed = isKept ? { ...state, kept: kept + 1, library: [...rest, { name, steps: trail }] } : state;
        const [next, step] = beginNext(changed, dice, out)!;
        return goOn(next, step, dice, out);
      }
      const skill = state.used ? undefined : library.find((item) => useOf(item) === text);
      if (skill !== undefined) {
        const begun: State = { ...state, used: true, running: { name: skill.name, at: 0 } };
        const step: Step<Json> = { state: state.base, messages: [], asks: state.asks as readonly Ask[] };
        return goOn(begun, step, dice, out);
      }
      const isMove = Object.hasOwn(actions, own);
      const request = (state.asks as readonly Ask[]).find(({ seat }) => seat === own);
      const isLegal = isMove && (request?.choices === undefined || request.choices.includes(text));
      const next = isLegal ? { ...state, trail: [...trail, { when: state.read, move: text }] } : state;
      return goOn(next, base.step(state.base, actions, dice), dice, out);
    },
    scripts: { ...base.scripts, keeping },
  };
}

/** The next move of the skill in progress: from its next step, or from any step that matches the situation. */
function skillMove({ running, library, read }: State, { choices }: Ask): { readonly text: string; readonly at: number } | null {
  const steps = library.find(({ name }) => name === running?.name)?.steps;
  if (running === null || steps === undefined) return null;
  const next = steps[running.at];
  const at = next?.when === read ? running.at : steps.findIndex(({ when }) => when === read);
  const move = steps[at]?.move;
  return move === undefined || (choices !== undefined && !choices.includes(move)) ? null : { text: move, at };
}

function withChoices(ask: Ask, offers: readonly string[]): Ask {
  return ask.choices === undefined ? ask : { ...ask, choices: [...ask.choices, ...offers] };
}

function note(seat: Seat, text: string, chain?: 'kept' | 'reused'): Message {
  return { to: [seat], text, ...(chain !== undefined && { data: { chain } }) };
}

/** Appends a line for one seat to the last message that it reads. */
function addLine(messages: Message[], ownSeat: Seat, line: string): void {
  const at = messages.findLastIndex(({ to }) => to.includes(ownSeat));
  const last = messages[at];
  if (last === undefined) return void messages.push(note(ownSeat, line));
  const others = last.to.filter((seat) => seat !== ownSeat);
  messages.splice(at, 1, ...(others.length > 0 ? [{ ...last, to: others }] : []), {
    ...last,
    to: [ownSeat],
    text: `${last.text}\n${line}`,
  });
}

/** Adds the messages and rewards of a base step; every task of a chain has equal weight. */
function gather({ messages, rewards, penalties }: Gathered, step: Step<Json>, chain: number): void {
  messages.push(...step.messages);
  for (const [seat, value] of Object.entries(step.rewards ?? {})) rewards[seat] = (rewards[seat] ?? 0) + value / chain;
  for (const [seat, value] of Object.entries(step.penalties ?? {})) penalties[seat] = (penalties[seat] ?? 0) + value;
}

function finish({ messages, rewards, penalties }: Gathered, state: State, asks: readonly Ask[]): Step<State> {
  const [pays, fines] = [Object.keys(rewards).length > 0, Object.keys(penalties).length > 0];
  return { state, messages, asks, ...(pays && { rewards }), ...(fines && { penalties }) };
}

/** Plays tasks without knowledge, keeps every rewarded skill and uses it: measures the value of the library alone. */
const keeping: Script = ({ ask, rng }) => {
  const choices = ask.choices ?? [];
  return { text: choices.find((choice) => choice === keep || choice.startsWith('[use ')) ?? (choices.length > 0 ? rng.pick(choices) : '') };
};

/** The number of skills kept, and the number of rewarded tasks in which one was used. */
export function skillCounts(log: readonly EpisodeEvent[]): { readonly kept: number; readonly reused: number } {
  const marks = log.flatMap((event) => (event.kind === 'message' && isObject(event.data) ? [event.data['chain']] : []));
  return { kept: marks.filter((mark) => mark === 'kept').length, reused: marks.filter((mark) => mark === 'reused').length };
}

/** Pays 1 for each task solved by a skill of the same chain, shared between the turn that kept the skill and the turn that used it. */
export const skillReward: EpisodeJudge = ({ log, sample }) => {
  const pay = new Map<number, number>();
  const add = (at: number | null) => at !== null && pay.set(at, (pay.get(at) ?? 0) + 0.5);
  let [keptAt, last, usedAt]: (number | null)[] = [null, null, null];
  log.forEach((event, at) => {
    if (event.kind === 'action' && event.seat === sample.seat) {
      last = at;
      if (event.action.text.startsWith('[use ')) usedAt = at;
    }
    if (event.kind !== 'message' || !isObject(event.data)) return;
    if (event.data['chain'] === 'kept') keptAt = last;
    if (event.data['chain'] === 'reused') for (const place of [keptAt, usedAt]) add(place);
  });
  return sample.turns.map(({ at }, i) => (sample.turns[i + 1]?.at === at ? 0 : (pay.get(at) ?? 0)));
};
