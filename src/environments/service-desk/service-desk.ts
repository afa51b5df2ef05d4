/** @file The service desk: an agent with tools and a policy, a customer with a hidden scenario, a database that must end up right. */

import {
  type Action,
  type Ask,
  askAgain,
  type Environment,
  Fault,
  forfeitText,
  type Json,
  knob,
  type Message,
  type Rng,
  readTask,
  retries,
  rng,
  type Step,
  type TaskOf,
} from '../../core/index.ts';
import { auditOf, cardOf, customer } from './customer.ts';
import { record, type ServiceDatabase } from './database.ts';
import { type Ending, outcomeOf, type ServiceOutcome } from './outcome.ts';
import { briefing, forbiddenBy, names, type ServiceRule, saysYes } from './policy.ts';
import {
  drawScenario,
  kinds,
  needsNothing,
  proveSolvable,
  readScenario,
  type Scenario,
  type ServiceKind,
  type WrittenScenario,
} from './scenario.ts';
import { alwaysAgree, alwaysRefuse, doNothing, gold, transferring } from './scripts.ts';
import { readAnswer, run, type ServiceCall, toolNames, toolSpecs, writes } from './tools.ts';

const share = (about: string) => knob.number({ from: 0, to: 1, otherwise: 0.4, about });

export const knobs = {
  kind: knob.one({ of: ['any', ...kinds], otherwise: 'any', about: 'what the customer wants' }),
  number: knob.whole({ from: -1, to: 2 ** 31 - 1, otherwise: -1, about: 'which scenario; −1 draws a new one for every seed' }),
  customers: knob.whole({ from: 2, to: 40, otherwise: 4, about: 'customers in the database' }),
  orders: knob.whole({ from: 1, to: 6, otherwise: 3, about: 'orders of a customer, at most; all but those asked about distract' }),
  types: knob.whole({ from: 4, to: 10, otherwise: 5, about: 'types of products, six products each' }),
  requests: knob.whole({ from: 2, to: 3, otherwise: 2, about: 'requests of a customer who has several' }),
  forgetful: share('chance that the customer does not remember the email; and the number of an order'),
  terse: share('chance that details must be asked for'),
  chatter: share('chance of small talk beside the point'),
  insist: knob.whole({ from: 0, to: 3, otherwise: 1, about: 'how often a customer who is refused asks for an exception' }),
  messages: knob.whole({
    from: 4,
    to: 200,
    otherwise: 60,
    about: 'answers of both seats, calls included, after which the conversation is cut off',
  }),
  errors: knob.whole({ from: 1, to: 50, otherwise: 10, about: 'calls that may fail before the conversation is cut off' }),
  retries,
  scenario: knob.data({ otherwise: null, about: 'a whole scenario, as readTau2 makes them, instead of one drawn from dice' }),
} as const;

export type ServiceTask = TaskOf<typeof knobs>;

/** Who wrote what: talk is seen by both seats, calls and results by the agent, news by the customer. */
type Line = { readonly by: 'agent' | 'customer' | 'call' | 'result' | 'news'; readonly text: string; readonly plain?: true };

type State = {
  readonly scenario: Scenario;
  readonly card: string;
  readonly limits: { readonly messages: number; readonly errors: number; readonly retries: number };
  readonly database: ServiceDatabase;
  readonly lines: readonly Line[];
  /** What the agent has said to the customer, and the calls with which it has changed the database. */
  readonly said: readonly string[];
  readonly written: readonly ServiceCall[];
  readonly turn: 'agent' | 'customer';
  readonly messages: number;
  readonly errors: number;
  readonly misses: number;
  /** The customer whom the agent has found. */
  readonly identified: string | null;
  /** The agent has said that all is done, so the customer may end. */
  readonly reported: boolean;
  readonly breaches: readonly ServiceRule[];
  readonly outcome: ServiceOutcome | null;
};

const seats = ['agent', 'customer'] as const;
const asks: Readonly<Record<string, readonly Ask[]>> = { agent: [{ seat: 'agent' }], customer: [{ seat: 'customer' }] };

export const serviceDesk: Environment<State, ServiceTask> = {
  id: 'service-desk@1',
  about: {
    summary:
      'A service desk with tools, a database and a customer who has a hidden scenario. The agent answers in words or calls one tool at a time; tools keep the database sound, but only scoring knows the policy. The agent is paid 1 where the end state equals that of the gold calls, every required fact was told and no rule was broken, and 0 otherwise. An agent that does nothing is paid exactly where everything had to be refused.',
    tasks: [{}, { kind: 'multi-request', requests: 3 }, { kind: 'must-refuse' }, { kind: 'wrong-identity' }, { number: 7, messages: 20 }],
    turns: 60,
    words: toolNames,
  },
  knobs,
  task(input) {
    const task = readTask('service-desk', knobs, input);
    if (task.scenario !== null) checkScenario(task.scenario);
    return task;
  },
  seats: () => seats,
  start,
  step: (state, actions) => (state.turn === 'agent' ? agentStep(state, actions['agent']!) : customerStep(state, actions['customer']!)),
  knows: (state, seat) => {
    const hidden = seat === 'agent' ? ['news'] : ['call', 'result'];
    const lines = state.lines.filter((line) => !hidden.includes(line.by));
    return seat === 'agent' ? { lines, turn: state.turn } : { lines, turn: state.turn, card: state.card, slots: state.scenario.slots };
  },
  plain: (seat, text) => (seat === 'agent' ? { text, data: { plain: true } } : { text }),
  scripts: {
    agent: gold,
    customer,
    gold,
    'do-nothing': doNothing,
    'always-agree': alwaysAgree,
    'always-refuse': alwaysRefuse,
    transfer: transferring,
  },
};

/** The scenario of a task: its own, the one with its number, or one from the dice of the episode. */
export function scenarioOf(task: ServiceTask, dice: Rng): Scenario {
  if (task.scenario !== null) return readScenario(task.scenario as WrittenScenario);
  const own = task.number < 0 ? dice : rng(task.number, 'service-desk');
  return drawScenario(task.kind === 'any' ? own.pick(kinds) : (task.kind as ServiceKind), task, own);
}

/** Tasks with their scenarios pinned, every kind in turn, each proved solvable by replaying its gold calls. */
export function serviceDeskTasks(seed: number, count: number, difficulty: Partial<ServiceTask> = {}): readonly ServiceTask[] {
  return Array.from({ length: count }, (_, i) => {
    const kind = difficulty.kind ?? 'any';
    const number = rng(seed, 'service-desk', 'tasks', i).int(2 ** 31);
    const task = serviceDesk.task({ ...difficulty, kind: kind === 'any' ? kinds[i % kinds.length]! : kind, number });
    proveSolvable(scenarioOf(task, rng(seed)));
    return task;
  });
}

/** The share of tasks with pinned scenarios that an agent passes which does and says nothing: the floor under every success rate. */
export function nullPassRate(tasks: readonly ServiceTask[]): number {
  return tasks.filter((task) => needsNothing(scenarioOf(task, rng(0)))).length / tasks.length;
}

function checkScenario(given: Json): void {
  const { database, slots, gold: calls, facts } = (given ?? {}) as Partial<WrittenScenario>;
  const whole = [database?.customers, database?.products, database?.orders, database?.payments, database?.tickets, slots, calls, facts];
  if (whole.some((part) => typeof part !== 'object' || part === null) || !Array.isArray(slots?.requests))
    throw new Fault(
      'input',
      'service-desk: a "scenario" has a database, slots, gold calls and facts, but this one lacks some; make it with readTau2 or serviceDeskTasks.',
    );
  proveSolvable(readScenario(given as WrittenScenario));
}

// ── the conversation ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const toAgent = ['agent'];
const toCustomer = ['customer'];
const rulesForAgent: Message = { to: toAgent, text: briefing, data: { tools: toolSpecs } };

function start(task: ServiceTask, dice: Rng): Step<State> {
  const scenario = scenarioOf(task, dice);
  const card = cardOf(scenario.slots);
  const { messages, errors } = task;
  const state: State = {
    scenario,
    card,
    limits: { messages, errors, retries: task.retries },
    database: scenario.database,
    lines: [],
    said: [],
    written: [],
    turn: 'customer',
    messages: 0,
    errors: 0,
    misses: 0,
    identified: null,
    reported: false,
    breaches: [],
    outcome: null,
  };
  return {
    state,
    messages: [rulesForAgent, { to: toCustomer, text: card, data: scenario.slots }],
    asks: asks['customer']!,
  };
}

function agentStep(state: State, action: Action): Step<State> {
  const answer = readAnswer(action);
  if (answer.kind === 'broken') {
    const breaches: readonly ServiceRule[] = answer.several ? [...state.breaches, 'one call'] : state.breaches;
    return failCall({ ...state, breaches }, null, answer.problem);
  }
  if (answer.kind === 'call') return runCall(state, answer.call, action);
  const { text, plain = false } = answer;
  // Anyone who knows nothing of [done] is not made to say it: the customer ends the conversation when it likes.
  const reported = plain || text.includes('[done]');
  const lines: Line[] = [...state.lines, plain ? { by: 'agent', text, plain } : { by: 'agent', text }];
  const messages = state.messages + 1;
  const next: State = { ...state, messages, lines, said: [...state.said, text], turn: 'customer', reported };
  const message: Message = { to: toCustomer, from: 'agent', text };
  return proceed(next, [plain ? { ...message, data: { plain } } : message]);
}

function runCall(state: State, call: ServiceCall, action: Action): Step<State> {
  const text = (action.data ?? null) === null ? action.text.trim() : JSON.stringify(call);
  const result = run(state.database, call);
  if (!result.ok) return failCall(state, call, result.problem);
  const identified = call.tool === 'find_customer' ? (result.value as { customer_id: string }).customer_id : state.identified;
  const breach = state.identified !== null && identified !== state.identified ? 'own records' : breachOf(state, call);
  const answer = `${call.tool} returned ${JSON.stringify(result.value)}`;
  const lines: Line[] = [...state.lines, { by: 'call', text }, { by: 'result', text: answer }];
  const told: Message = { to: toAgent, text: answer, data: { tool: call.tool, ok: true, value: result.value } };
  const next: State = {
    ...state,
    messages: state.messages + 1,
    reported: false,
    database: result.database,
    lines,
    written: writes(call) ? [...state.written, call] : state.written,
    identified,
    breaches: breach === null ? state.breaches : [...state.breaches, breach],
  };
  if (call.tool !== 'transfer_to_human') return proceed(next, [told]);
  const news = 'You are being transferred to a human colleague.';
  const transferred: State = { ...next, lines: [...lines, { by: 'news', text: news }], turn: 'customer', reported: true };
  return proceed(transferred, [told, { to: toCustomer, text: news }]);
}

/** An answer that did nothing. Broken form pays a penalty; a call that was well-formed and wrong does not. */
function failCall(state: State, call: ServiceCall | null, problem: string): Step<State> {
  const tool = call?.tool ?? null;
  const lines: Line[] = [...state.lines, { by: 'call', text: call === null ? '' : JSON.stringify(call) }, { by: 'result', text: problem }];
  const next: State = { ...state, messages: state.messages + 1, reported: false, lines, errors: state.errors + 1 };
  const told: Message = { to: toAgent, text: `Error: ${problem}`, data: { tool, ok: false, problem } };
  const step = next.errors >= state.limits.errors ? finish(next, [told], 'errors') : proceed(next, [told]);
  return call === null ? { ...step, penalties: { agent: 1 } } : step;
}

const endings: readonly Ending[] = ['stop', 'transfer', 'out of scope'];

function customerStep(state: State, action: Action): Step<State> {
  const text = action.text.trim();
  const count = state.messages + 1;
  const ended = text.includes('[') ? endings.find((word) => text.toLowerCase().includes(`[${word}]`)) : undefined;
  const problem =
    text === ''
      ? 'Your message is empty.'
      : ended !== undefined && !state.reported
        ? 'The agent has not said [done] yet; go on with the conversation.'
        : null;
  if (problem !== null) {
    const next: State = { ...state, messages: count };
    if (count >= state.limits.messages) return finish(next, [], 'messages');
    const ask = asks['customer']![0]!;
    return askAgain(next, ask, problem, state.limits.retries) ?? finish(next, [{ to: seats, text: forfeitText('customer') }], 'forfeit');
  }
  const checked = auditOf(text, { slots: state.scenario.slots, card: state.card, told: state.said });
  const next: State = { ...state, messages: count, lines: [...state.lines, { by: 'customer', text }], turn: 'agent', misses: 0 };
  const messages: Message[] = [checked, { to: toAgent, from: 'customer', text }];
  return ended === undefined ? proceed(next, messages) : finish(next, messages, ended);
}

function proceed(state: State, messages: readonly Message[]): Step<State> {
  if (state.messages >= state.limits.messages) return finish(state, messages, 'messages');
  return { state, messages, asks: asks[state.turn]! };
}

function finish(state: State, messages: readonly Message[], ended: Ending): Step<State> {
  const outcome = outcomeOf(state, ended);
  const note: Message = { to: [], text: `outcome: ${outcome.reward} (ended by ${ended})`, data: { outcome } };
  return { state: { ...state, outcome }, messages: [...messages, note], asks: [], rewards: { agent: outcome.reward } };
}

// ── policy, as scoring sees it ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The rule that a call which worked has broken, or null. */
function breachOf(state: State, call: ServiceCall): ServiceRule | null {
  const { database } = state;
  const { tool, args } = call;
  if (tool === 'find_customer' || tool === 'search_products' || tool === 'transfer_to_human') return null;
  const order = record(database.orders, args['order_id']) ?? null;
  const owner = order?.customer ?? (args['customer_id'] as string);
  if (state.identified === null) return 'identify';
  if (owner !== state.identified) return 'own records';
  if (!writes(call)) return null;
  return (
    forbiddenBy(call, order, (product) => record(database.products, product)?.type) ?? (isConfirmed(state, call) ? null : 'explicit yes')
  );
}

/** Has the customer just said yes to a message that names what is about to be changed? */
function isConfirmed({ lines }: State, { args }: ServiceCall): boolean {
  const talk = lines.filter((line) => line.by === 'agent' || line.by === 'customer');
  const [proposal, answer] = talk.slice(-2);
  const id = (args['order_id'] ?? args['zip']) as string;
  return proposal?.by === 'agent' && answer?.by === 'customer' && names(proposal.text, id) && saysYes(answer.text);
}
