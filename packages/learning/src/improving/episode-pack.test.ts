/** @file A pack from stored episodes of any environment: what worked in each task, why, and an episode that shows it. */

import { type Action, type AgentSpec, type AnyEnvironment, type EpisodeEvent, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { packOfEpisodes } from './episode-pack.ts';
import { withPack } from './pack.ts';

const choices = ['[a]', '[b]', '[c]'];

/** Two doors by the task; each opens after its own two moves. */
const doorsWith = (rules: string): AnyEnvironment => ({
  id: 'doors@1',
  about: { summary: 'Doors.', tasks: [{ door: 'red' }, { door: 'blue' }], turns: 2 },
  parameters: {},
  task: (input) => input as { door: string },
  seats: () => ['guest'],
  start: ({ door }: { door: string }) => ({
    state: { door, moves: '' },
    messages: [{ to: ['guest'], text: `${rules}A ${door} door.` }],
    asks: [{ seat: 'guest', choices }],
  }),
  step(before: { door: string; moves: string }, { guest }: Readonly<Record<string, Action>>) {
    const state = { ...before, moves: before.moves + (guest?.text ?? '') };
    const isOver = state.moves.length === 6;
    const paid = state.moves === (state.door === 'red' ? '[a][b]' : '[c][c]') ? 1 : 0;
    return {
      state,
      messages: [{ to: ['guest'], text: paid === 1 ? 'It opens.' : 'It stays shut.' }],
      asks: isOver ? [] : [{ seat: 'guest', choices }],
      ...(isOver ? { rewards: { guest: paid } } : {}),
    };
  },
});

async function logOf(door: string, moves: readonly string[], rules = ''): Promise<readonly EpisodeEvent[]> {
  const guest = scripted('guest', ({ view }) => ({ text: moves[view.seen.filter(({ kind }) => kind === 'action').length] ?? '' }));
  const log: EpisodeEvent[] = [];
  for await (const event of play(doorsWith(rules), { guest }, { task: { door }, seed: 1 })) log.push(event);
  return log;
}

describe('packOfEpisodes', () => {
  it('lists the best moves per task, the difference from worse ones, and a trace', async () => {
    const logs = [
      await logOf('red', ['[a]', '[c]']),
      await logOf('red', ['[a]', '[b]']),
      await logOf('red', ['[b]', '[b]']),
      await logOf('blue', ['[a]', '[a]']),
    ];
    const { entries } = packOfEpisodes(logs, 'guest', 'doors');
    expect(entries.map(({ text }) => text)).toEqual([
      'A red door. What worked: [a], then [b].',
      'A blue door. What was tried: [a], then [a].',
    ]);
    expect(entries[0]?.why).toBe('It was paid 1, the mean of all episodes is 0.25. With [c] in place of [b] at move 2 it was paid 0.');
    expect(entries[0]?.trace).toContain('guest: [b]\nIt opens.');
    expect(entries.map(({ gain }) => gain)).toEqual([0.75, -0.25]);
  });

  it('names tasks by what differs after the same rules', async () => {
    const rules = `${'You open doors by moves in square brackets. '.repeat(6)}Two moves are left.\n`;
    const logs = [await logOf('red', ['[a]', '[b]'], rules), await logOf('blue', ['[c]', '[c]'], rules)];
    const { entries } = packOfEpisodes(logs, 'guest', 'doors');
    expect(entries.map(({ text }) => text.split(' What')[0])).toEqual(['A red door.', 'A blue door.']);
  });

  it('works with a single task and rejects unfinished episodes', async () => {
    const { entries } = packOfEpisodes([await logOf('blue', ['[c]', '[c]'])], 'guest', 'doors');
    expect(entries.map(({ text, gain }) => [text, gain])).toEqual([['A blue door. What worked: [c], then [c].', 0]]);
    expect(() => packOfEpisodes([], 'guest', 'doors')).toThrow('No finished episode of doors');
  });

  it('is added to every language agent of a team, but not to other agents', async () => {
    const pack = packOfEpisodes([await logOf('blue', ['[c]', '[c]'])], 'guest', 'doors');
    const team: AgentSpec = { name: 'team', kind: 'team', settings: { members: ['llm:fake', { name: 'b', kind: 'scripted' }] } };
    const { settings = {} } = withPack(team, pack);
    const [first, second] = settings['members'] as unknown as readonly AgentSpec[];
    expect(first).toMatchObject({ kind: 'llm:fake', settings: { memory: 'relevant' }, notes: [expect.stringContaining('What worked')] });
    expect(second).toEqual({ name: 'b', kind: 'scripted' });
    expect(() => withPack({ name: 'r', kind: 'random' }, pack)).toThrow('r is of the kind "random"');
    expect(() => withPack({ ...team, settings: { members: ['random'] } }, pack)).toThrow('language agents');
  });
});
