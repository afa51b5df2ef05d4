/**
 * @file A council of seats (CaPo, arXiv 2411.04679): the seats of another environment agree on a plan over a side channel before they move,
 * and again when one of them reports progress. Every seat sees its own view and hears the others, so seats in different places share what
 * they know.
 *
 * A seat reports progress with a line "Progress: …" in its move; the line is removed before the move reaches the environment. The
 * discussion follows the protocol "plan-exchange" and counts as turns of the episode, not of the environment. Switches: `"council": {"off":
 * ["revision"]}` in the task keeps the first plan, and `["plan"]` skips the discussion.
 */

import {
  type Action,
  type AnyEnvironment,
  type Ask,
  type Environment,
  isObject,
  type Json,
  type JsonObject,
  type Message,
  parameter,
  type Rng,
  type Script,
  type Seat,
  type Step,
} from '@ludus-agents/kernel/internal/core/index';
import { list, object, one, readAs, type ShapeValue, whole, withDefault } from '@ludus-agents/kernel/internal/core/shape';
import { discussion } from './discussion.ts';
import { lineIn } from './speech.ts';

const councilShape = object({
  off: withDefault(list(one('plan', 'revision')), [], 'what is switched off'),
  rounds: withDefault(whole(1, 20), 3, 'drafts of a plan at most'),
});

type CouncilSettings = ShapeValue<typeof councilShape>;

type Counts = {
  readonly talks: number;
  readonly plans: number;
  readonly revisions: number;
  readonly objections: number;
  readonly reports: number;
};

type State = {
  readonly base: Json;
  readonly seats: readonly Seat[];
  readonly council: CouncilSettings & JsonObject;
  /** The current discussion, if any, and the environment's asks that wait for its end. */
  readonly talk: Json | null;
  readonly waiting: readonly Json[];
  readonly plan: string;
  readonly acted: Counts;
};

type Task = JsonObject & { readonly council: CouncilSettings & JsonObject };

const reportForm = 'When you find or finish something that changes it, add a line "Progress: …" to your move.';

/** Wraps an environment so that its seats agree on a plan before they move. */
export function createCouncil(base: AnyEnvironment): Environment<State, Task> {
  /** Opens the discussion of the next plan, or passes on the asks of the environment once every plan is made. */
  function onward(state: State, step: Step, reports: readonly string[], rng: Rng): Step<State> {
    const { council, plan, seats } = state;
    const next: State = { ...state, base: step.state, talk: null, waiting: [] };
    const isDue = state.acted.talks === 0 || (reports.length > 0 && !council.off.includes('revision'));
    const rest = { messages: step.messages, ...paymentsOf(step) };
    if (step.asks.length === 0 || council.off.includes('plan') || !isDue || seats.length < 2)
      return { ...rest, state: next, asks: step.asks };
    const past = reports.length === 0 ? '' : ` The plan so far: ${plan === '' ? 'none.' : plan} Reported: ${reports.join(' ')}`;
    const task = discussion.task({
      ...{ protocol: 'plan-exchange', members: seats, knowledge: {}, truth: '', choices: [], rounds: council.rounds },
      question: `You act in the same place, each with its own view. Agree on who does what next.${past}`,
      settings: { plansOnly: true },
    });
    const talk = discussion.start(task, rng);
    return {
      ...rest,
      state: { ...next, talk: talk.state, waiting: step.asks },
      messages: [...step.messages, ...talk.messages],
      asks: talk.asks,
    };
  }

  function afterTalk(state: State, talk: Step): Step<State> {
    if (talk.asks.length > 0) return { state: { ...state, talk: talk.state }, messages: talk.messages, asks: talk.asks };
    const note = talk.messages.findLast(({ to }) => to.length === 0);
    const result = isObject(note?.data) ? note.data : {};
    const memory = isObject(result['memory']) ? result['memory'] : {};
    const plan = typeof memory['plan'] === 'string' ? memory['plan'] : state.plan;
    const counts = isObject(result['acted']) ? result['acted'] : {};
    const isRevision = state.plan !== '' && plan !== state.plan;
    const acted: Counts = {
      talks: state.acted.talks + 1,
      plans: state.acted.plans + (plan === '' ? 0 : 1),
      revisions: state.acted.revisions + (isRevision ? 1 : 0),
      objections: state.acted.objections + Number(counts['objections'] ?? 0),
      reports: state.acted.reports,
    };
    const messages: readonly Message[] = [
      ...talk.messages.filter(({ to }) => to.length > 0 && to.length < state.seats.length),
      ...(plan === '' ? [] : [{ to: state.seats, text: `The plan of all: ${plan} ${reportForm}` }]),
      { to: [], text: 'Council', data: { plan, acted } },
    ];
    return { state: { ...state, talk: null, waiting: [], plan, acted }, messages, asks: state.waiting as unknown as readonly Ask[] };
  }

  return {
    id: `council:${base.id}`,
    about: {
      summary: `The seats of ${base.id} agree on a plan over a side channel, and revise it when one reports progress. ${base.about.summary}`,
      tasks: base.about.tasks,
      turns: base.about.turns * 3,
    },
    parameters: {
      ...base.parameters,
      council: parameter.json({ default: null, description: 'mechanisms to switch off, and the maximum number of drafts of a plan' }),
    },
    task(input) {
      const { council, ...rest } = isObject(input) ? input : { council: null };
      const settings = readAs(councilShape, council ?? {}, { where: 'council', called: 'the settings of a council' });
      return { ...(base.task(isObject(input) ? rest : input) as JsonObject), council: { ...settings } };
    },
    seats: (task) => base.seats(taskOf(task)),
    start(task, rng) {
      const seats = base.seats(taskOf(task));
      const acted: Counts = { talks: 0, plans: 0, revisions: 0, objections: 0, reports: 0 };
      const state: State = { base: null, seats, council: task.council, talk: null, waiting: [], plan: '', acted };
      return onward(state, base.start(taskOf(task), rng), [], rng);
    },
    step(state, actions, rng) {
      if (state.talk !== null) return afterTalk(state, discussion.step(state.talk as never, actions, rng));
      const reports: string[] = [];
      const moves: Record<Seat, Action> = {};
      for (const [seat, action] of Object.entries(actions)) {
        const report = lineIn(action.text, 'progress');
        moves[seat] = report === null ? action : { ...action, text: withoutReport(action.text) };
        if (report !== null && report !== '') reports.push(`${seat}: ${report}`);
      }
      const acted = { ...state.acted, reports: state.acted.reports + reports.length };
      return onward({ ...state, acted }, base.step(state.base, moves, rng), reports, rng);
    },
    ...(base.knows === undefined
      ? {}
      : {
          knows: ({ base: inner, talk, plan, acted }: State, seat: Seat): Json => ({
            base: base.knows?.(inner, seat) ?? null,
            talk: talk === null ? null : (discussion.knows?.(talk as never, seat) ?? null),
            ...{ plan, talks: acted.talks },
          }),
        }),
    ...(base.scripts === undefined ? {} : { scripts: Object.fromEntries(Object.entries(base.scripts).map(atTheTable)) }),
  };
}

/** Returns the task of the wrapped environment. */
function taskOf({ council: _, ...task }: Task): JsonObject {
  return task;
}

/** Adapts a script of the environment to replace a planning agent: it approves every plan and proposes that everyone continues. */
function atTheTable([name, script]: readonly [string, Script]): readonly [string, Script] {
  const seated: Script = (turn) => {
    const part = isObject(turn.ask.data) ? turn.ask.data['part'] : undefined;
    if (part === 'draft') return { text: 'Plan: each goes on as it thinks best.' };
    return part === 'judge' ? { text: 'Agree: yes' } : script(turn);
  };
  return [name, script.speaks === true ? script : seated];
}

function withoutReport(text: string): string {
  return text
    .split('\n')
    .filter((row) => lineIn(row, 'progress') === null)
    .join('\n')
    .trim();
}

function paymentsOf({ rewards, penalties }: Step): Pick<Step, 'rewards' | 'penalties'> {
  return { ...(rewards === undefined ? {} : { rewards }), ...(penalties === undefined ? {} : { penalties }) };
}
