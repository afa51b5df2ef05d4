import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { builtInScorer } from '@ludus-agents/evaluation/internal/scoring/index';
import type { Action, EndEvent, EpisodeEvent, Json, JsonObject, Script, Seat, Step } from '@ludus-agents/kernel/internal/core/index';
import { auditsOf, rng, scriptedPolicy, textOf, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { beforeAll, describe, expect, it } from 'vitest';
import { amount } from '../../../../../test/fixtures/amount.ts';
import { type Desk, type DeskCase, readDesk } from '../document.ts';
import type { DeskOutcome } from '../outcome.ts';
import { isWrite, runTool, toolOf } from '../tools.ts';
import { kinds } from './cases.ts';
import { type ServiceTask, serviceCaseOf, serviceDesk } from './service-desk.ts';

const scripts = serviceDesk.scripts as Readonly<Record<string, Script>>;
type Log = readonly EpisodeEvent[];

async function logOf(agent: Script, task: Json, customer = scripts['customer']!): Promise<Log> {
  const cast = { agent: scriptedPolicy('agent', agent), customer: scriptedPolicy('customer', customer) };
  const [log] = await rollout(serviceDesk, cast, { seeds: [0], task });
  return log as Log;
}

/** Tasks with their cases pinned, every kind in turn. */
function tasksFrom(seed: number, count: number, difficulty: Partial<ServiceTask> = {}): readonly ServiceTask[] {
  return Array.from({ length: count }, (_, i) =>
    serviceDesk.task({ kind: kinds[i % kinds.length]!, number: rng(seed, 'tasks', i).int(2 ** 31), ...difficulty }),
  );
}

const caseOf = (task: ServiceTask) => serviceCaseOf(task, rng(0));
const endOf = (log: Log) => log.at(-1) as EndEvent;

function outcomeOf(log: Log): DeskOutcome {
  const note = log.findLast(
    (event) => event.kind === 'message' && event.to.length === 0 && event.data !== undefined && 'outcome' in (event.data as JsonObject),
  );
  return (note as { data: JsonObject }).data['outcome'] as unknown as DeskOutcome;
}

/** Rewards of a script on all tasks, in order. */
async function rewards(name: string, tasks: readonly ServiceTask[]): Promise<number[]> {
  const rewards: number[] = [];
  for (const task of tasks) rewards.push(endOf(await logOf(scripts[name]!, task)).returns['agent']!);
  return rewards;
}

/** An agent that says these things one after the other, and then that it is done. */
function saying(...texts: readonly string[]): Script {
  return ({ view }) => ({ text: texts[view.seen.filter((item) => item.kind === 'action').length] ?? 'That is all. Anything else?' });
}

const call = (tool: string, args: JsonObject = {}): string => JSON.stringify({ tool, args });

/** True where an agent that does and says nothing is paid: no write is needed and no fact need be stated. */
const needsNothing = ({ gold, says }: DeskCase): boolean => gold.length === 0 && says.every(({ tell }) => tell.length === 0);

describe('generated cases', () => {
  const many = amount(60, 200);
  let tasks: readonly ServiceTask[];
  beforeAll(() => {
    tasks = [
      ...tasksFrom(1, many),
      ...tasksFrom(2, amount(10, 40), { forgetful: 1, terse: 1, chatter: 1, insist: 3, requests: 3, orders: 6, types: 4, customers: 9 }),
      ...tasksFrom(3, amount(10, 20), { forgetful: 0, terse: 0, chatter: 0, insist: 0, orders: 1, customers: 2 }),
    ];
  });

  it('are desks as data with one case each, whose gold calls all succeed', () => {
    for (const task of tasks) {
      const { desk, case: deskCase } = caseOf(task);
      const { tasks: cases, ...read } = readDesk({ ...desk, tasks: [deskCase] });
      expect({ desk: read, case: cases[0] }).toEqual({ desk, case: deskCase });
      let database = desk.database;
      for (const deskCall of deskCase.gold) {
        const result = runTool(desk, database, deskCall);
        expect(isWrite(toolOf(desk, deskCall)) && result.ok, JSON.stringify(result)).toBe(true);
        if (result.ok) database = result.database;
      }
    }
  });

  it('are different, cover every kind, and are determined by the number', () => {
    const samples = tasks.slice(0, many).map((task) => JSON.stringify(caseOf(task)));
    expect(new Set(samples).size).toBe(many);
    expect(tasks.slice(0, many).map((task) => JSON.stringify(caseOf(task)))).toEqual(samples);
    for (const kind of kinds) expect(tasks.filter((task) => task.kind === kind).length).toBeGreaterThanOrEqual(amount(6, 20));
  });

  it('are solved by the gold agent under every episode seed, without faults', async () => {
    expect(await rewards('gold', tasks)).toEqual(tasks.map(() => 1));
    const cast = { agent: scriptedPolicy('gold', scripts['gold']!), customer: scriptedPolicy('customer', scripts['customer']!) };
    const logs = await rollout(serviceDesk, cast, { seeds: [1, 2, 99], task: tasks[7]! });
    expect(logs.map((log) => endOf(log).returns['agent'])).toEqual([1, 1, 1]);
    const scorer = await builtInScorer('desk');
    for (const task of tasks.slice(0, amount(20, 60))) {
      const episode = { id: 'one', events: await logOf(scripts['gold']!, task) };
      const [score] = await scorer.score({ episodes: [episode], seat: 'agent' } as never, new AbortController().signal);
      expect([score?.value, score?.reason], JSON.stringify(task)).toEqual([1, undefined]);
    }
  });

  it('reward a passive agent exactly if no write and no fact is required', async () => {
    const free = tasks.map((task) => needsNothing(caseOf(task).case));
    expect(await rewards('do-nothing', tasks)).toEqual(free.map(Number));
    expect(await rewards('always-refuse', tasks)).toEqual(free.map(Number));
    expect(tasks.every((task, i) => free[i] === (task.kind === 'must-refuse' || task.kind === 'wrong-identity'))).toBe(true);
    expect(free.filter(Boolean).length / free.length).toBeCloseTo(0.2, 10);
  });

  it('reward an always-agreeing agent exactly if nothing had to be refused', async () => {
    const paid = await rewards('always-agree', tasks);
    for (const [i, task] of tasks.entries()) {
      const { says, gold, refuse } = caseOf(task).case;
      const served = new Set(gold.map(({ tool }) => tool)).size === says.filter(({ kind }) => kind === 'request').length;
      expect(paid[i], JSON.stringify(task)).toBe(refuse || !served ? 0 : 1);
    }
  });

  it('reward an always-transferring agent exactly if a transfer is right', async () => {
    expect(await rewards('transfer', tasks)).toEqual(tasks.map((task) => (task.kind === 'transfer' ? 1 : 0)));
  });

  it("never show the customer's facts to the agent or the database to the customer", async () => {
    for (const task of tasks.slice(0, amount(20, 60))) {
      const log = await logOf(scripts['gold']!, task);
      const { desk, case: deskCase } = caseOf(task);
      const [agent, customer] = ['agent', 'customer'].map((seat) => textOf(viewOf(log, seat))) as [string, string];
      expect(agent).not.toContain('You are ');
      expect(`${agent}${customer}`).not.toContain('outcome');
      for (const deskCall of deskCase.gold) expect(customer).not.toContain(JSON.stringify(deskCall.args));
      for (const [id, row] of Object.entries(desk.database['customers']!)) {
        expect(customer).not.toContain(id);
        if (id !== deskCase.customer) expect(customer + agent).not.toContain(row['email'] as string);
      }
    }
  });

  it('replay exactly, and the scripted customer never contradicts its card', async () => {
    for (const task of tasks.slice(0, 40)) {
      const log = await logOf(scripts['gold']!, task);
      expect(replay(serviceDesk, log)).toBeNull();
      const audits = auditsOf(log)['customer'];
      expect(audits?.checked).toBe(log.filter((event) => event.kind === 'action' && event.seat === 'customer').length);
      expect(audits?.contradicted).toBe(0);
    }
  });

  it('give the same reward for any reads in any order', async () => {
    let mixedRuns = 0;
    for (const [i, task] of tasksFrom(9, 60, { forgetful: 1, orders: 5 }).entries()) {
      const log = await logOf(scripts['gold']!, task);
      const actions = log.flatMap((event) => (event.kind === 'action' ? [[event.seat, event.action] as const] : []));
      const isRead = ([, { text }]: readonly [Seat, Action]) => /"tool":"(get_|list_|search_)/.test(text);
      const mixed: (readonly [Seat, Action])[] = [];
      for (let at = 0; at < actions.length; at++) {
        const reads: (readonly [Seat, Action])[] = [];
        while (at < actions.length && isRead(actions[at]!)) reads.push(actions[at++]!);
        if (reads.length > 1) mixedRuns++;
        mixed.push(...rng(i).shuffle([...reads, ...reads.slice(0, 1)]), ...actions.slice(at, at + 1));
      }
      let step: Step<never> = serviceDesk.start(task, rng(0)) as Step<never>;
      for (const [seat, action] of mixed) step = serviceDesk.step(step.state, { [seat]: action }, rng(0)) as Step<never>;
      expect(step.rewards?.['agent']).toBe(1);
    }
    expect(mixedRuns).toBeGreaterThan(10);
  });
});

describe('the procedure of the desk', () => {
  const task = serviceDesk.task({ kind: 'cancel', number: 11, forgetful: 0, terse: 0, chatter: 0, insist: 0 });
  const { desk, case: deskCase } = caseOf(task);
  const order = deskCase.gold[0]!.args['order_id'] as string;
  const rows = (table: string) => Object.entries(desk.database[table]!);
  const find = call('find_by_email', { email: deskCase.knows['email|e-mail|mail']! });
  const look = call('get_order', { order_id: order });
  const cancel = JSON.stringify(deskCase.gold[0]);
  const question = `I will cancel order ${order}. Shall I?`;
  const report = `Order ${order} has been cancelled, ${desk.database['orders']![order]!['total']} comes back. Anything else?`;
  const policyProblems = ({ problems }: DeskOutcome) =>
    problems.filter(({ kind }) => ['policy', 'identity', 'consent'].includes(kind)).map(({ about }) => about);

  it.each<[string, readonly string[], RegExp | null]>([
    ['a clean conversation', [find, look, question, cancel, report], null],
    ['a private read before the customer is found', [look, find, question, cancel, report], /before the customer was identified/],
    ['a write without a question', [find, look, cancel, report], /without a yes/],
    ['a question that does not name the order', [find, 'Shall I cancel it?', cancel, report], /without a yes/],
    ['a yes to something that was said before', [find, question, 'Please tell me the reason.', cancel, report], /without a yes/],
  ])('%s', async (_, texts, problem) => {
    const outcome = outcomeOf(await logOf(saying(...texts), task));
    expect(outcome).toMatchObject({ ended: 'stop', state: true, kept: problem === null, reward: problem === null ? 1 : 0 });
    if (problem !== null) expect(policyProblems(outcome)).toEqual([expect.stringMatching(problem)]);
  });

  it('detects records of another customer that are told, and a search for them', async () => {
    const [stranger, row] = rows('customers').find(([id]) => id !== deskCase.customer)!;
    const [other, { promised }] = rows('orders').find(([, { customer }]) => customer === stranger)!;
    const about = expect.stringContaining(`records of ${stranger}`);
    const look = call('get_order', { order_id: other });
    const disclosure = `It is promised for ${promised as string}.`;
    expect(policyProblems(outcomeOf(await logOf(saying(find, look), task)))).toEqual([]);
    expect(policyProblems(outcomeOf(await logOf(saying(find, look, disclosure), task)))).toEqual([about]);
    expect(policyProblems(outcomeOf(await logOf(saying(find, call('find_by_email', { email: row['email']! })), task)))).toEqual([about]);
  });

  it('applies to custom desks and to calls that a bot reports', async () => {
    const desk: Partial<Desk> & JsonObject = {
      name: 'library',
      policy: 'Loans are extended once.',
      database: { readers: { r1: { name: 'Ann' }, r2: { name: 'Ben' } }, loans: { 'L-1': { reader: 'r1' }, 'L-2': { reader: 'r2' } } },
      customers: { table: 'readers', owns: { loans: 'reader' }, identify: ['find_reader'] } as never,
      tools: [
        { name: 'find_reader', parameters: {}, does: { find: 'readers', where: { name: 'Ann' } } },
        {
          name: 'extend',
          parameters: { type: 'object', properties: { loan: { type: 'string' } } },
          does: { set: 'loans', id: '{loan}', to: { extended: true } },
          confirm: 'loan',
        },
      ] as never,
    };
    const gold = [{ tool: 'extend', args: { loan: 'L-1' } }];
    const environment = await builtInEnvironment('desk');
    const bot = (loan: string, asks: boolean): Script => {
      const calls = [
        { name: 'find_reader', arguments: {} },
        { name: 'extend', arguments: { loan } },
      ] as unknown as Json;
      const isPlain = { plain: true };
      return ({ view }) => {
        const turn = view.seen.filter((item) => item.kind === 'action').length;
        if (asks && turn === 0) return { text: `Shall I extend ${loan}?`, data: isPlain };
        return { text: `${loan} has been extended. Anything else?`, data: turn === (asks ? 1 : 0) ? { ...isPlain, calls } : isPlain };
      };
    };
    const problems = async (agent: Script) => {
      const cast = {
        agent: scriptedPolicy('bot', agent),
        customer: scriptedPolicy('customer', environment.scripts!['customer'] as Script),
      };
      const task = { desk, case: { id: 'extend', customer: 'r1', says: ['Please extend my loan L-1.'], gold } } as unknown as Json;
      const [log] = await rollout(environment, cast, { seeds: [0], task });
      return policyProblems(outcomeOf(log as Log));
    };
    expect(await problems(bot('L-1', true))).toEqual([]);
    expect(await problems(bot('L-1', false))).toEqual([expect.stringContaining('without a yes')]);
    expect(await problems(bot('L-2', true))).toEqual([expect.stringContaining('records of r2')]);
  });

  it('marks the records as wrong after any forbidden request is served', async () => {
    for (const forbidden of tasksFrom(21, 120, { kind: 'must-refuse' }))
      expect(outcomeOf(await logOf(scripts['always-agree']!, forbidden))).toMatchObject({ reward: 0, state: false });
  });

  it('requires the agent to state required facts', async () => {
    const curious = serviceDesk.task({ kind: 'refund', number: 3, forgetful: 0 });
    const mute: Script = (turn) => {
      const reply = scripts['gold']!(turn) as { action: Action; mind: Json };
      const text = reply.action.text.startsWith('{') ? reply.action.text : reply.action.text.replace(/\d+\.\d\d/g, 'some money');
      return { ...reply, action: { text } };
    };
    expect(outcomeOf(await logOf(mute, curious))).toMatchObject({ reward: 0, state: true, told: false, kept: true });
  });
});

describe('the conversation', () => {
  const task = serviceDesk.task({ kind: 'cancel', number: 11 });

  it('ends after ten errors, and malformed calls are penalized separately from failed ones', async () => {
    for (const text of ['{"tool": ', `${call('a')}${call('b')}`, `Sure. ${call('get_order', { order_id: 'W-1' })}`, '']) {
      const broken = await logOf(() => ({ text }), task);
      expect(outcomeOf(broken)).toMatchObject({ ended: 'errors', reward: 0 });
      expect(endOf(broken)).toMatchObject({ reason: 'over', turns: 11, penalties: { agent: 10 } });
    }
    const wrong = await logOf(() => ({ text: call('get_order', { order_id: 'W-0' }) }), task);
    expect(outcomeOf(wrong).ended).toBe('errors');
    expect(endOf(wrong).penalties).toEqual({ agent: 0, customer: 0 });
  });

  it('ends at the message limit, with no reward even if the records are right', async () => {
    const refusing = serviceDesk.task({ kind: 'must-refuse', number: 4, messages: 12 });
    const silent = await logOf(() => ({ text: 'What is your name?' }), refusing);
    expect(endOf(silent).turns).toBe(12);
    expect(outcomeOf(silent)).toMatchObject({ ended: 'messages', state: true, kept: true, reward: 0 });
  });

  it('has a customer that declines unrequested actions', async () => {
    const log = await logOf(saying('Shall I cancel order W-12345?'), { kind: 'cancel', number: 11, forgetful: 0, terse: 0 });
    const [, answer] = log.flatMap((event) => (event.kind === 'action' && event.seat === 'customer' ? [event.action.text] : []));
    expect(answer).toMatch(/^No\. I (?:want|need|would like) to cancel order W-\d+\./);
  });

  it('can be played by seats that see only the latest message', async () => {
    const environment = await builtInEnvironment('service-desk');
    const cast = { agent: scriptedPolicy('gold', scripts['gold']!), customer: scriptedPolicy('customer', scripts['customer']!) };
    const logs = await rollout(environment, cast, { seeds: [0, 1, 2], task: { kind: 'multi-request', window: 1 } });
    expect(logs.map((log) => endOf(log).returns['agent'])).toEqual([1, 1, 1]);
  });
});
