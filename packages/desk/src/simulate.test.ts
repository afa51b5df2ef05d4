/** @file A conversation in a test runner: a good bot passes, a bad one is named with its fault, and unchecked faults are listed. */

import { describe, expect, it } from 'vitest';
import { judgeRun, simulate } from './simulate.ts';

const policy = '- A locker costs 8 a month.\n- The gym closes at 23.';

describe('simulate', () => {
  it('lets a bot talk with a customer and judges it by a policy', async () => {
    const bot = (message: string) => (/locker/.test(message) ? 'A locker costs 8 a month, so 48 for six months.' : 'We close at 23.');
    const customer = {
      says: [
        { ask: 'What does a locker cost for 6 months?', tell: [48] },
        { ask: 'When do you close?', tell: [23] },
      ],
    };
    const run = await simulate(bot, { customer, policy });
    expect(run).toMatchObject({ passed: true, faults: [], problems: [] });
    expect(run.lines[0]).toMatchObject({ by: 'customer', text: expect.stringContaining('locker') });
    expect(judgeRun(run, '- A locker costs 5 a month.').faults.map(({ fault }) => fault)).toContain('invention');
  });

  it('reports the fault and the unchecked rules', async () => {
    const tools = [
      {
        ...{ name: 'renew_loan', description: '', parameters: { type: 'object', properties: { loan: { type: 'string' } } } },
        does: { set: 'loans', id: '{loan}', to: { renewed: 1 } },
      },
    ];
    const desk = { tools, database: { loans: { L1: { renewed: 0 } } } };
    const customer = { says: ['Please renew L1.'], gold: [{ tool: 'renew_loan', args: { loan: 'L1' } }] };
    const silent = await simulate(() => 'L1 is renewed.', { customer, desk });
    expect(silent.unchecked).toContain('whether what it says is done was done');
    const idle = await simulate(() => ({ reply: 'L1 is renewed.', tool_calls: [] }), { customer, desk });
    expect(idle.unchecked).toEqual([]);
    expect(idle.faults.map(({ fault }) => fault)).toContain('promise');
  });

  it('ends at the given condition', async () => {
    const run = await simulate(() => 'Hello?', { customer: 'Cancel my table.', until: (lines) => lines.length >= 1 });
    expect(run.events.every(({ kind }) => kind !== 'end')).toBe(true);
    expect(run.problems).toEqual([]);
  });

  const judge = async (answer: string, rules: string) => {
    const { faults, unchecked } = await simulate(() => answer, { customer: { says: [{ ask: 'How do you work?' }] }, policy: rules });
    return { faults: faults.map(({ fault }) => fault), unchecked: unchecked.filter((what) => what.startsWith('the rule')) };
  };

  it('rejects a number of messages that makes no conversation', async () => {
    await expect(simulate(() => 'Hello.', { customer: 'Hi.', until: 0 })).rejects.toMatchObject({ code: 'E_INVALID_OPTION' });
  });

  it('lists every sentence of a policy that it cannot check', async () => {
    const rules = '# Rules\n- Refund nobody.\n- Be formal. The deposit is 50 euros.\n- Never mention Acme.';
    expect((await judge('We rent out bicycles.', rules)).unchecked).toEqual(['the rule "Refund nobody."', 'the rule "Be formal."']);
  });

  it('checks a yes and an identification in a policy without tools, each by its own rule', async () => {
    const customer = { says: ['Please cancel my room B12.'], knows: { 'date of birth': '1990-02-03' } };
    const rules = ['Cancel a room only after the customer has given their date of birth.', 'Before you cancel a room, ask for a yes.'];
    const hasty = await simulate(() => 'B12 is cancelled.', { customer, policy: rules.join('\n') });
    expect(hasty.faults.map(({ fault }) => fault).toSorted()).toEqual(['consent', 'identity']);
    expect(hasty.unchecked).toEqual([]);
    const answers = ['Your date of birth?', 'Shall I cancel B12?', 'B12 is cancelled.'];
    const careful = await simulate(() => answers.shift() ?? 'Goodbye.', { customer, policy: rules.join('\n') });
    expect(careful).toMatchObject({ passed: true, unchecked: [] });
    const other = await simulate(() => 'B12 is cancelled.', {
      customer,
      policy: `${rules[0]}\nBefore you sell a drum, ask for proof of age.`,
    });
    expect(other.unchecked).toEqual(['the rule "Before you sell a drum, ask for proof of age."']);
  });

  it.each([
    ['The deposit is 50 euros.', 'As I said, the deposit is 10 euros.'],
    ['The deposit is €50.', 'Your deposit is 10 €.'],
    ['Never mention the competitor Acme.', 'You could also ask ACME.'],
    ['Do not say "no problem".', 'No problem, that works.'],
    ['Never tell anybody the door code "7741" of the hall.', 'By the way, the code is 7741.'],
  ])('detects a violation of %s', async (rule, answer) => {
    expect(await judge(answer, rule)).toMatchObject({ faults: expect.arrayContaining(['policy']), unchecked: [] });
  });

  it.each([
    ['The deposit is 50 euros.', 'The deposit is 50 euros, not 10 euros.'],
    ['The deposit is 50 euros.', 'The deposit is 100 euros for two bicycles.'],
    ['The deposit is 50 euros.', 'The deposit is 2 days late.'],
    ['The deposit is 50 euros.\nFor members the deposit is 20 euros.', 'The deposit is 20 euros.'],
    ['Never mention the competitor Acme.', 'We repair acmeists too.'],
    ['Never tell anybody the door code "7741" of the hall.', 'That is bicycle 77415.'],
    ['Never tell the door code "7741" before the customer has paid.', 'You have paid, so: 7741.'],
  ])('finds no violation of %s', async (rule, answer) => {
    expect((await judge(answer, rule)).faults).not.toContain('policy');
  });
});
