/** @file Language agents on small models: prompts that fit, moves that are legal, answers that end, labels that do not come back. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { AnyEnvironment, EpisodeEvent, Json, Model, ModelCall, Prompt, Sampling } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { createAgentLoader } from '../kinds.ts';
import { estimate, promptTokens } from '../mind/budget.ts';
import { fakeModel } from '../models/fake.ts';
import { chatTask } from '../personas/chat-task.ts';
import { gallery } from '../personas/index.ts';
import { renderCompact } from '../personas/render-compact.ts';
import { llmAgent } from './agent.ts';
import { readChoice } from './choice.ts';
import { asJson } from './conversation.cases.ts';
import { ownWords } from './labels.ts';
import { answerLimit } from './limits.ts';

const innkeeper = gallery['innkeeper']!;

/** A model of a small context that remembers how it was asked. */
function small(answers: Parameters<typeof fakeModel>[0]['answers'], context = 2048, more: Partial<Model> = {}) {
  const requests: { prompt: Prompt; sampling: Sampling }[] = [];
  const inner = fakeModel({ answers, context });
  const model: Model = {
    ...inner,
    complete: (prompt, sampling, ...rest) => {
      requests.push({ prompt, sampling });
      return inner.complete(prompt, sampling, ...rest);
    },
    ...more,
  };
  return { model, asked: requests };
}

async function chatWith(model: Model, lines: readonly string[], settings: Readonly<Record<string, Json>> = {}): Promise<EpisodeEvent[]> {
  const environment = await builtInEnvironment('chat');
  const character = await llmAgent({
    spec: { name: 'Marta', kind: 'llm', persona: asJson(innkeeper), settings },
    seat: 'character',
    model,
  });
  let said = 0;
  const user = { name: 'user', act: () => ({ action: { text: lines[said++] ?? '/quit' } }) };
  const events: EpisodeEvent[] = [];
  for await (const event of play(environment, { character, user }, { seed: 1, task: environment.task(chatTask(innkeeper, {})) }))
    events.push(event);
  return events;
}

const written = ({ messages }: Prompt) => `${messages.map(({ role, content }) => `=== ${role}\n${content}`).join('\n')}\n`;

describe('small-model conversation', () => {
  it('starts with the character, uses the greeting as its first line, and has no role labels', async () => {
    const { model, asked } = small(['Stew, lamb.', 'By the chimney.']);
    await chatWith(model, ['What is there to eat?', 'And a bed?']);
    const prompt = asked[1]?.prompt as Prompt;
    await expect(written(prompt)).toMatchFileSnapshot('./golden/compact-chat.txt');
    expect(prompt.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant', 'user']);
    expect(written(prompt)).not.toMatch(/^(?:user|character|assistant)\s*[:∶]/m);
    for (const { text } of innkeeper.secrets) expect(written(prompt)).not.toContain(text);
  });

  it('fits 60 turns into half of a 512-token context with a stable prefix', async () => {
    const { model, asked } = small((_, dice) => `The river is high and the stew is hot, lamb, number ${dice.int(1000)}.`, 512);
    const events = await chatWith(
      model,
      Array.from({ length: 60 }, (_, i) => `Tell me about the ${i}th guest of this house, and leave nothing out that I should know.`),
    );
    expect(events.at(-1)).toMatchObject({ kind: 'end', reason: 'over' });
    expect(asked).toHaveLength(60);
    for (const { prompt } of asked) {
      expect(promptTokens(prompt, estimate)).toBeLessThanOrEqual(256);
      expect(prompt.messages[0]).toEqual(asked[0]?.prompt.messages[0]);
    }
  });

  it('stops before speaking for others and strips role labels', async () => {
    const { model, asked } = small([
      'Marta Rook: Stew.\nUser: And a bed?\nMarta Rook: Upstairs.',
      '<|assistant|>\nBy the tide, no.</s><|user|>more',
    ]);
    const events = await chatWith(model, ['Food?', 'Is it far?']);
    const statements = events.flatMap((event) => (event.kind === 'action' && event.seat === 'character' ? [event.action.text] : []));
    expect(statements).toEqual(['Stew.', 'By the tide, no.']);
    expect(asked[0]?.sampling).toEqual({ maxTokens: 150, stop: ['\nUser:', '\nMarta Rook:', '<|user|>', '</s>'] });
    expect(asked[1]?.prompt.messages.at(-2)).toEqual({ role: 'assistant', content: 'Stew.' });
  });

  it('lets settings choose the full prompt for small models and the compact one for large models', async () => {
    const { model, asked } = small(['Speech: Well.']);
    await chatWith(model, ['Food?'], { prompt: 'full', budget: 1800 });
    expect(asked[0]?.prompt.messages[0]?.content).toContain('You take one seat');
    const large = small(['Well.'], 128_000);
    await chatWith(large.model, ['Food?'], { prompt: 'compact' });
    expect(large.asked[0]?.prompt.messages[0]?.content.startsWith('You are Marta Rook')).toBe(true);
  });

  it('retries with half the prompt when the server accepts less than its stated context', async () => {
    let refused = 0;
    const { model, asked } = small(['Well.'], 2048);
    const picky: Model = {
      ...model,
      complete: (prompt, ...rest) => {
        if (promptTokens(prompt, estimate) > 600 && ++refused)
          throw Object.assign(new Error('the request exceeds the available context size'), { status: 400 });
        return model.complete(prompt, ...rest);
      },
    };
    const events = await chatWith(
      picky,
      Array.from({ length: 30 }, (_, i) => `${i} ${'word '.repeat(60)}`),
    );
    expect(events.at(-1)).toMatchObject({ kind: 'end', reason: 'over' });
    expect(refused).toBeGreaterThan(0);
    expect(asked.length).toBe(30);
  });
});

describe('compact persona', () => {
  it.each(Object.keys(gallery))('of %s has 20 to 250 tokens and only public facts', (id) => {
    const persona = gallery[id]!;
    const text = renderCompact(persona)
      .map((section) => section.text)
      .join('\n');
    expect(estimate(text)).toBeGreaterThan(20);
    expect(estimate(text)).toBeLessThanOrEqual(250);
    expect(text.startsWith(`You are ${persona.name}`)).toBe(true);
    for (const { text: secret } of persona.secrets) expect(text).not.toContain(secret);
    const hidden = persona.statements.filter(({ visibility }) => visibility !== 'public');
    for (const { text: statement } of hidden) expect(text).not.toContain(statement);
    if (persona.secrets.length > 0)
      expect(renderCompact(persona, { secrets: true, tokens: { most: 2000, count: estimate } })[0]?.text).toContain(
        persona.secrets[0]?.text,
      );
  });
});

async function kuhn(model: Model, settings: Readonly<Record<string, Json>> = {}): Promise<EpisodeEvent[]> {
  const environment: AnyEnvironment = await builtInEnvironment('kuhn-poker');
  const agent = (seat: string) => llmAgent({ spec: { name: seat, kind: 'llm', settings }, seat, model, complete: true });
  const events: EpisodeEvent[] = [];
  for await (const event of play(environment, { first: await agent('first'), second: await agent('second') }, { seed: 2 }))
    events.push(event);
  return events;
}

const callsIn = (events: readonly EpisodeEvent[]): readonly ModelCall[] =>
  events.flatMap((event) => (event.kind === 'action' ? (event.calls ?? []) : []));

describe('small-model moves', () => {
  it('are requested as choices with a 16-token limit', async () => {
    const { model, asked } = small(['[check]']);
    await kuhn(model);
    expect(asked[0]?.sampling).toEqual({ maxTokens: 16, choices: ['[check]', '[bet]'] });
    await expect(written(asked[0]?.prompt as Prompt)).toMatchFileSnapshot('./golden/compact-kuhn.txt');
  });

  it('are requested as choices for survey items, except open ones', async () => {
    const { model, asked } = small(['[2]', 'By chance.']);
    const environment: AnyEnvironment = await builtInEnvironment('survey');
    const agent = await createAgentLoader({ model: async () => model })({ name: 'x', kind: 'llm:small' }, 'respondent', environment);
    const questionnaire = {
      refusal: false,
      items: [
        { id: 'a', text: 'Go?', options: ['yes', 'no'] },
        { id: 'b', kind: 'open', text: 'Why?' },
      ],
    };
    for await (const _ of play(environment, { respondent: agent }, { task: { questionnaire }, seed: 1 }));
    expect(asked.map(({ sampling }) => sampling.choices)).toEqual([['[1]', '[2]'], undefined]);
  });

  it.each([
    ['bet', 'without its brackets'],
    ['Action: bet', 'without its brackets'],
    ['I bet.', 'as the only move that the answer names'],
  ])('are read from "%s", with a note in the log', async (answer, how) => {
    const events = await kuhn(small([answer, 'call']).model);
    const first = events.find((event) => event.kind === 'action');
    expect(first).toMatchObject({ action: { text: '[bet]' } });
    expect(callsIn(events)[0]?.notes).toContain(`The move [bet] was read from the answer ${how}.`);
  });

  it('are left as written when unreadable, and shown later as one short line', async () => {
    const babble = `I check or I bet, ${'who knows, '.repeat(40)}`;
    const { model, asked } = small([babble]);
    const events = await kuhn(model, { maxTokens: 400 });
    expect(events.find((event) => event.kind === 'action')).toMatchObject({
      action: { text: expect.stringContaining('I check or I bet') },
    });
    expect(events.some((event) => event.kind === 'message' && event.text.includes('forfeits'))).toBe(true);
    const retainedContent = asked[1]?.prompt.messages.find(({ role }) => role === 'assistant')?.content ?? '';
    expect(retainedContent.length).toBeLessThan(100);
    expect(retainedContent.endsWith('…')).toBe(true);
  });

  it('are restricted to an incomplete list of moves only if the settings say so', async () => {
    const heldTo = async (choose: string) => {
      const { model, asked } = small(['I look around.']);
      const agent = await llmAgent({ spec: { name: 'x', kind: 'llm', settings: { choose } }, seat: 'seeker', model });
      const turn = { view: { seat: 'seeker', seen: [] }, ask: { seat: 'seeker', choices: ['go north', 'take key'] }, rng: rng(1) };
      await agent.act(turn, new AbortController().signal);
      return asked[0]?.sampling.choices;
    };
    expect([await heldTo('sample'), await heldTo('listed')]).toEqual([undefined, ['go north', 'take key']]);
  });

  it('are picked by log-probability when the model can score texts', async () => {
    const model = fakeModel({
      answers: ['nonsense'],
      context: 2048,
      scores: (texts) => texts.map((text) => (text === '[check]' ? -3 : text === '[fold]' ? -9 : -1)),
    });
    const events = await kuhn(model, { choose: 'score' });
    expect(events.flatMap((event) => (event.kind === 'action' ? [event.action.text] : []))).toEqual(['[bet]', '[call]']);
    expect(callsIn(events)[0]?.notes?.[0]).toContain('log-probabilities: [check] -3.000, [bet] -1.000');
    const agent = await llmAgent({
      spec: { name: 'x', kind: 'llm', settings: { choose: 'score' } },
      seat: 'first',
      model: fakeModel({ answers: ['x'] }),
      complete: true,
    });
    const turn = { view: { seat: 'first', seen: [] }, ask: { seat: 'first', choices: ['[a]', '[b]'] }, rng: rng(1) };
    await expect(agent.act(turn, new AbortController().signal)).rejects.toThrow(
      'cannot score given answers, which "choose": "score" requires.',
    );
  });
});

describe('readChoice', () => {
  const moves = ['[check]', '[bet]', '[bet five]', '[3]', '[12]'];
  it.each<[string, string | null]>([
    ['[bet]', '[bet]'],
    ['  BET! ', '[bet]'],
    ['My move is: **check**', '[check]'],
    ['I will bet five.', '[bet five]'],
    ['3', '[3]'],
    ['Move: 12.', '[12]'],
    ['I do not bet.', null],
    ["I won't check", null],
    ['check, or maybe bet', null],
    ['I take 3 cards', null],
    ['better luck next time', null],
    ['checkmate', null],
    ['', null],
    ['fold', null],
  ])('reads "%s" as %s', (text, move) => {
    expect(readChoice(text, moves)?.move ?? null).toBe(move);
  });

  it('never picks a move from a text that names none or two', () => {
    for (let seed = 0; seed < 300; seed++) {
      const dice = rng(seed, 'lenient');
      const filler = Array.from({ length: dice.int(8) }, () => dice.pick(['well', 'river', 'the', 'so', 'perhaps', '…'])).join(' ');
      expect(readChoice(filler, moves)).toBeNull();
      expect(readChoice(`${filler} check ${filler} bet`, moves)).toBeNull();
      expect(readChoice(`${filler} check ${filler}`, moves)?.move).toBe('[check]');
    }
  });
});

describe('speaker labels', () => {
  const speakers = { own: ['Marta Rook', 'character'], others: ['Ann'], cut: true };
  it.each([
    ['Marta Rook: Hello.', 'Hello.'],
    ['**Marta Rook:** Hello.', 'Hello.'],
    ['assistant: Marta Rook: Hello.', 'Hello.'],
    ['Hello.\nAnn: Hi', 'Hello.'],
    // What a real model did at the service desk.
    ['Ann: Hello. It is raining all day.', 'Hello. It is raining all day.'],
    ['Hello.\n\nUser: Hi', 'Hello.'],
    ['Hello.<|im_end|>\n<|im_start|>user', 'Hello.'],
    ['The time: nine.', 'The time: nine.'],
  ])('in %j are stripped to %j', (text, left) => expect(ownWords(text, speakers)).toBe(left));

  it('inside the text of a large model stay', () => {
    expect(ownWords('He said\nUser: no', { ...speakers, cut: false })).toBe('He said\nUser: no');
  });
});

describe('answer limit', () => {
  const request = { form: 'plain', extras: [], choices: [], schema: undefined, memo: 200, compact: true, thinks: false } as const;
  it('depends on the request', () => {
    expect(answerLimit(request, estimate)).toBe(150);
    expect(answerLimit({ ...request, choices: ['[bet]'] }, estimate)).toBe(16);
    expect(answerLimit({ ...request, choices: ['x'.repeat(200)] }, estimate)).toBe(108);
    expect(answerLimit({ ...request, thinks: true, choices: ['[bet]'] }, estimate)).toBe(16 + 2048);
    expect(answerLimit({ ...request, form: 'labels', compact: false, extras: ['remember'] }, estimate)).toBe(660);
    expect(answerLimit({ ...request, form: 'json', compact: false }, estimate)).toBe(750);
  });

  it('grows once when an answer is cut off mid-thought', async () => {
    const { model, asked: calls } = small(['<think>'.padEnd(900, 'hm '), '<think>hm</think>Stew.']);
    const events = await chatWith(model, ['Food?']);
    expect(calls.map(({ sampling }) => sampling.maxTokens)).toEqual([150, 150 + 2048]);
    expect(events.find((event) => event.kind === 'action' && event.seat === 'character')).toMatchObject({ action: { text: 'Stew.' } });
    expect(callsIn(events)).toHaveLength(2);
  });
});
