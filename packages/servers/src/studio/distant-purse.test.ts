/** @file Several processes spend from one purse: together never more than is allowed, and everything is counted as it was. */

import { setImmediate } from 'node:timers/promises';
import { BudgetCounter, BudgetFault, type ModelCall } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { DistantPurse, PurseDesk } from './distant-purse.ts';

/** A process and its desk, with words that take their time and arrive as JSON. */
function connect(purse: BudgetCounter) {
  const later = (work: () => unknown) => void setImmediate().then(work);
  const desk: PurseDesk = new PurseDesk(purse, (answer) => later(() => distant.take(JSON.parse(JSON.stringify(answer)))));
  const distant: DistantPurse = new DistantPurse((word) => later(() => desk.take(JSON.parse(JSON.stringify(word)))), undefined);
  return { distant, desk };
}

const bound = { model: 'm', tokens: 100, money: null };
const call: ModelCall = {
  ...{ model: 'm', prompt: { messages: [{ role: 'user', content: 'Hello.' }] }, text: 'Hi.', finish: 'stop', cost: null },
  usage: { promptTokens: 5, completionTokens: 2 },
};
const never = new AbortController().signal;

describe('a budget shared by processes', () => {
  it('limits the calls of all processes together and counts the usage of each', async () => {
    const purse = new BudgetCounter({ calls: 30, failures: Number.POSITIVE_INFINITY });
    const processes = [connect(purse), connect(purse), connect(purse)];
    const spend = async ({ distant }: (typeof processes)[number]) => {
      const reservations = await Promise.allSettled(Array.from({ length: 20 }, () => distant.reserve(bound, never)));
      for (const result of reservations) {
        if (result.status === 'fulfilled') result.value.settle(call);
        else expect(result.reason).toBeInstanceOf(BudgetFault);
      }
      await distant.idle(1000);
      return reservations.filter(({ status }) => status === 'fulfilled').length;
    };
    const granted = await Promise.all(processes.map(spend));
    expect(granted.reduce((sum, count) => sum + count)).toBe(30);
    await setImmediate();
    expect([purse.spent, purse.atBound]).toEqual([{ calls: 30, tokens: 30 * 7, money: 0, unpriced: 30 }, 0]);
  });

  it('charges a dead process its full reservations and returns unsent ones', async () => {
    const purse = new BudgetCounter({ tokens: 250 });
    const { distant, desk } = connect(purse);
    const [first] = [await distant.reserve(bound, never), await distant.reserve(bound, never)];
    expect(await distant.isBounded()).toBe(true);
    const controller = new AbortController();
    const waiting = distant.reserve(bound, controller.signal);
    controller.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    first!.release();
    await setImmediate();
    await setImmediate();
    desk.close();
    expect([purse.spent.calls, purse.spent.tokens, purse.atBound]).toEqual([1, 100, 1]);
  });
});
