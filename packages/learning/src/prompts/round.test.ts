import { describe, expect, it } from 'vitest';
import { componentsOf } from './components.ts';
import { gepa } from './engines/gepa.ts';
import { coins, reflecting, start, worthOf } from './engines/lines.cases.ts';
import { playbook } from './engines/playbook.ts';
import { lightRound } from './round.ts';
import { idleProposer, toyGround } from './toy.cases.ts';

const tasks = { propose: 8, select: 12, report: 1 };

describe('light round', () => {
  it('returns a better text first, and then distinct alternatives', async () => {
    const front = await lightRound({ engine: playbook, ground: coins(), tasks, seed: 2, start, proposer: reflecting(0.8), calls: 200 });
    expect(worthOf(front[0] as typeof start)).toBeGreaterThan(worthOf(start) + 0.1);
    expect(new Set(front.map((agentSpec) => JSON.stringify(componentsOf(agentSpec)))).size).toBe(front.length);
    expect(front.length).toBeLessThanOrEqual(4);
  });

  it('keeps specialists that are each best at some of the tasks', async () => {
    const ground = toyGround((spec, { task }) => {
      const good = (spec.texts?.['rules'] ?? '').includes(task % 2 === 0 ? 'good 0' : 'good 1');
      return good ? 1 : 0.2;
    });
    const proposer = reflecting(1);
    const front = await lightRound({ engine: gepa, ground, tasks, seed: 1, start, proposer, calls: 300, most: 8 });
    expect(front.length).toBeGreaterThanOrEqual(1);
    expect(front.some((agentSpec) => (agentSpec.texts?.['rules'] ?? '').includes('good 0'))).toBe(true);
  });

  it('returns the start without proposals, and stays within its budget', async () => {
    const ground = coins();
    expect(await lightRound({ engine: playbook, ground, tasks, seed: 1, start, proposer: idleProposer, calls: 60 })).toEqual([start]);
    expect(ground.made.length).toBeLessThanOrEqual(60);
  });
});
