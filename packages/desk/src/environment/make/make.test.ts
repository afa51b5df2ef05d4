/** @file Cases made from desks: each is proved, difficulties have twins, compositions are in order, walks keep to weights, and faulty cases are turned down. */

import { type JsonObject, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { checkDesk } from '../check.ts';
import { type DeskCase, type DeskTool, readDesk } from '../document.ts';
import { goldDatabase } from '../outcome.ts';
import { sampleDesk, sampleInput } from '../sample.ts';
import { changesIn } from '../tools.ts';
import { blueprintCases, drawDatabase, entitiesOf, identityIn, rulesNotApplied } from './blueprint.ts';
import { composeCases, joinCases, orderOf } from './compose.ts';
import { makeCases } from './index.ts';
import { makeKinds } from './kinds.ts';
import { proveCases } from './prove.ts';
import { policyGraph, ruleCases, walk } from './rules.ts';

const find = (id: string) => sampleDesk.tasks.find((task) => task.id === id)!;

describe('generated cases', () => {
  const { kept, down } = makeCases(sampleDesk, { kinds: makeKinds, each: 12, seed: 3 });

  it('are solvable by their gold calls, have unique ids, and cover every kind', () => {
    const deskCheck = checkDesk({ ...sampleDesk, tasks: kept });
    expect(deskCheck).toMatchObject({ cases: kept.length, solvable: kept.length, passedByNothing: [] });
    expect(new Set(kept.map(({ id }) => id)).size).toBe(kept.length);
    const probes = new Set(kept.map(({ probe }) => probe.replace(/, level.*/, '')));
    for (const kind of ['rules', 'parallel', 'chain', 'hidden', 'switch', 'ambiguous', 'clear']) expect(probes, kind).toContain(kind);
    expect(down.every(({ why }) => why !== '')).toBe(true);
  });

  it('ask for the intent of a message and the quality of transcripts that keep or break a rule', () => {
    const deskCases = makeCases(sampleDesk, { kinds: ['intent', 'quality'], each: 30, seed: 1 }).kept;
    const intents = deskCases.filter(({ probe }) => probe === 'intent');
    expect(new Set(intents.map(({ says }) => says[0]?.tell[0])).size).toBeGreaterThan(1);
    for (const { says } of intents) expect(says[0]?.say).toContain(String(says[0]?.tell[0]));
    const broken = deskCases.filter(({ id }) => id.startsWith('quality-consent') && id.endsWith('-broken'));
    expect(broken.length).toBeGreaterThan(0);
    for (const { id, says } of broken) {
      expect(says[0]).toMatchObject({ tell: ['no'], say: expect.not.stringContaining('Shall I go ahead?') });
      expect(deskCases.find((deskCase) => deskCase.id === id.replace('-broken', ''))?.says[0]).toMatchObject({
        tell: ['yes'],
        say: expect.stringContaining('Shall I go ahead?'),
      });
    }
  });

  it('describe a record by a column if its id must be looked up, in customer language', () => {
    const chains = kept.filter(({ probe }) => probe === 'chain').map(({ says }) => says[0]?.say);
    expect(chains).toContain('I want to cancel my order (item: bell).');
    expect(chains).toContain('My order (item: lamp) came late. I want a refund of the shipping fee.');
  });

  it('are the same for the same seed', () => {
    expect(makeCases(sampleDesk, { kinds: ['rules', 'compose'], each: 5, seed: 3 })).toEqual(
      makeCases(sampleDesk, { kinds: ['rules', 'compose'], each: 5, seed: 3 }),
    );
  });

  it('have twins that differ only in the difficulty', () => {
    const twins = kept.filter(({ id }) => kept.some((deskCase) => deskCase.id === `${id}-plain`));
    expect(twins.length).toBeGreaterThan(3);
    for (const twin of twins) {
      const plain = kept.find(({ id }) => id === `${twin.id}-plain`)!;
      expect(twin.gold).toEqual(plain.gold);
      expect([twin.says, twin.watches]).not.toEqual([plain.says, plain.watches]);
    }
    const unclear = kept.find(({ probe }) => probe === 'ambiguous')!;
    expect(unclear.says[0]?.say).not.toMatch(/B-\d/);
    const hidden = kept.find(({ probe }) => probe === 'hidden')!;
    expect([hidden.says[0]?.say.includes('41 Orchard Way'), Object.values(hidden.knows).includes('41 Orchard Way')]).toEqual([false, true]);
  });
});

describe('compositions', () => {
  it('detect order dependence by running both orders', () => {
    const cancel = find('cancel-pending');
    const address = { ...cancel, id: 'a', gold: [{ tool: 'change_address', args: { order: 'B-1001', address: 'x' } }] };
    // An order that is cancelled cannot be sent elsewhere any more.
    expect([orderOf(sampleDesk, address, cancel), orderOf(sampleDesk, cancel, address)]).toEqual(['sequential', 'impossible']);
    expect(orderOf(sampleDesk, cancel, find('refund-late'))).toBe('parallel');
    const both = [joinCases(cancel, find('refund-late')), joinCases(find('refund-late'), cancel)];
    expect(goldDatabase(sampleDesk, both[0]!)).toEqual(goldDatabase(sampleDesk, both[1]!));
    for (const deskCase of composeCases(sampleDesk, rng(1)))
      expect(Object.keys(changesIn(sampleDesk.database, goldDatabase(sampleDesk, deskCase))).length).toBeGreaterThan(0);
  });
});

describe('walks over the rules of a policy', () => {
  it('follow the weights, visit nothing twice, and stop at the target', () => {
    const rule = (difficulty: number) => ({ text: 'x', difficulty, cases: [] });
    const graph = {
      rules: [rule(2), rule(2), rule(2)],
      weights: [
        [0, 10, 5],
        [10, 0, 0],
        [5, 0, 0],
      ],
    };
    const used = [0, 0, 0];
    let starts = 0;
    for (let seed = 0; seed < 3000; seed++) {
      const path = walk(graph, 4, rng(seed));
      expect(new Set(path).size).toBe(path.length);
      if (path[0] !== 0) continue;
      starts++;
      used[path[1]!]!++;
    }
    // Weights 10 and 5: two thirds and one third, within four standard errors.
    const error = 4 * Math.sqrt(2 / 9 / starts);
    expect(Math.abs(used[1]! / starts - 2 / 3)).toBeLessThan(error);
    expect(
      walk(
        {
          rules: [rule(1), rule(1)],
          weights: [
            [0, 0],
            [0, 0],
          ],
        },
        5,
        rng(1),
      ),
    ).toHaveLength(1);
  });

  it('distinguish rules about different actions', () => {
    const { rules } = policyGraph({
      ...sampleDesk,
      policy: '- The address of a pending order can be changed.\n- A pending order can be cancelled at any address.',
    });
    expect(rules.map(({ cases }) => cases.includes('change-address'))).toEqual([true, false]);
    expect(rules.map(({ cases }) => cases.includes('cancel-pending'))).toEqual([false, true]);
  });

  it('connect rules that share cases', () => {
    const { rules, weights } = policyGraph(sampleDesk);
    expect(rules.length).toBeGreaterThan(4);
    expect(rules.every(({ difficulty }) => difficulty >= 1 && difficulty <= 5)).toBe(true);
    for (const [i, row] of weights.entries()) expect([row[i], Math.max(...row) <= 10]).toEqual([0, true]);
    expect(rules.some(({ cases }) => cases.includes('cancel-pending'))).toBe(true);
  });
});

describe('the vetoes', () => {
  it('reject by form, execution, veto, and majority, each with a reason', () => {
    const good = find('cancel-pending');
    const { kept, down } = proveCases(
      [
        good,
        { id: 'form' },
        { ...good, id: 'execution', gold: [{ tool: 'cancel_order', args: { order: 'B-1003' } }] },
        { ...good, id: 'foreign', knows: {}, says: ['Hm there.'], gold: [{ tool: 'cancel_order', args: { order: 'B-2002' } }] },
      ],
      sampleDesk,
    );
    expect(kept.map(({ id }) => id)).toEqual(['cancel-pending']);
    expect(down.map(({ id, stage }) => [id, stage])).toEqual([
      ['form', 'form'],
      ['execution', 'execution'],
      ['foreign', 'veto'],
    ]);
    expect(down[2]?.why).toContain('somebody else');
    // A single hard rule is enough, even where the case is well formed and everything is said.
    const foreign = {
      ...good,
      id: 'foreign',
      says: ['Please cancel order B-2002.'],
      gold: [{ tool: 'cancel_order', args: { order: 'B-2002' } }],
    };
    expect(proveCases([foreign], sampleDesk).down).toMatchObject([{ stage: 'veto' }]);
    // What the agent can never learn, and what passes by itself, are no cases either.
    const hidden = { ...good, id: 'hidden', gold: [{ tool: 'change_address', args: { order: 'B-1001', address: '5 Moon Street' } }] };
    expect(proveCases([hidden], sampleDesk).down).toMatchObject([{ stage: 'veto', why: expect.stringContaining('5 Moon Street') }]);
    const idle = { ...good, id: 'idle', says: ['Hello, I am fine.'], gold: [] };
    expect(proveCases([idle], sampleDesk).kept).toEqual([]);
  });
});

describe('cases along the rules', () => {
  it('are labeled only with rules that one of their cases touches', () => {
    const { rules } = policyGraph(sampleDesk);
    for (const seed of [3, 4, 5])
      for (const deskCase of ruleCases(sampleDesk, 12, rng(seed))) {
        const statements = deskCase.says.map(({ say }) => say);
        const ownItems = sampleDesk.tasks.filter(({ says }) => says.every(({ say }) => statements.includes(say))).map(({ id }) => id);
        for (const label of deskCase.rules ?? [])
          expect(rules.find(({ text }) => text === label)?.cases.some((id) => ownItems.includes(id))).toBe(true);
        expect(deskCase.probe).toBe(
          `rules, level ${rules.filter(({ cases }) => cases.some((id) => ownItems.includes(id))).reduce((sum, { difficulty }) => sum + difficulty, 0)}`,
        );
      }
  });
});

describe('a desk built from its tools', () => {
  it('lists rules with a condition that no case was made for', () => {
    const policy = '# Rules\n- An order may never be cancelled.\n- An address may be changed only within 2 days.\n- Be polite.';
    const database = drawDatabase(entitiesOf(sampleDesk.tools), 3, rng(5));
    expect(rulesNotApplied(sampleDesk.tools, database, policy)).toEqual([
      { tool: 'change_address', rule: 'An address may be changed only within 2 days.' },
    ]);
    const order = find('cancel-pending');
    expect(proveCases([order], { ...sampleDesk, policy }).down).toMatchObject([{ stage: 'veto', why: expect.stringContaining('forbids') }]);
  });

  it('has records in every state that a tool names, so a rule about any of them gets a case', () => {
    const tool = (name: string, from: string, to: string) => ({
      ...{ name, description: '', parameters: { type: 'object', properties: { rental: { type: 'string' } } } },
      does: { set: 'rentals', id: '{rental}', if: { status: from }, to: { status: to } },
    });
    const tools = [tool('cancel_rental', 'booked', 'cancelled'), tool('return_rental', 'out', 'returned')];
    const database = drawDatabase(entitiesOf(tools), 4, rng(5));
    expect(new Set(Object.values(database['rentals']!).map(({ status }) => status)).size).toBe(4);
    expect(rulesNotApplied(tools, database, '- A rental that is returned cannot be cancelled.')).toEqual([]);
  });

  it('follows the policy: forbidden actions are refused, and customers are identified as it says', () => {
    const policy =
      '- Nothing may ever be cancelled.\n- Identify readers by their card number.\n- Only pending orders can be sent elsewhere.';
    const database = drawDatabase(entitiesOf(sampleDesk.tools), 3, rng(5), identityIn(policy));
    const tasks = blueprintCases(sampleDesk.tools, database, rng(5), policy);
    const of = (tool: string) => tasks.filter(({ id }) => id.startsWith(tool));
    expect(of('cancel_order').every(({ refuse, gold }) => refuse && gold.length === 0)).toBe(true);
    expect(of('change_address').some(({ refuse }) => !refuse)).toBe(true);
    expect(Object.keys(tasks[0]!.knows)[0]).toBe('card number');
    expect(Object.values(tasks[0]!.knows)[0]).toBe(database['customers']![tasks[0]!.customer!]!['card_number']);
  });

  it('has tables, records, and proven cases, both done and refused', () => {
    const { tools } = sampleDesk;
    const entities = entitiesOf(tools);
    expect(entities.find(({ table }) => table === 'orders')?.columns).toMatchObject({ status: ['pending', 'cancelled'], address: [] });
    const database = drawDatabase(entities, 4, rng(5));
    const tasks = blueprintCases(tools, database, rng(5));
    const desk = readDesk({ ...sampleInput, database, tasks: tasks.map((task) => ({ ...task, customer: null })) });
    expect(checkDesk(desk).solvable).toBe(tasks.length);
    expect([tasks.some(({ refuse }) => refuse), tasks.some(({ refuse }) => !refuse)]).toEqual([true, true]);
    // Results are asked for afterwards, so that a bot is not judged by its claims; refused requests are not.
    const cancelled = tasks.find(({ gold }) => gold[0]?.tool === 'cancel_order');
    expect(cancelled?.says[1]).toMatchObject({
      kind: 'ask',
      say: expect.stringMatching(/^What is the status of order /),
      tell: ['cancelled'],
    });
    expect(tasks.filter(({ refuse }) => refuse).every(({ says }) => says.length === 1)).toBe(true);
  });
});

describe('a desk built from tools and conditional rules', () => {
  const tool = (name: string, does: DeskTool['does'], properties: JsonObject): DeskTool => ({
    name,
    description: '',
    does,
    parameters: { type: 'object', properties },
  });
  const tools = [
    tool(
      'extend_berth',
      { set: 'berths', id: '{berth}', to: { weeks: '{weeks}' } },
      { berth: { type: 'string' }, weeks: { type: 'integer', enum: [1, 2] } },
    ),
    tool(
      'cancel_trip',
      { set: 'trips', id: '{trip}', to: { status: 'cancelled' }, if: { status: 'booked' } },
      { trip: { type: 'string' } },
    ),
  ];
  const casesFor = (policy: string) => {
    const database = drawDatabase(entitiesOf(tools), 3, rng(5), identityIn(policy));
    return blueprintCases(tools, database, rng(5), policy);
  };
  const isRefused = (cases: readonly DeskCase[], name: string) =>
    cases.filter(({ id }) => id.startsWith(name)).every(({ refuse }) => refuse);

  it('refuses actions that are always forbidden, but not those forbidden under a condition', () => {
    for (const rule of [
      'Never extend a berth in winter storage.',
      'A berth that is overdue cannot be extended.',
      'A berth is never extended on Sundays.',
    ])
      expect(isRefused(casesFor(rule), 'extend_berth')).toBe(false);
    for (const rule of ['Nothing may ever be extended. Always refuse.', 'Berths are never extended.', 'We do not extend a berth.'])
      expect(isRefused(casesFor(rule), 'extend_berth')).toBe(true);
  });

  it('refuses an action only if the record meets the condition of the rule', () => {
    const database = {
      customers: { c1: { name: 'Ann' } },
      loans: { L1: { customer: 'c1', state: 'late' }, L2: { customer: 'c1', state: 'current' } },
    };
    const extend = tool('extend_loan', { set: 'loans', id: '{id}', to: { extended: true } }, { id: { type: 'string' } });
    for (const rule of [
      'A loan that is late is never extended.',
      'Do not extend a loan in the state late.',
      'Refuse requests to extend loans if the state is late.',
    ])
      expect(blueprintCases([extend], database, rng(5), rule).map(({ id, refuse }) => [id, refuse])).toEqual([
        ['extend_loan-L1', true],
        ['extend_loan-L2', false],
      ]);
  });

  it('draws dates for date columns and arguments, and states requests in full sentences', () => {
    const move = tool(
      'move_booking',
      { set: 'bookings', id: '{booking}', to: { day: '{new_day}' } },
      {
        booking: { type: 'string' },
        new_day: { type: 'string' },
      },
    );
    const isDate = expect.stringMatching(/^2027-\d\d-\d\d$/) as string;
    const database = drawDatabase(entitiesOf([move]), 2, rng(5));
    for (const { day } of Object.values(database['bookings'] ?? {})) expect(day).toEqual(isDate);
    const [first] = blueprintCases([move], database, rng(5));
    expect(first?.gold[0]?.args).toEqual({ booking: expect.any(String) as string, new_day: isDate });
    expect(first?.says[0]?.say).toMatch(/^I want to move booking \w+\. The new day is 2027-\d\d-\d\d\.$/);
  });

  it('draws values that the tool schema allows, and identifies customers as the policy says', () => {
    const cases = casesFor('Customers are found by their card number before anything else.');
    const weeks = cases.flatMap(({ gold }) => gold.flatMap(({ args }) => ('weeks' in args ? [args['weeks']] : [])));
    expect(new Set(weeks)).toEqual(new Set([1, 2]));
    expect(cases.every(({ knows }) => 'card number' in knows)).toBe(true);
  });
});
