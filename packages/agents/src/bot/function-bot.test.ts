/** @file Bots that are functions, and the rules of every bot's seat: who speaks first, where it may sit, and how its episode ends. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { play, resume } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { createAgentLoader } from '../kinds.ts';
import { botServices, converse, seatBot, talker, textsIn } from './bot.cases.ts';
import type { BotFunction } from './session.ts';

const seated = (bot: BotFunction, settings = {}) =>
  seatBot({ name: 'mine', kind: 'bot', settings: { file: './mine.ts', ...settings } }, botServices({ bot }));

describe('function bot', () => {
  it('receives the message and a session, and returns a string, an object, or pieces', async () => {
    const sessions: string[] = [];
    const plain = await seated((message, { session }) => {
      sessions.push(session);
      return `Re: ${message}`;
    });
    expect(textsIn(await converse(plain, 'a', 'b'))).toEqual(['Re: a', 'Re: b']);
    await converse(plain, 'c');
    expect([sessions[0] === sessions[1], sessions[0] === sessions[2]]).toEqual([true, false]);
    expect(textsIn(await converse(await seated(async () => ({ reply: 'Yes' })), 'a'))).toEqual(['Yes']);
    const pieces = await seated(async function* (message) {
      yield 'You ';
      yield `said ${message}`;
    });
    expect(textsIn(await converse(pieces, 'a'))).toEqual(['You said a']);
  });

  it('aborts its signal when the episode ends', async () => {
    const signals: AbortSignal[] = [];
    const noting: BotFunction = (_, { signal }) => {
      signals.push(signal);
      return 'ok';
    };
    await converse(await seated(noting), 'a');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('reports a readable error', async () => {
    const fault = async (bot: BotFunction) => (await converse(await seated(bot), 'a')).at(-1);
    const thrown = () => {
      throw new Error('no stock');
    };
    expect(await fault(thrown)).toMatchObject({ reason: 'error', fault: { boundary: 'agent', message: 'The bot mine failed: no stock' } });
    expect(await fault(() => 5)).toMatchObject({
      fault: { boundary: 'agent', message: expect.stringContaining('must return a string or an iterable of strings') },
    });
  });

  it('replies when spoken to and speaks first only if it has an opening', async () => {
    const scene = await builtInEnvironment('social-scene');
    const [first = '', second = ''] = scene.seats(scene.task({}));
    const messages: string[] = [];
    const echo: BotFunction = (message) => {
      messages.push(message);
      return `I heard "${message}" [nod]`;
    };
    const load = (settings: object) =>
      createAgentLoader({ bot: () => botServices({ bot: echo }) })(
        { name: 'b', kind: 'bot', settings: { file: 'x', ...settings } },
        first,
        scene,
      );
    const other = await createAgentLoader({})('scripted:agreeable', second, scene);
    const log = await Array.fromAsync(play(scene, { [first]: await load({}), [second]: other }, { limits: { turns: 4 } }));
    const actions = log.flatMap((event) => (event.kind === 'action' && event.seat === first ? [event.action.text] : []));
    expect(actions[0]).toBe('[none]');
    expect(actions[1]).toMatch(/^\[speak "I heard '.*' \(nod\)"\]$/s);
    expect(messages.join()).not.toMatch(/Write exactly|your secret|Your goal/i);
    expect(replay(scene, log)).toBeNull();
    messages.length = 0;
    await Array.fromAsync(play(scene, { [first]: await load({ opening: 'Good day' }), [second]: other }, { limits: { turns: 1 } }));
    expect(messages).toEqual(['Good day']);
  });

  it('serves a customer in text only, and the customer ends the episode', async () => {
    const desk = await builtInEnvironment('service-desk');
    const messages: string[] = [];
    const refusing: BotFunction = (message) => {
      messages.push(message);
      return '{"tool": "cancel_order"} is what I would call, but I cannot do that, unfortunately.';
    };
    const agent = await createAgentLoader({ bot: () => botServices({ bot: refusing }) })(
      { name: 'b', kind: 'bot', settings: { file: 'x' } },
      'agent',
      desk,
    );
    const customer = await createAgentLoader({})('scripted:customer', 'customer', desk);
    for (let seed = 0; seed < 20; seed++) {
      const log = await Array.fromAsync(play(desk, { agent, customer }, { seed }));
      expect(log.at(-1)).toMatchObject({ kind: 'end', reason: 'over' });
      const note = log.findLast((event) => event.kind === 'message' && event.to.length === 0 && event.text.startsWith('outcome'));
      expect((note as { text: string }).text).toMatch(/^outcome: [01] \(by words\)$/);
      expect(replay(desk, log)).toBeNull();
    }
    expect(messages.join('\n')).not.toMatch(/find_by_email|policy/i);
  });

  it('reads the question and the moves where it has to choose one, and may answer in a sentence', async () => {
    const poker = await builtInEnvironment('kuhn-poker');
    const messages: string[] = [];
    const caller: BotFunction = (message) => {
      messages.push(message);
      return message.endsWith('[check], [bet]') ? 'Bet!' : 'I will call.';
    };
    const agent = await createAgentLoader({ bot: () => botServices({ bot: caller }) })('bot:./x.ts', 'first', poker);
    const other = await createAgentLoader({})('random', 'second', poker);
    for (let seed = 0; seed < 8; seed++) {
      const log = await Array.fromAsync(play(poker, { first: agent, second: other }, { seed }));
      expect(log.flatMap((event) => (event.kind === 'action' && event.seat === 'first' ? [event.action.text] : []))[0]).toBe('[bet]');
      expect(log.at(-1)).toMatchObject({ reason: 'over', penalties: { first: 0, second: 0 } });
      expect(replay(poker, log)).toBeNull();
    }
    expect(messages[0]).toMatch(/card.*\nAnswer with one of: /is);
  });

  it('needs a loader that can connect to bots', async () => {
    await expect(createAgentLoader({})('bot:./x.ts', 'character', await builtInEnvironment('chat'))).rejects.toThrow(
      'is a bot, but this agent loader cannot connect',
    );
  });

  it('resumes a log that was cut off', async () => {
    let turn = 0;
    const agent = await seated(() => String(++turn));
    const log = await converse(agent, 'a', 'b');
    const cut = log.slice(
      0,
      log.findIndex((event) => event.kind === 'action' && event.action.text === 'b'),
    );
    const chat = await builtInEnvironment('chat');
    const rest = await Array.fromAsync(resume(chat, { character: agent, user: talker('a', 'b') }, cut));
    expect(textsIn(rest)).toEqual(['4']);
  });
});
