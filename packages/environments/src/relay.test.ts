import type { Action, Agent, EndEvent, EpisodeEvent, Json, Script, Seat, Step } from '@ludus-agents/kernel/internal/core/index';
import { rng, scripted, scriptedPolicy, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { ticTacToe } from './kinarow.ts';
import { readPacket, relay } from './relay.ts';

const dice = rng(0);
const uniform: Script = ({ ask, rng }) => ({ text: rng.pick(ask.choices as readonly string[]) });
const begin = (input: Json) => relay.start(relay.task(input), dice);
const answer = (step: ReturnType<typeof begin>, action: Action) => relay.step(step.state, { world: action }, dice);

/** Tic-tac-toe as a remote world: it keeps its own board in its mind, and speaks only the protocol. */
const remote: Agent = {
  name: 'remote tic-tac-toe',
  act({ view, mind }) {
    let step: Step;
    if (mind === undefined) step = ticTacToe.start(ticTacToe.task({}), dice);
    else {
      const last = view.seen.findLast((item) => item.kind === 'message');
      const { from, text } = last as { from: Seat; text: string };
      step = ticTacToe.step(mind as Parameters<typeof ticTacToe.step>[0], { [from]: { text } }, dice);
    }
    const { state, messages, asks, rewards, penalties } = step;
    const over = asks.length === 0;
    const packet = { messages, ...(over ? { over } : { asks }), ...(rewards && { rewards }), ...(penalties && { penalties }) };
    return { action: { text: '', data: packet as unknown as Json }, mind: state };
  },
};

describe('relay', () => {
  it('plays a remote environment exactly like a local one, and replays without it', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const players = { X: scripted('random', uniform), O: scripted('random', uniform) };
      const far = await Array.fromAsync(play(relay, { world: remote, ...players }, { seed, task: { seats: ['X', 'O'] } }));
      const near = await Array.fromAsync(play(ticTacToe, players, { seed }));
      for (const seat of ['X', 'O']) expect(viewOf(far, seat)).toEqual(viewOf(near, seat));
      const [there, here] = [far.at(-1) as EndEvent, near.at(-1) as EndEvent];
      expect(there.reason).toBe('over');
      expect(there.returns).toEqual({ world: 0, ...here.returns });
      expect(replay(relay, far)).toBeNull();
    }
  });

  it('receives the seats, its task, and its seed', () => {
    const { messages, asks } = relay.start(relay.task({ seats: ['a', 'b'], world: { level: 3 } }), rng(7, 'start'));
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ to: ['world'], data: { seats: ['a', 'b'], task: { level: 3 } } });
    const seed = (start: typeof messages) => (start[0]?.data as { seed: number } | undefined)?.seed;
    expect(Number.isInteger(seed(messages))).toBe(true);
    expect(seed(relay.start(relay.task({}), rng(8, 'start')).messages)).not.toBe(seed(messages));
    expect(asks).toEqual([{ seat: 'world' }]);
  });
});

describe('relay packets', () => {
  const two = { seats: ['a', 'b'] };

  it('become messages, asks, rewards, and penalties unchanged', () => {
    const packet = {
      messages: [
        { to: ['a'], text: 'psst', from: 'b', data: { x: 1 } },
        { to: [], text: 'note' },
      ],
      asks: [{ seat: 'b', choices: ['yes', 'no'] }],
      rewards: { a: 0.5 },
      penalties: { b: 1 },
    };
    const step = answer(begin(two), { text: 'a remark', data: packet });
    expect(step).toMatchObject(packet);
    expect(step.messages).toHaveLength(2);
    expect(answer(begin(two), { text: 'Good morning.' })).toMatchObject({
      messages: [{ to: ['a', 'b'], text: 'Good morning.' }],
      asks: [{ seat: 'a' }, { seat: 'b' }],
    });
    expect(answer(begin(two), { text: '', data: {} }).asks).toEqual([{ seat: 'a' }, { seat: 'b' }]);
    expect(answer(begin(two), { text: '', data: { over: true, rewards: { a: 1 } } })).toMatchObject({ asks: [], rewards: { a: 1 } });
  });

  it("return the players' answers with data to the world only, in seat order", () => {
    const requestedStep = answer(begin(two), { text: 'Go.' });
    const step = relay.step(requestedStep.state, { b: { text: 'two', data: { n: 2 } }, a: { text: '[one]' } }, dice);
    expect(step.messages).toEqual([
      { to: ['world'], text: '[one]', from: 'a' },
      { to: ['world'], text: 'two', from: 'b', data: { n: 2 } },
    ]);
    expect(step.asks).toEqual([{ seat: 'world' }]);
  });

  it.each([
    [5],
    [['messages']],
    [{ reward: { a: 1 } }],
    [{ messages: 'hello' }],
    [{ messages: [{ to: 'a', text: 'x' }] }],
    [{ messages: [{ to: ['c'], text: 'x' }] }],
    [{ messages: [{ to: ['world'], text: 'x' }] }],
    [{ messages: [{ to: ['a'] }] }],
    [{ messages: [{ to: ['a'], text: 'x', from: 'nobody' }] }],
    [{ messages: [{ to: ['a'], text: 'x', kind: 'end' }] }],
    [{ asks: [{ seat: 'world' }] }],
    [{ asks: [{ seat: 'a' }, { seat: 'a' }] }],
    [{ asks: [{ seat: 'a', choices: [] }] }],
    [{ asks: [{ seat: 'a', choices: ['x', 'x'] }] }],
    [{ asks: [{ seat: 'a', choices: [1] }] }],
    [{ asks: [] }],
    [{ asks: [{ seat: 'a' }], over: true }],
    [{ rewards: { a: 'much' } }],
    [{ rewards: { world: 1 } }],
    [{ penalties: [1] }],
    [{ over: 'yes' }],
  ] as readonly (readonly [Json])[])('are rejected as %j, and the world forfeits after the third time', (data) => {
    const bad = { text: 'x', data };
    const read = readPacket(bad, two.seats);
    expect(read.ok ? '' : read.problem).toMatch(/^Expected .*, but came .*\.$/);
    let step = begin(two);
    for (const wanted of [1, 1, undefined]) {
      step = answer(step, bad);
      expect(step.penalties?.['world']).toBe(wanted);
    }
    expect([step.asks, step.rewards, step.messages[0]?.text]).toEqual([[], undefined, 'world forfeits: no legal move was given.']);
  });

  it('end after the configured number of turns', () => {
    let step = begin({ ...two, turns: 2 });
    step = answer(step, { text: 'one' });
    step = relay.step(step.state, { a: { text: '' }, b: { text: '' } }, dice);
    step = answer(step, { text: '', data: { rewards: { a: 2 } } });
    expect([step.asks, step.rewards, step.messages.at(-1)?.text]).toEqual([[], { a: 2 }, 'The world has used up its turns.']);
  });
});

describe('relay world script', () => {
  it('repeats messages three times and pays for them, offline', async () => {
    const talker = scriptedPolicy('talker', ({ view }) => ({ text: view.seat === 'left' ? 'hey' : '' }));
    const policies = { world: scriptedPolicy('world', relay.scripts?.['world'] as Script), left: talker, right: talker };
    const [log] = (await rollout(relay, policies, { seeds: [1], task: { seats: ['left', 'right'] } })) as [EpisodeEvent[]];
    const end = log.at(-1) as EndEvent;
    expect([end.reason, end.turns, end.returns]).toEqual(['over', 7, { world: 0, left: 3, right: 0 }]);
    const observations = viewOf(log, 'right').seen.filter((item) => item.kind === 'message' && item.text === 'left said: hey');
    expect(observations).toHaveLength(3);
  });
});

describe('relay secrecy', () => {
  it('shows a player only the messages sent to it', () => {
    const looks = ['red', 'blue'].map((secret) => {
      const step = answer(begin({ seats: ['a', 'b'] }), {
        text: secret,
        data: {
          messages: [
            { to: ['b'], text: secret },
            { to: ['a', 'b'], text: 'go' },
          ],
          rewards: { a: 0, b: secret.length },
        },
      });
      return JSON.stringify([step.messages.filter((message) => message.to.includes('a')), relay.knows?.(step.state, 'a'), step.asks]);
    });
    expect(looks[0]).toBe(looks[1]);
  });
});

describe('relay task', () => {
  it.each([{ seats: [] }, { seats: 'player' }, { seats: ['a', 'a'] }, { seats: ['world'] }, { seats: [''] }, { seats: [5] }])(
    'rejects %j',
    (task) => {
      expect(() => relay.task(task)).toThrow(/relay: "seats" must be a list/);
    },
  );
});
