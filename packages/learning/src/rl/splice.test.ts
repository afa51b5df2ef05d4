import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Environment, type EpisodeEvent, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { joinLogs, sharedLength, splice } from './splice.ts';

type State = { readonly value: number; readonly moves: number };

/** A counter from 1 to the goal 6, by adding one or doubling; nothing can be undone. */
const counter: Environment<State, Record<string, never>> = {
  id: 'counter@1',
  about: { summary: 'Reach six.', tasks: [{}], turns: 3 },
  parameters: {},
  task: () => ({}),
  seats: () => ['counter'],
  start: () => ({
    state: { value: 1, moves: 0 },
    messages: [{ to: ['counter'], text: '1' }],
    asks: [{ seat: 'counter', choices: ['+1', '*2'] }],
  }),
  step: ({ value, moves }, actions) => {
    const next = actions['counter']?.text === '*2' ? value * 2 : value + 1;
    const over = next === 6 || moves === 2;
    return {
      state: { value: next, moves: moves + 1 },
      messages: [{ to: ['counter'], text: String(next) }],
      asks: over ? [] : [{ seat: 'counter', choices: ['+1', '*2'] }],
      ...(over ? { rewards: { counter: next === 6 ? 1 : 0 } } : {}),
    };
  },
};

async function played(moves: readonly string[]): Promise<readonly EpisodeEvent[]> {
  let next = 0;
  const log: EpisodeEvent[] = [];
  for await (const event of play(counter, { counter: scripted('script', () => ({ text: moves[next++] ?? '+1' })) }, { seed: 1 }))
    log.push(event);
  return log;
}

const told = (log: readonly EpisodeEvent[]) => log.flatMap((event) => (event.kind === 'message' ? [Number(event.text)] : []));

describe('splice', () => {
  it('rewinds the environment to the point of divergence, where plain gluing fails', async () => {
    const bad = await played(['+1', '*2', '*2']);
    const good = await played(['+1', '+1', '*2']);
    expect([told(bad), told(good)]).toEqual([
      [1, 2, 4, 8],
      [1, 2, 3, 6],
    ]);
    const at = bad.findIndex((event) => event.kind === 'message' && event.text === '4') + 1;
    // The good moves +1, *2 from 4 would lead to 5 and 10; the glued log claims 3 and 6.
    const naive = joinLogs({ bad, good, at });
    expect(told(naive)).toEqual([1, 2, 4, 3, 6]);
    expect(replay(counter, naive)).not.toBeNull();
    const { log, how, undone } = await splice({ environment: counter, bad, good, at });
    expect(how).toBe('rewound');
    expect(replay(counter, log)).toBeNull();
    expect(told(log)).toEqual([1, 2, 3, 6]);
    expect(undone.some((event) => event.kind === 'action' && event.action.text === '*2')).toBe(true);
    expect(log.at(-1)).toMatchObject({ kind: 'end', returns: { counter: 1 } });
  });

  it('glues logs if the first start really leads to the second end', async () => {
    const bad = await played(['+1', '+1', '+1']);
    const good = await played(['+1', '+1', '*2']);
    const { how, log } = await splice({ environment: counter, bad, good, at: sharedLength(bad, good) });
    expect(how).toBe('glued');
    expect(replay(counter, log)).toBeNull();
  });

  it('works in an environment with randomness', async () => {
    const environment = await builtInEnvironment('quest-world');
    const log = async (salt: number) => {
      const events: EpisodeEvent[] = [];
      let turn = 0;
      const script = scripted('walker', ({ ask }) => ({
        text: (ask.choices ?? ['look'])[turn++ < 3 ? 0 : (turn + salt) % (ask.choices?.length ?? 1)]!,
      }));
      for await (const event of play(environment, { seeker: script }, { seed: 7, limits: { turns: 12 } })) events.push(event);
      return events;
    };
    const [bad, good] = [await log(1), (await log(2)).filter((event) => event.kind !== 'end')];
    const parted = sharedLength(bad, good);
    expect(parted).toBeGreaterThan(5);
    const at = bad.findIndex((event, i) => i > parted + 3 && event.kind === 'turn') + 1;
    expect(replay(environment, joinLogs({ bad, good, at }))).not.toBeNull();
  });

  it('rejects impossible splices', async () => {
    const [bad, good] = [await played(['+1', '*2', '*2']), await played(['+1', '+1', '*2'])];
    await expect(splice({ environment: counter, bad, good, at: 1 })).rejects.toThrow(/A splice must be after the two episodes diverge/);
    const other = [{ ...bad[0], seed: 9 } as EpisodeEvent, ...bad.slice(1)];
    await expect(splice({ environment: counter, bad: other, good, at: 5 })).rejects.toThrow(/start differently/);
  });
});
