import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Action,
  auditsOf,
  type EndEvent,
  type EpisodeEvent,
  hash,
  type Json,
  type JsonObject,
  rng,
  type Script,
  type Seat,
  type Step,
  scriptedPolicy,
  textOf,
  viewOf,
} from '../../core/index.ts';
import { replay } from '../../engine/replay.ts';
import { rollout } from '../../engine/rollout.ts';
import { builtInEnvironment } from '../index.ts';
import { record, totalOf } from './database.ts';
import { changesOf, type ServiceOutcome } from './outcome.ts';
import { goldEnd, kinds, needsNothing } from './scenario.ts';
import { nullPassRate, type ServiceTask, scenarioOf, serviceDesk, serviceDeskTasks } from './service-desk.ts';

const scripts = serviceDesk.scripts as Readonly<Record<string, Script>>;
type Log = readonly EpisodeEvent[];

async function logOf(agent: Script, task: Json, customer = scripts['customer']!): Promise<Log> {
  const [log] = await rollout(
    serviceDesk,
    { agent: scriptedPolicy('agent', agent), customer: scriptedPolicy('customer', customer) },
    { seeds: [0], task },
  );
  return log as Log;
}

const endOf = (log: Log) => log.at(-1) as EndEvent;

function outcomeOf(log: Log): ServiceOutcome {
  const note = log.findLast(
    (event) => event.kind === 'message' && event.to.length === 0 && event.data !== undefined && 'outcome' in (event.data as JsonObject),
  );
  return ((note as { data: JsonObject }).data['outcome'] ?? null) as unknown as ServiceOutcome;
}

/** Rewards of a script on all tasks, in order. */
async function rewards(name: string, tasks: readonly ServiceTask[]): Promise<number[]> {
  const paid: number[] = [];
  for (const task of tasks) paid.push(endOf(await logOf(scripts[name]!, task)).returns['agent']!);
  return paid;
}

/** An agent that says these things one after the other, and then that it is done. */
function saying(...lines: readonly string[]): Script {
  return ({ view }) => ({ text: lines[view.seen.filter((item) => item.kind === 'action').length] ?? 'Goodbye. [done]' });
}

const call = (tool: string, args: JsonObject = {}): string => JSON.stringify({ tool, args });

it.each(['gold', 'always-agree', 'do-nothing', 'transfer'])(
  '%s is held to the end of the gold calls, whichever calls it makes',
  async (name) => {
    for (const task of serviceDeskTasks(5, 2 * kinds.length)) {
      const scenario = scenarioOf(task, rng(0));
      expect(outcomeOf(await logOf(scripts[name]!, task)).expected).toBe(hash(changesOf(scenario.database, goldEnd(scenario))));
    }
  },
);

describe('generated tasks', () => {
  let tasks: readonly ServiceTask[];
  beforeAll(() => {
    tasks = [
      ...serviceDeskTasks(1, 200),
      ...serviceDeskTasks(2, 40, { forgetful: 1, terse: 1, chatter: 1, insist: 3, requests: 3, orders: 6, types: 4, customers: 9 }),
      ...serviceDeskTasks(3, 20, { forgetful: 0, terse: 0, chatter: 0, insist: 0, orders: 1, customers: 2 }),
    ];
  });

  it('are different, cover every kind, and follow from the seed', () => {
    expect(serviceDeskTasks(1, 200)).toEqual(tasks.slice(0, 200));
    expect(new Set(tasks.slice(0, 200).map((task) => JSON.stringify(scenarioOf(task, rng(0))))).size).toBe(200);
    for (const kind of kinds) expect(tasks.filter((task) => task.kind === kind).length).toBeGreaterThanOrEqual(25);
    expect(serviceDeskTasks(5, 3, { kind: 'refund' }).map((task) => task.kind)).toEqual(['refund', 'refund', 'refund']);
  });

  it('are all solved by the gold agent under every seed of the episode', async () => {
    expect(await rewards('gold', tasks)).toEqual(tasks.map(() => 1));
    const cast = {
      agent: scriptedPolicy('gold', scripts['gold']!),
      customer: scriptedPolicy('customer', scripts['customer']!),
    };
    const logs = await rollout(serviceDesk, cast, { seeds: [1, 2, 99], task: tasks[7]! });
    expect(logs.map((log) => endOf(log).returns['agent'])).toEqual([1, 1, 1]);
  });

  it('pay an agent that does nothing exactly where no write and no fact is required', async () => {
    const free = tasks.map((task) => needsNothing(scenarioOf(task, rng(0))));
    expect(await rewards('do-nothing', tasks)).toEqual(free.map(Number));
    expect(await rewards('always-refuse', tasks)).toEqual(free.map(Number));
    expect(tasks.every((task, i) => free[i] === (task.kind === 'must-refuse' || task.kind === 'wrong-identity'))).toBe(true);
    console.log(`service-desk: an agent that does nothing passes ${(100 * nullPassRate(tasks)).toFixed(1)} % of generated tasks`);
    expect(nullPassRate(tasks)).toBeCloseTo(0.2, 10);
  });

  it('pay an agent that agrees to everything exactly where nothing had to be refused', async () => {
    const paid = await rewards('always-agree', tasks);
    for (const [i, task] of tasks.entries()) {
      const { slots, gold } = scenarioOf(task, rng(0));
      const served = gold.filter((one) => !['find_customer', 'get_customer', 'get_order'].includes(one.tool));
      const asked = slots.requests.filter((one) => one.want !== 'ask');
      const refused =
        task.kind === 'must-refuse' ||
        task.kind === 'wrong-identity' ||
        served.filter((one) => one.tool !== 'search_products').length < asked.length;
      expect(paid[i], JSON.stringify(task)).toBe(refused ? 0 : 1);
    }
  });

  it('pay an agent that always transfers exactly where a transfer is right', async () => {
    expect(await rewards('transfer', tasks)).toEqual(tasks.map((task) => (task.kind === 'transfer' ? 1 : 0)));
  });

  it('never show the agent the scenario, nor the customer the database', async () => {
    for (const task of tasks.slice(0, 60)) {
      const log = await logOf(scripts['gold']!, task);
      const { slots, gold, database } = scenarioOf(task, rng(0));
      const [agent, customer] = ['agent', 'customer'].map((seat) => textOf(viewOf(log, seat)) + JSON.stringify(viewOf(log, seat))) as [
        string,
        string,
      ];
      expect(agent).not.toContain('You are ');
      expect(agent).not.toContain(JSON.stringify(slots));
      expect(agent).not.toContain('outcome');
      expect(customer).not.toContain('outcome');
      for (const one of gold) expect(customer).not.toContain(JSON.stringify(one));
      for (const one of database.customers) {
        if (one.email !== slots.email) expect(customer).not.toContain(one.email);
        expect(customer).not.toContain(one.id);
        if (one.email !== slots.email && one.name !== slots.name) expect(agent).not.toContain(one.email);
      }
    }
  });

  it('replay to the byte, and the stand-in never contradicts its card', async () => {
    for (const task of tasks.slice(0, 40)) {
      const log = await logOf(scripts['gold']!, task);
      expect(replay(serviceDesk, log)).toBeNull();
      const audits = auditsOf(log)['customer'];
      expect(audits?.checked).toBe(log.filter((event) => event.kind === 'action' && event.seat === 'customer').length);
      expect(audits?.contradicted).toBe(0);
    }
  });
});

describe('reading', () => {
  /** Plays given actions straight through the rules and gives the reward of the agent. */
  function rewardOf(task: ServiceTask, actions: readonly (readonly [Seat, Action])[]): number {
    let step: Step<never> = serviceDesk.start(task, rng(0)) as Step<never>;
    for (const [seat, action] of actions) step = serviceDesk.step(step.state, { [seat]: action }, rng(0)) as Step<never>;
    return step.rewards?.['agent'] ?? Number.NaN;
  }

  it('in another order, or more of it, never changes the score', async () => {
    let shuffled = 0;
    for (const [i, task] of serviceDeskTasks(9, 60, { forgetful: 1, orders: 5 }).entries()) {
      const log = await logOf(scripts['gold']!, task);
      const actions = log.flatMap((event) => (event.kind === 'action' ? [[event.seat, event.action] as const] : []));
      const dice = rng(i);
      const read = ([, { text }]: readonly [Seat, Action]) => /"tool":"(get_|search_)/.test(text);
      const mixed: (readonly [Seat, Action])[] = [];
      for (let at = 0; at < actions.length; ) {
        let to = at;
        while (to < actions.length && read(actions[to]!)) to++;
        const run = actions.slice(at, to);
        if (run.length > 1) shuffled++;
        mixed.push(...dice.shuffle([...run, ...run.slice(0, 1)]));
        if (to < actions.length) mixed.push(actions[to]!);
        at = to + 1;
      }
      expect(rewardOf(task, actions)).toBe(1);
      expect(rewardOf(task, mixed)).toBe(1);
    }
    expect(shuffled).toBeGreaterThan(20);
  });
});

describe('policy, held by scoring alone', () => {
  const task = serviceDesk.task({ kind: 'cancel', number: 11, forgetful: 0, terse: 0, chatter: 0, insist: 0 });
  const { gold, slots, database } = scenarioOf(task, rng(0));
  const [find, get, look, cancel] = gold.map((one) => JSON.stringify(one)) as [string, string, string, string];
  const order = slots.requests[0]?.order as string;
  const ask = `I will cancel order ${order}. Shall I?`;
  const told = `Order ${order} has been cancelled, ${totalOf(record(database.orders, order)!)} comes back. Anything else?`;

  it.each<[string, readonly string[], readonly string[]]>([
    ['a clean conversation', [find, get, look, ask, cancel, told], []],
    ['a private read before the customer is found', [look, find, get, ask, cancel, told], ['identify']],
    ['a write without asking', [find, get, look, cancel, told], ['explicit yes']],
    ['a question that does not name the order', [find, 'Shall I cancel it?', cancel, told], ['explicit yes']],
    ['a yes that was given before something else was said', [find, ask, 'One moment. Please wait for me.', cancel, told], ['explicit yes']],
    ['two calls in one message', [`${find}${get}`, find, get, look, ask, cancel, told], ['one call']],
  ])('%s', async (_, lines, breaches) => {
    const outcome = outcomeOf(await logOf(saying(...lines), task));
    expect(outcome).toMatchObject({ normal: true, database: true, facts: true, policy: breaches.length === 0, breaches });
    expect(outcome.reward).toBe(breaches.length === 0 ? 1 : 0);
  });

  it('a look at the order of another customer', async () => {
    const own = record(database.orders, order)?.customer;
    const other = database.orders.find((one) => one.customer !== own)?.id as string;
    const stranger = database.customers.find((one) => one.id !== own)?.email as string;
    expect(outcomeOf(await logOf(saying(find, call('get_order', { order_id: other })), task)).breaches).toEqual(['own records']);
    expect(outcomeOf(await logOf(saying(find, call('find_customer', { email: stranger })), task)).breaches).toEqual(['own records']);
  });

  it('each forbidden request breaks a rule when it is served, and the tools serve it', async () => {
    const seen = new Set<string>();
    for (const one of serviceDeskTasks(21, 120, { kind: 'must-refuse' })) {
      const outcome = outcomeOf(await logOf(scripts['always-agree']!, one));
      expect(outcome).toMatchObject({ reward: 0, database: false });
      for (const rule of outcome.breaches) seen.add(rule);
    }
    const expected = [
      'address pending',
      'cancel pending',
      'exchange once',
      'exchange type',
      'refund late',
      'return final sale',
      'return window',
    ];
    expect([...seen].sort()).toEqual(expected);
  });

  it('a required fact that the agent does not say', async () => {
    const curious = serviceDesk.task({ kind: 'refund', number: 3, forgetful: 0 });
    const mute: Script = (turn) => {
      const reply = scripts['gold']!(turn) as { action: Action; mind: Json };
      const text = reply.action.text.startsWith('{') ? reply.action.text : reply.action.text.replace(/\d+\.\d\d/g, 'some money');
      return { ...reply, action: { text } };
    };
    const outcome = outcomeOf(await logOf(mute, curious));
    expect(outcome).toMatchObject({ reward: 0, database: true, facts: false, policy: true });
    expect(outcome.unsaid).toEqual(scenarioOf(curious, rng(0)).facts);
  });
});

describe('the conversation', () => {
  const task = serviceDesk.task({ kind: 'cancel', number: 11 });

  it('is cut off after ten errors, and broken form is penalised apart from calls that fail', async () => {
    const broken = await logOf(() => ({ text: '{"tool": ' }), task);
    expect(outcomeOf(broken)).toMatchObject({ ended: 'errors', normal: false, reward: 0 });
    expect(endOf(broken)).toMatchObject({ reason: 'over', turns: 11, penalties: { agent: 10 } });
    const wrong = await logOf(() => ({ text: call('get_order', { order_id: 'W-0' }) }), task);
    expect(outcomeOf(wrong).ended).toBe('errors');
    expect(endOf(wrong).penalties).toEqual({ agent: 0, customer: 0 });
  });

  it('is cut off after sixty messages, and then pays nothing even where all is right', async () => {
    const refusing = serviceDesk.task({ kind: 'must-refuse', number: 4 });
    const chatty = await logOf(() => ({ text: 'Nice weather today.' }), refusing);
    expect(endOf(chatty).turns).toBe(60);
    expect(outcomeOf(chatty)).toMatchObject({ ended: 'messages', normal: false, database: true, facts: true, policy: true, reward: 0 });
  });

  it('cannot be ended by the customer before the agent reports', async () => {
    const hasty = await logOf(scripts['gold']!, task, () => ({ text: 'Thanks. [stop]' }));
    expect(outcomeOf(hasty)).toMatchObject({ ended: 'forfeit', reward: 0 });
    expect(endOf(hasty)).toMatchObject({ turns: 3, penalties: { customer: 2 } });
    const waiting: Script = ({ view }) => ({
      text: view.seen.some((item) => item.kind === 'message' && item.from === 'agent' && item.text.includes('[done]')) ? '[STOP]' : 'Hm.',
    });
    expect(outcomeOf(await logOf(saying('One.', 'Two.'), task, waiting)).ended).toBe('stop');
  });

  it('audits a customer that invents or confirms what it never wanted', async () => {
    const lines = [
      'I want to cancel order W-99999.',
      'I am at zip 00000.',
      'I am x@y.example.',
      'I paid 12.34.',
      'The purple-red one.',
      'Yes.',
      'Hello there.',
      '[stop]',
    ];
    const inventive: Script = ({ view }) => ({ text: lines[view.seen.filter((item) => item.kind === 'action').length]! });
    const known = serviceDesk.task({ kind: 'return', number: 5, forgetful: 0 });
    const log = await logOf(saying('a', 'b', 'c', 'd', 'Shall I cancel W-12345?', 'f', 'g [done]'), known, inventive);
    expect(auditsOf(log)['customer']).toEqual({
      checked: 8,
      contradicted: scenarioOf(known, rng(0)).slots.requests[0]?.items.join().includes('red') ? 5 : 6,
    });
  });

  it('can be led by seats that see only the latest message', async () => {
    const environment = await builtInEnvironment('service-desk');
    const cast = {
      agent: scriptedPolicy('gold', scripts['gold']!),
      customer: scriptedPolicy('customer', scripts['customer']!),
    };
    const [log] = await rollout(environment, cast, { seeds: [0, 1, 2], task: { kind: 'multi-request', window: 1 } });
    expect(endOf(log as Log).returns['agent']).toBe(1);
  });

  it('refuses a scenario that is not whole, in a sentence', () => {
    expect(() => serviceDesk.task({ scenario: { gold: [] } })).toThrow(/scenario/);
    const whole = scenarioOf(task, rng(0));
    expect(serviceDesk.task({ scenario: whole }).scenario).toEqual(whole);
    const byNumber = <T extends { readonly id: string }>(table: readonly T[]) => Object.fromEntries(table.map((one) => [one.id, one]));
    const { customers, products, orders } = whole.database;
    const written = {
      ...whole,
      database: { ...whole.database, customers: byNumber(customers), products: byNumber(products), orders: byNumber(orders) },
    };
    expect(scenarioOf(serviceDesk.task({ scenario: written }), rng(0))).toEqual(whole);
    expect(() => serviceDesk.task({ scenario: { ...whole, gold: [{ tool: 'get_order', args: { order_id: 'W-0' } }] } })).toThrow(
      /gold call/,
    );
  });

  it('goes as it went: the gold agent cancels an order', async () => {
    const log = await logOf(scripts['gold']!, { kind: 'cancel', number: 11, forgetful: 0.6, terse: 1 });
    const said = log.flatMap((event) => (event.kind === 'action' ? [`${event.seat}: ${event.action.text}`] : []));
    expect(said).toMatchInlineSnapshot(`
      [
        "customer: Hello. It is raining here all day. I need to cancel an order.",
        "agent: May I have your email, or your full name and zip code?",
        "customer: I do not remember my email. My name is Jonas Gupta and my zip code is 53541.",
        "agent: {"tool":"find_customer","args":{"name":"Jonas Gupta","zip":"53541"}}",
        "agent: {"tool":"get_customer","args":{"customer_id":"C-4896"}}",
        "agent: Which order is it? Please tell me its number, or which item is in it.",
        "customer: I need to cancel the order with the green large notebook.",
        "agent: {"tool":"get_order","args":{"order_id":"W-14718"}}",
        "agent: What is the reason: no longer needed, or ordered by mistake?",
        "customer: The reason is: no longer needed.",
        "agent: I am about to cancel order W-14718 as no longer needed and pay back 99.05. Shall I go ahead, yes or no?",
        "customer: Yes, please.",
        "agent: {"tool":"cancel_order","args":{"order_id":"W-14718","reason":"no longer needed"}}",
        "agent: This has been done: cancel order W-14718 as no longer needed and pay back 99.05. Is there anything else I can help you with?",
        "customer: No, that is all. Thank you.",
        "agent: Thank you, goodbye. [done]",
        "customer: Thank you, goodbye. [stop]",
      ]
    `);
  });
});
