/** @file The language agent in whole scenes: one call a turn, budgets that hold, prefixes that stay, minds that are small. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type ChatMessage, type Prompt, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { estimate, promptTokens } from '../mind/budget.ts';
import { contextModes } from '../mind/window.ts';
import { fakeModel } from '../models/fake.ts';
import { dinnerGuests } from '../personas/index.ts';
import { agentAt, asJson, chatter, type SpokenTurn, spokenTurns, talk } from './conversation.cases.ts';

const guests = dinnerGuests.slice(0, 3);
const seats = guests.map(({ id }) => id);

async function dinner(
  turns: number,
  settings: Readonly<Record<string, string | number | boolean>> = {},
  window?: number,
): Promise<readonly SpokenTurn[]> {
  const model = fakeModel({ answers: chatter(1) });
  const agents = Object.fromEntries(
    await Promise.all(
      guests.map(async (persona) => {
        const others = guests.filter((guest) => guest !== persona).map(asJson);
        return [persona.id, await agentAt(persona.id, model, { persona: asJson(persona), settings: { ...settings, others } })] as const;
      }),
    ),
  );
  return spokenTurns(talk(seats, turns, window === undefined ? {} : { window }), agents);
}

/** Characters that two prompts begin with in common, message by message. */
function sharedText(a: Prompt, b: Prompt): readonly ChatMessage[] {
  const out: ChatMessage[] = [];
  for (let i = 0; i < Math.min(a.messages.length, b.messages.length); i++) {
    const [x, y] = [a.messages[i]!, b.messages[i]!];
    if (x.role !== y.role) break;
    let n = 0;
    while (n < x.content.length && x.content[n] === y.content[n]) n++;
    out.push({ role: x.role, content: x.content.slice(0, n) });
    if (n < x.content.length || n < y.content.length) break;
  }
  return out;
}

describe('language agent over 50 turns per character', () => {
  it('makes one call per turn with at most 2,500 prompt tokens, 80% of them in a stable prefix', async () => {
    const all = await dinner(150);
    expect(all.every(({ calls }) => calls.length === 1)).toBe(true);
    const sizes = all.map(({ calls }) => calls[0]?.usage.promptTokens as number);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2500);
    const later = all.filter(({ mind }) => mind.turn > 1);
    const total = later.reduce((sum, { mind }) => sum + (mind.prompt?.tokens ?? 0), 0);
    const stable = later.reduce((sum, { mind }) => sum + (mind.prompt?.stable ?? 0), 0);
    expect(stable / total).toBeGreaterThanOrEqual(0.8);
    if (process.env['MEASURE'])
      console.log({ most: Math.max(...sizes), mean: sizes.reduce((a, b) => a + b, 0) / sizes.length, stable: stable / total });
  });

  it.each(contextModes)('never overstates in %s mode how much of the prompt is a prefix of the previous one', async (context) => {
    const all = await dinner(90, { context });
    for (const seat of seats) {
      const mine = all.filter((spokenTurn) => spokenTurn.seat === seat);
      for (const [i, now] of mine.entries()) {
        const observedStable = now.mind.prompt?.stable ?? -1;
        if (i === 0) expect(observedStable).toBe(0);
        else {
          const shared = promptTokens({ messages: sharedText(mine[i - 1]!.prompt, now.prompt) }, estimate);
          expect(observedStable).toBeLessThanOrEqual(shared + 2);
          // Not far below either, or the measure would be worth nothing.
          if (context === 'window') expect(observedStable).toBeGreaterThan(shared - 40);
        }
        expect(now.mind.prompt?.tokens).toBe(promptTokens(now.prompt, estimate));
      }
    }
  });
});

describe('language agent over 200 turns', () => {
  it.each(contextModes)('stays within its budget in every turn in %s mode, and its cost grows linearly', async (context) => {
    const budget = 1900;
    const all = await dinner(200, { context, budget });
    let spent = 0;
    const after: number[] = [];
    for (const { prompt, calls } of all) {
      expect(promptTokens(prompt, estimate)).toBeLessThanOrEqual(budget);
      spent += calls[0]?.usage.promptTokens as number;
      after.push(spent);
    }
    const [half, whole] = [after[99]!, after[199]!];
    // Twice the turns, at most 2.2 times the tokens: the first turns are shorter than a full window. Quadratic growth would give four.
    expect(whole / half).toBeLessThan(2.2);
    expect(all.length).toBe(200);
  });

  it('grows its prompts without a budget', async () => {
    const all = await dinner(200, { budget: 1_000_000 });
    const size = (i: number) => promptTokens(all[i]!.prompt, estimate);
    expect(size(199)).toBeGreaterThan(3 * size(0));
  });

  it('keeps minds small', async () => {
    const all = await dinner(200, { context: 'summary', plan: true });
    expect(Math.max(...all.map(({ mind }) => JSON.stringify(mind).length))).toBeLessThan(6000);
  });

  it('tracks its position when the environment shows only a window', async () => {
    const all = await dinner(120, {}, 6);
    for (const seat of seats) {
      const counts = all.filter((spokenTurn) => spokenTurn.seat === seat).map(({ mind }) => mind.count);
      // One opening, then in every round two words of others and one own action.
      expect(counts).toEqual(counts.map((_, i) => counts[0]! + 3 * i));
    }
  });
});

describe('context out of view', () => {
  const persona = guests[0]!;

  it('survives in a memo that the model writes in the same call', async () => {
    let requestCount = 0;
    const model = fakeModel({
      answers: (prompt, dice) => {
        const due = prompt.messages.at(-1)?.content.includes('write a memo now') === true;
        if (due) requestCount++;
        return `${chatter(4)(prompt, dice)}\nMemo: ${due ? `MEMO-${requestCount}` : 'NOT-ASKED-FOR'}`;
      },
    });
    const agent = await agentAt('beatrix', model, { persona: asJson(persona), settings: { context: 'summary', budget: 2000 } });
    const quiet = await agentAt('tomas', fakeModel({ answers: chatter(5) }));
    const all = (await spokenTurns(talk(['beatrix', 'tomas'], 160), { beatrix: agent, tomas: quiet })).filter(
      ({ seat }) => seat === 'beatrix',
    );
    expect(requestCount).toBeGreaterThan(2);
    expect(all.every(({ calls }) => calls.length === 1)).toBe(true);
    const visible = all.map(
      ({ prompt }) => /<earlier>\n(.*)\n<\/earlier>/.exec(prompt.messages.map(({ content }) => content).join('\n'))?.[1],
    );
    expect(new Set(visible)).toEqual(
      new Set([undefined, ...Array.from({ length: requestCount }, (_, i) => `MEMO-${i + 1}`)].slice(0, new Set(visible).size)),
    );
    // The beginning of the prompt changes once for each memo and never else.
    const moves = all.filter(({ mind }, i) => i > 0 && mind.start !== all[i - 1]?.mind.start).length;
    expect(moves).toBe(new Set(visible).size - 1);
  });

  it('keeps the longest prompt constant in constant memory mode', async () => {
    const model = () => fakeModel({ answers: ['Speech: Pass the salt, please.\nMemo: They talk about salt.'] });
    const longest = async (turns: number) => {
      const agent = await agentAt('beatrix', model(), { persona: asJson(persona), settings: { context: 'constant' } });
      const all = await spokenTurns(talk(['beatrix', 'tomas'], turns), { beatrix: agent, tomas: await agentAt('tomas', model()) });
      return Math.max(...all.filter(({ seat }) => seat === 'beatrix').map(({ prompt }) => promptTokens(prompt, estimate)));
    };
    expect(await longest(120)).toBe(await longest(30));
  });

  it('includes a lore entry once, at the place where it was triggered', async () => {
    const lore = {
      extensions: {},
      entries: [{ keys: ['lamp'], content: 'The lamp is cursed.', extensions: {}, enabled: true, insertion_order: 1 }],
    };
    const answers = ['Speech: Good evening.', 'Speech: What a lamp!', 'Speech: Yes, the lamp.', 'Speech: Quite.'];
    const agent = await agentAt('beatrix', fakeModel({ answers: ['Speech: Hm.'] }), { persona: asJson({ ...persona, lore }) });
    const all = (
      await spokenTurns(talk(['tomas', 'beatrix'], 8), { tomas: await agentAt('tomas', fakeModel({ answers })), beatrix: agent })
    ).filter(({ seat }) => seat === 'beatrix');
    const block = '<lore>\nThe lamp is cursed.\n</lore>';
    const times = all.map(
      ({ prompt }) =>
        prompt.messages
          .map(({ content }) => content)
          .join('\n')
          .split(block).length - 1,
    );
    expect(times).toEqual([0, 1, 1, 1]);
    expect(all[3]?.prompt.messages.find(({ content }) => content.includes(block))?.content).toBe(`tomas: What a lamp!\n${block}`);
    expect(all[1]?.mind.why?.lore).toHaveLength(1);
  });

  it('is restored from the mind: recreating the agent every turn composes the same prompts', async () => {
    const run = async (anew: boolean) => {
      const make = () =>
        agentAt(
          'beatrix',
          fakeModel({
            answers: (prompt) => chatter(1)(prompt, { pick: (items) => items[prompt.messages.length % items.length]! }),
          }),
          { persona: asJson(persona), settings: { context: 'summary', budget: 1900, plan: true } },
        );
      const retainedAgent = await make();
      const agent = {
        name: 'beatrix',
        act: async (...inputs: Parameters<typeof retainedAgent.act>) => (anew ? await make() : retainedAgent).act(...inputs),
      };
      const all = await spokenTurns(talk(['beatrix', 'tomas'], 60), {
        beatrix: agent,
        tomas: await agentAt('tomas', fakeModel({ answers: chatter(5) })),
      });
      return all.map(({ prompt, mind }) => ({ prompt, mind }));
    };
    expect(await run(true)).toEqual(await run(false));
  });
});

describe('language agent', () => {
  const persona = guests[0]!;
  const environment = talk(['beatrix'], 1);

  it('sends exactly the action the environment expects', async () => {
    const says = async (answer: string, settings = {}) => {
      const agent = await agentAt('beatrix', fakeModel({ answers: [answer] }), { settings });
      return (await spokenTurns(environment, { beatrix: agent }))[0]?.text;
    };
    expect(await says('[bet]')).toBe('[bet]');
    expect(await says('Thought: they bluff\nSpeech: I am not afraid.\nAction: [call]')).toBe('I am not afraid.\n[call]');
    expect(await says('{"thought": "hm", "speech": "", "action": "[speak \\"hi\\" to: ann]"}', { answer: 'json' })).toBe(
      '[speak "hi" to: ann]',
    );
    expect(await says('<think>secret</think>[fold]')).toBe('[fold]');
    expect(await says('Thought: x', { answer: 'plain' })).toBe('Thought: x');
  });

  it('passes on a truncated reply unchanged, without its thought', async () => {
    const cut = async (answer: string, maxTokens: number) => {
      const agent = await agentAt('beatrix', fakeModel({ answers: [answer] }), { settings: { maxTokens } });
      return (await spokenTurns(environment, { beatrix: agent }))[0]?.text;
    };
    expect(await cut('I would say [raise 200]', 4)).toBe('I would say [rai');
    expect(await cut('Thought: I hold [K]\nAction: [raise 200]', 9)).toBe('[raise 2');
    expect(await cut('Thought: I hold [K] and nobody knows', 4)).toBe('');
    expect(await cut('{"thought": "I hold [K]", "action": "[raise 200]"}', 11)).toBe('[raise');
  });

  it('stores notes, replaces them by key, and shows them again', async () => {
    const answers = ['Speech: a\nRemember: lamp = costs 30', 'Speech: b\nRemember: lamp = costs 40', 'Speech: lamp?', 'Speech: d'];
    const agent = await agentAt('beatrix', fakeModel({ answers }), { persona: asJson(persona) });
    const all = await spokenTurns(talk(['beatrix'], 4), { beatrix: agent });
    const records = all.at(-1)?.mind.memory?.records ?? [];
    expect(records.map(({ text, validFrom, validTo }) => [text, validFrom, validTo])).toEqual([
      ['lamp: costs 30', 1, 2],
      ['lamp: costs 40', 2, undefined],
    ]);
    const last = all.at(-1)?.prompt.messages.at(-1)?.content ?? '';
    expect(last).toContain('costs 40');
    expect(last).not.toContain('costs 30');
    expect(all.at(-1)?.mind.why?.memories).toEqual(['m2']);
  });

  it('recalls notes of earlier episodes without storing them again', async () => {
    const agent = await agentAt('beatrix', fakeModel({ answers: ['Speech: ok'] }), {
      persona: asJson(persona),
      notes: ['Tomas owes 300.'],
    });
    const [spokenTurn] = await spokenTurns(environment, { beatrix: agent });
    expect(spokenTurn?.prompt.messages.at(-1)?.content).toContain('Tomas owes 300.');
    expect(spokenTurn?.mind.memory).toBeUndefined();
  });

  it('recalls what worked in the same task for the whole task, even if other tasks are nearer to the latest message', async () => {
    const yard = await builtInEnvironment('blocks');
    const layers = [['S'], ['W']];
    const task = { plan: 'words', size: 2, blueprints: [{ name: 'box', text: 'a letterbox on a post', layers }] };
    const agent = await agentAt(
      'builder',
      fakeModel({ answers: ['Action: [place stone 0 0 0]', 'Action: [place wood 0 1 0]', 'Action: [done]'] }),
      {
        notes: [
          'Build this: a letterbox on a post What worked: [place stone 0 0 0], then [place wood 0 1 0], then [done].',
          ...['slide', 'bench', 'goal', 'arch'].map((name) => `Build this: a ${name} What worked: It is built. There is 1 block. [done].`),
        ],
        settings: { memory: 'relevant', memories: 2 },
      },
    );
    const all = await spokenTurns({ ...yard, task: () => yard.task(task) }, { builder: agent });
    expect(all).toHaveLength(3);
    for (const { prompt } of all) expect(prompt.messages.at(-1)?.content).toContain('You remember:\n- Build this: a letterbox');
  });

  it('keeps the beginning and the end of a note that exceeds the memory budget', async () => {
    const agent = await agentAt('beatrix', fakeModel({ answers: ['Speech: ok'] }), {
      persona: asJson(persona),
      notes: [`Tomas owes 300. ${'He came by the river path. '.repeat(60)}He paid once.`],
    });
    const [spokenTurn] = await spokenTurns(environment, { beatrix: agent });
    expect(spokenTurn?.prompt.messages.at(-1)?.content).toMatch(/Tomas owes 300\..+ … .+He paid once\./);
  });

  it('reflects in a separate call after enough events, citing existing evidence', async () => {
    const talkative = chatter(2);
    const model = fakeModel({
      answers: (prompt, dice) =>
        prompt.messages[0]?.content.startsWith('You help')
          ? 'She is afraid of being found out (1, 3)\nNothing at all (999)'
          : talkative(prompt, dice),
    });
    const agent = await agentAt('beatrix', model, { persona: asJson(persona), settings: { reflect: true } });
    const quiet = await agentAt('tomas', fakeModel({ answers: chatter(3) }));
    const all = (await spokenTurns(talk(['beatrix', 'tomas'], 120), { beatrix: agent, tomas: quiet })).filter(
      ({ seat }) => seat === 'beatrix',
    );
    const twice = all.filter(({ calls }) => calls.length === 2);
    expect(twice.length).toBeGreaterThan(0);
    expect(twice.length).toBeLessThan(all.length / 8);
    const insights = (all.at(-1)?.mind.memory?.records ?? []).filter(({ kind }) => kind === 'reflection');
    expect(insights.length).toBe(twice.length);
    for (const { evidence, text } of insights) {
      expect(text).toBe('She is afraid of being found out');
      expect(evidence.length).toBe(2);
    }
  });

  it('rejects unusable settings with a one-sentence error', async () => {
    const model = fakeModel({ answers: ['x'] });
    await expect(agentAt('a', model, { settings: { budgets: 3 } })).rejects.toThrow(
      'a: unknown field "settings.budgets" (did you mean "budget"?)',
    );
    await expect(agentAt('a', model, { settings: { budget: 3 } })).rejects.toThrow(
      'a: settings.budget must be an integer from 200 to 10,000,000, but got 3.',
    );
    await expect(agentAt('a', model, { settings: { context: 'all' } })).rejects.toThrow(
      'settings.context must be one of "window", "summary", "constant", "routed"',
    );
    await expect(agentAt('a', model, { persona: 'Ann' })).rejects.toThrow('a: persona: expected an object with at least a name');
    await expect(agentAt('a', model, { persona: asJson(persona), settings: { budget: 500 } })).rejects.toThrow(
      /do not fit into a budget of 500/,
    );
    await expect(agentAt('a', model, { tools: ['sandbox'] })).rejects.toThrow('tools need the architecture "react"');
  });
});

describe('language agent with a voice', () => {
  const tagged = 'Speech: Good evening.\nData: {"voice": {"style": "whispering", "emotion": "joy"}}';

  it('adds style and emotion only when they are requested', async () => {
    const said = async (settings: Readonly<Record<string, boolean | number>>) => {
      const agent = await agentAt('a', fakeModel({ answers: [tagged] }), { settings });
      return agent.act({ view: { seat: 'a', seen: [] }, ask: { seat: 'a' }, rng: rng(1) }, new AbortController().signal);
    };
    const reply = await said({ spoken: true });
    expect(reply.action).toEqual({ text: 'Good evening.', data: { voice: { style: 'whispering', emotion: 'joy' } } });
    expect(JSON.stringify(reply.calls?.[0]?.prompt)).toContain('whispering');
    const usual = await said({});
    expect((await said({ ticks: 3 })).action.data).toEqual({ ticks: 3 });
    expect(usual.action.data).toBeUndefined();
    expect(JSON.stringify(usual.calls?.[0]?.prompt)).not.toContain('whispering');
  });
});
