import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Agent, EpisodeEvent, Json } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { insideOf } from './mind-view.ts';

/** The first action of X in tic-tac-toe, played by this agent. */
async function firstMove(settings: { readonly kind: string; readonly settings: Json }): Promise<Extract<EpisodeEvent, { kind: 'action' }>> {
  const environment = await builtInEnvironment('tic-tac-toe');
  const load = createAgentLoader({ environment: builtInEnvironment });
  const cast: Record<string, Agent> = {
    X: await load({ name: 'X', ...settings } as never, 'X', environment),
    O: await load('random', 'O', environment),
  };
  for await (const event of play(environment, cast, { task: {}, seed: 3, signal: new AbortController().signal }))
    if (event.kind === 'action') return event;
  throw new Error('Nobody moved.');
}

describe('the inside view of a mind', () => {
  it('shows the discussion of a team', async () => {
    const { mind, action } = await firstMove({
      kind: 'team',
      settings: { members: ['random', 'scripted:minimax'], protocol: 'in-order' },
    });
    const inside = insideOf(mind, undefined, action.text);
    expect(inside?.discussion).toMatchObject({ protocol: 'in-order', members: ['random', 'scripted minimax'], answer: action.text });
    expect(inside?.discussion?.lines.length).toBeGreaterThanOrEqual(2);
    expect([inside?.search, inside?.thought]).toEqual([null, '']);
  });

  it('shows a search as a tree of moves, most visited first, with continuations', async () => {
    const { mind, action } = await firstMove({ kind: 'search', settings: { strategy: 'mcts', simulations: 300 } });
    const { search } = insideOf(mind, undefined, action.text)!;
    expect(search).toMatchObject({ strategy: 'mcts', exact: true, made: action.text });
    expect(search?.moves[0]?.move).toBe(action.text);
    expect(search?.moves.reduce((sum, { visits }) => sum + visits, 0)).toBe(300);
    const [best] = search!.moves;
    expect(best?.next?.length).toBeGreaterThan(0);
    expect(best?.next?.reduce((sum, { visits }) => sum + visits, 0)).toBeLessThan(best!.visits);
    expect(best?.next?.some(({ move }) => move === action.text)).toBe(false);
  });

  it('shows the evidence of a memory and rejects a malformed mind', () => {
    const record = { validFrom: 0, recordedAt: 0, importance: 5, owner: 'a' };
    const mind = {
      ...{ kind: 'mind/1', count: 1, turn: 1, opening: 0, start: 0 },
      memory: {
        next: 3,
        records: [
          { ...record, id: 'm1', kind: 'fact', text: 'Rain.', evidence: ['e4'] },
          { ...record, id: 'm2', kind: 'reflection', text: 'It is autumn.', evidence: ['m1'], retractedAt: 1 },
        ],
      },
    };
    expect(insideOf(mind, undefined, '')?.memories).toEqual([
      { id: 'm1', kind: 'fact', text: 'Rain.', used: false, evidence: ['e4'], gone: false },
      { id: 'm2', kind: 'reflection', text: 'It is autumn.', used: false, evidence: ['m1'], gone: true },
    ]);
    const strange = [{ kind: 'team/1', discussion: 4 }, { kind: 'search/1', moves: [null, 4, { move: [], next: 3 }] }, [], 'x'] as Json[];
    expect(strange.map((item) => insideOf(item, undefined, '')?.search?.moves.length ?? 0)).toEqual([0, 1, 0, 0]);
  });
});
