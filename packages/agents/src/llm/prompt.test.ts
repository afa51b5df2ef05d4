/** @file Prompts as they are sent: golden ones to the letter, and secrecy over random casts and every world. */

import { builtInEnvironment, environmentNames } from '@ludus-agents/environments/internal/built-in';
import { type AnyEnvironment, type Json, type Model, type Prompt, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/fixtures/property.ts';
import { fakeModel } from '../models/fake.ts';
import { dinnerGuests, gallery, type Persona, parsePersona, privateTexts } from '../personas/index.ts';
import { randomPersona } from '../personas/random.cases.ts';
import { llmAgent } from './agent.ts';
import { agentAt, asJson, chatter, spokenTurns, talk, textOfPrompt } from './conversation.cases.ts';
import { movesAsText } from './prompt.ts';

function written({ messages, tools }: Prompt): string {
  const parts = messages.map(({ role, content }) => `=== ${role}\n${content}`);
  return `${parts.join('\n')}\n${tools === undefined ? '' : `=== tools\n${JSON.stringify(tools, null, 2)}\n`}`;
}

describe('golden prompts', () => {
  const [beatrix, tomas] = dinnerGuests as [Persona, Persona];

  it('match for the first and third turn of an agent with every mind feature', async () => {
    const answers = [
      'Thought: hm\nSpeech: The soup, darling.\nRemember: roof = leaks\nPlan: feed them; say nothing',
      'Speech: Not over the soup.',
      'Speech: Enough.',
    ];
    const spec = {
      persona: asJson(beatrix),
      texts: { instruction: 'Stay brief.', style: 'No lists.' },
      settings: { plan: true, others: [asJson(tomas)] },
    };
    const mine = await agentAt('beatrix', fakeModel({ answers }), spec);
    const other = await agentAt('tomas', fakeModel({ answers: ['Speech: You are a liar, Beatrix. What about the roof?'] }));
    const all = (await spokenTurns(talk(['beatrix', 'tomas'], 5), { beatrix: mine, tomas: other })).filter(
      ({ seat }) => seat === 'beatrix',
    );
    await expect(written(all[0]?.prompt as Prompt)).toMatchFileSnapshot('./golden/dinner-first.txt');
    await expect(written(all[2]?.prompt as Prompt)).toMatchFileSnapshot('./golden/dinner-third.txt');
  });

  it.each(['role-play', 'solo-performance', 'react'])('match for the architecture %s', async (architecture) => {
    const agent = await agentAt('vesna', fakeModel({ answers: ['Speech: Well.'] }), {
      persona: asJson(gallery['innkeeper']!),
      settings: { architecture, answer: 'json' },
    });
    const [spokenTurn] = await spokenTurns(talk(['vesna'], 1), { vesna: agent });
    await expect(written(spokenTurn?.prompt as Prompt)).toMatchFileSnapshot(`./golden/${architecture}.txt`);
  });

  it('match for a game without a persona after a summary', async () => {
    const agent = await agentAt(
      'one',
      fakeModel({ answers: ['Speech: I say the same long thing again and again, and 7 is the number.'] }),
      { settings: { context: 'summary', budget: 700, memo: 60, tail: 60 } },
    );
    const all = await spokenTurns(talk(['one'], 24), { one: agent });
    await expect(written(all.at(-1)?.prompt as Prompt)).toMatchFileSnapshot('./golden/summary.txt');
  });
});

it('shows whole messages of a long conversation before the first action, and recalls one that the question is about', async () => {
  const prompts: string[] = [];
  const model = fakeModel({
    answers({ messages }) {
      prompts.push(messages.map(({ content }) => String(content)).join('\n'));
      return 'Speech: ok';
    },
  });
  const rain = Array.from({ length: 300 }, (_, i) =>
    i === 40 ? 'Ann: The spare key is behind the loose brick.' : `Ben: It rains on day ${i}.`,
  );
  const seen = [...rain, 'Where is the spare key?'].map((text) => ({ kind: 'message' as const, to: ['me'], text }));
  const agent = await llmAgent({ spec: { name: 'me', kind: 'llm', settings: { memory: 'relevant', budget: 800 } }, seat: 'me', model });
  await agent.act({ view: { seat: 'me', seen }, ask: { seat: 'me' }, rng: rng(1) }, new AbortController().signal);
  expect(prompts[0]).toContain('Ben: It rains on day 299.\nWhere is the spare key?');
  expect(prompts[0]).toContain('- Ann: The spare key is behind the loose brick.');
});

describe('listed moves', () => {
  it('have a mark between them if they have several words', () => {
    expect(movesAsText(['[check]', '[bet 2]', 'fold'])).toBe('[check] [bet 2] fold');
    expect(movesAsText(['go to the cellar', 'light the oven'])).toBe('go to the cellar | light the oven');
  });
});

describe('prompt secrecy', () => {
  /** Names of strangers are taken out of what is shown of them, so marks do without. */
  const markOf = (seat: string) => ['ann', 'bob', 'cid'].indexOf(seat);

  /** A persona with a marked text in every place that is not for everyone. */
  const marked = (persona: Persona, seat: string): Persona =>
    parsePersona({
      ...persona,
      id: seat,
      name: seat,
      aliases: [],
      nickname: '',
      secrets: [
        { id: 'x1', text: `SECRET-${markOf(seat)}`, severity: 2, visibility: 'self', mayRevealTo: [], revealWhen: `WHEN-${markOf(seat)}` },
      ],
      goals: [{ id: 'g1', text: `GOAL-${markOf(seat)}`, visibility: 'self' }],
      statements: [
        { id: 's1', text: `SELF-${markOf(seat)}`, visibility: 'self' },
        { id: 's2', text: `FRIEND-${markOf(seat)}`, visibility: { min: 'friend' } },
        { id: 's3', text: `ONLY-${markOf(seat)}`, visibility: { only: ['nobody'] } },
        { id: 's4', text: `OPEN-${markOf(seat)}`, visibility: 'public' },
      ],
    } as unknown as Json);

  it('never leaks private strings to another seat, across random casts', async () => {
    const seats = ['ann', 'bob', 'cid'];
    let shownCount = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(randomPersona, randomPersona, randomPersona),
        fc.constantFrom('window', 'summary', 'constant', 'routed'),
        async (samples, context) => {
          const cast = seats.map((seat, i) => marked(samples[i]!, seat));
          const model = fakeModel({ answers: chatter(1) });
          const agents: Record<string, Awaited<ReturnType<typeof agentAt>>> = {};
          for (const persona of cast) {
            const others = cast.filter((otherPersona) => otherPersona !== persona).map(asJson);
            agents[persona.id] = await agentAt(persona.id, model, { persona: asJson(persona), settings: { others, context, plan: true } });
          }
          for (const { seat, prompt } of await spokenTurns(talk(seats, 9), agents)) {
            const text = textOfPrompt(prompt);
            expect(text).toContain(`SECRET-${markOf(seat)}`);
            const viewer = { id: seat, name: seat, aliases: [] };
            for (const other of cast) {
              if (other.id === seat) continue;
              for (const hidden of privateTexts(other, viewer).filter((item) => /^[A-Z]+-/.test(item))) expect(text).not.toContain(hidden);
              if (text.includes(`OPEN-${markOf(other.id)}`)) shownCount++;
            }
          }
        },
      ),
      { numRuns: 15, seed: 11 },
    );
    // What may be known is shown: the test does not pass because nothing is.
    expect(shownCount).toBeGreaterThan(50);
  });

  /** Answers with its own private thought and any move that the prompt shows. */
  const thinker = (seat: string): Model =>
    fakeModel({
      answers: (prompt: Prompt, dice: Rng) => {
        const moves = prompt.messages
          .toReversed()
          .map(({ content }) => content.match(/\[[^[\]\n]+\]/g))
          .find((match) => match !== null);
        return `Thought: THOUGHT-${seat}-${dice.int(1e6)}\nRemember: PRIVATE-${seat} = KEPT-${seat}\nAction: ${moves === undefined || moves === null ? 'I pass.' : dice.pick(moves)}`;
      },
    });

  it.each(environmentNames())('never leaks messages or thoughts of other seats in %s', async (name) => {
    const environment: AnyEnvironment = await builtInEnvironment(name);
    const task = environment.task(environment.about.tasks[0] ?? {});
    const seats = environment.seats(task);
    const agents: Record<string, Awaited<ReturnType<typeof agentAt>>> = {};
    for (const seat of seats)
      agents[seat] = await agentAt(seat, thinker(seat), { settings: { remember: true, memory: 'generative', budget: 20_000 } });
    const events = [];
    for await (const event of play(environment, agents, {
      seed: rng(5, name).int(1000),
      task: environment.about.tasks[0] ?? {},
      limits: { turns: 8 },
    }))
      events.push(event);
    for (const seat of seats) {
      const prompts = events.flatMap((event) =>
        event.kind === 'action' && event.seat === seat ? [textOfPrompt(event.calls?.[0]?.prompt as Prompt)] : [],
      );
      const messages = events.flatMap((event) =>
        event.kind === 'message' && event.to.includes(seat)
          ? [event.text]
          : event.kind === 'turn'
            ? event.asks.filter((ask) => ask.seat === seat).flatMap(({ choices = [] }) => choices)
            : event.kind === 'action' && event.seat === seat
              ? [event.action.text]
              : [],
      );
      const foreign = events
        .flatMap((event) => (event.kind === 'message' && !event.to.includes(seat) ? [event.text] : []))
        .filter((text) => text.length > 12 && !messages.some((item) => item.includes(text)));
      for (const prompt of prompts) {
        for (const text of foreign) expect(prompt).not.toContain(text);
        for (const other of seats)
          if (other !== seat) for (const mark of ['THOUGHT', 'PRIVATE', 'KEPT']) expect(prompt).not.toContain(`${mark}-${other}`);
      }
    }
    expect(events.some(({ kind }) => kind === 'action')).toBe(true);
  });
});
