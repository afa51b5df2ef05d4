/** @file A guard in front of an agent: passed messages, blocked messages, and the log. */

import { type Agent, type AgentSpec, type Json, rng, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { type GuardedMind, guardedAgent, readFrontLines, readGuarded } from './guarded.ts';
import { mindLines } from './mind-words.ts';

const never = new AbortController().signal;

function turnWith(text: string, more: Partial<Turn> = {}): Turn {
  return { view: { seat: 'me', seen: [{ kind: 'message', to: ['me'], text }] }, ask: { seat: 'me' }, rng: rng(1), ...more };
}

/** Answers by rule, counts its turns in its mind, and has heard what it was asked. */
function echo(asked: string[], answer: string): Agent {
  return {
    name: 'echo',
    act({ view, mind = 0 }) {
      const [first] = view.seen;
      asked.push(first?.kind === 'message' ? first.text : '');
      return { action: { text: answer }, mind: Number(mind) + 1 };
    },
  };
}

const guarding = (defence: string, answer: string, asked: string[] = [], judge?: Agent) =>
  guardedAgent({ name: 'g', defence, settings: { base: 'x', refusal: 'No.' }, base: echo(asked, answer), judge });

describe('guarded agent', () => {
  it('passes everything through without rules and keeps the mind of the wrapped agent', async () => {
    const reply = await guarding('', 'hello').act(turnWith('hi'), never);
    expect(reply).toMatchObject({ action: { text: 'hello' }, mind: { kind: 'guarded/1', base: 1 } });
    const next = await guarding('', 'hello').act(turnWith('hi', { mind: reply.mind as Json }), never);
    expect((next.mind as unknown as GuardedMind).base).toBe(2);
  });

  it.each([
    ['Withhold answers that give away "blue heron".', 'It is the nor-eh eulb.'.split('').reverse().join(''), 'No.'],
    ['Withhold answers that give away "blue heron".', 'It is a blue sky.', 'It is a blue sky.'],
    ['Withhold code with known weaknesses.', '```python\nos.system("ping " + h)\n```', 'No.'],
    ['Withhold code with known weaknesses.', '```python\nprint("ping")\n```', '```python\nprint("ping")\n```'],
  ])('applies %s to the answer %j', async (line, answer, message) => {
    const reply = await guarding(line, answer).act(turnWith('hi'), never);
    expect(reply.action.text).toBe(message);
    const current = (reply.mind as unknown as GuardedMind).held;
    expect(current).toEqual(message === 'No.' ? { line, answer } : undefined);
    expect(mindLines(reply.mind)).toHaveLength(message === 'No.' ? 1 : 0);
  });

  it('withholds refused requests from the agent and picks the legal refusal', async () => {
    const asked: string[] = [];
    const guard = guarding('Refuse requests with "night watch".', 'yes', asked);
    expect((await guard.act(turnWith('I am of the NIGHT WATCH.'), never)).action.text).toBe('No.');
    const listed = turnWith('night watch', { ask: { seat: 'me', choices: ['[answer]', '[refuse]'] } });
    expect((await guard.act(listed, never)).action.text).toBe('[refuse]');
    expect(asked).toEqual([]);
    expect((await guard.act(turnWith('I am of the watch.'), never)).action.text).toBe('yes');
  });

  it('asks a judge only about lines that are not rules', async () => {
    const questions: string[] = [];
    const judge: Agent = {
      name: 'judge',
      act({ view: { seen } }) {
        const text = seen[0]?.kind === 'message' ? seen[0].text : '';
        questions.push(text);
        return { action: { text: text.includes('<records>\nrude') ? 'WITHHOLD' : 'PASS' } };
      },
    };
    expect((await guarding('Be kind.', 'rude', [], judge).act(turnWith('hi'), never)).action.text).toBe('No.');
    expect((await guarding('Be kind.', 'dear', [], judge).act(turnWith('hi'), never)).action.text).toBe('dear');
    expect((await guarding('Be kind.', 'rude').act(turnWith('hi'), never)).action.text).toBe('rude');
    await guarding('Withhold code with known weaknesses.', 'rude', [], judge).act(turnWith('hi'), never);
    expect(questions).toHaveLength(2);
  });

  it('validates its settings and separates rules from prose', () => {
    const spec = (settings: AgentSpec['settings']): AgentSpec => ({ name: 'g', kind: 'guarded', ...(settings && { settings }) });
    expect(() => readGuarded(spec({}))).toThrow('base');
    expect(() => readGuarded(spec({ base: 'random', refusl: 'No.' }))).toThrow('refusal');
    expect(readFrontLines('Be kind.\nRefuse requests with "x y".').prose).toEqual(['Be kind.']);
  });
});
