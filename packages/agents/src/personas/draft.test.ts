import { Fault, type Model, type Prompt, type Sampling } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { draftPersona } from './draft.ts';

/** A model that gives these answers in turn and keeps what it was asked. */
function answering(...answers: readonly string[]) {
  const requests: { prompt: Prompt; sampling: Sampling }[] = [];
  const model: Model = {
    id: 'scripted',
    async complete(prompt, sampling) {
      // The prompt is a snapshot: what is asked later must not change what was asked before.
      requests.push({ prompt: { messages: [...prompt.messages] }, sampling });
      const text = answers[requests.length - 1] ?? '';
      return { model: 'scripted', prompt, text, finish: 'stop', usage: { promptTokens: 1, completionTokens: 1 }, cost: 0 };
    },
  };
  return { model, asked: requests };
}

const good = JSON.stringify({ name: 'Ann', statements: ['Ann sells tea.'], identity: { social: { age: 40 } } });

describe('draftPersona', () => {
  it('accepts a valid answer at once, with or without a code fence', async () => {
    const { model, asked } = answering(`Here you are:\n\`\`\`json\n${good}\n\`\`\`\nDone.`);
    const { persona, calls } = await draftPersona(model, 'A tea seller called Ann.');
    expect(persona).toMatchObject({ name: 'Ann', identity: { social: { age: 40 } } });
    expect(calls).toHaveLength(1);
    expect(asked[0]?.prompt.messages.at(-1)?.content).toBe('A tea seller called Ann.');
    expect(asked[0]?.sampling.schema).toMatchObject({ type: 'object', required: ['name', 'statements'] });
    expect(JSON.stringify(asked[0]?.sampling.schema)).not.toContain('"raw"');
  });

  it('sends each problem back to the model until the draft is valid', async () => {
    const { model, asked } = answering('I cannot.', '{"name": "Ann", "statements": [], "identity": {"social": {"age": "forty"}}}', good);
    const { calls } = await draftPersona(model, 'Ann.');
    expect(calls).toHaveLength(3);
    expect(asked[1]?.prompt.messages.at(-1)?.content).toContain('must be one JSON object, but none was found');
    const complaint = asked[2]?.prompt.messages.at(-1)?.content;
    expect(complaint).toContain('- identity.social.age must be a number from 0 to 1,000,000, but got "forty"');
    expect(complaint).toContain('- statements must hold at least one statement');
    expect(asked[2]?.prompt.messages.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant', 'user']);
  });

  it('gives up with a fault that lists the remaining problems', async () => {
    const { model, asked } = answering('{}', '{}', '{"name": 3}');
    const drafted = draftPersona(model, 'Ann.', { repairs: 2 });
    await expect(drafted).rejects.toThrow(
      'scripted wrote no valid persona in 3 tries. In the last one, name must be a non-empty string, but got 3',
    );
    await expect(drafted).rejects.toBeInstanceOf(Fault);
    expect(asked).toHaveLength(3);
  });

  it('passes on the abort signal and rejects an empty description', async () => {
    const controller = new AbortController();
    controller.abort();
    const model: Model = { id: 'm', complete: async (_, __, signal) => Promise.reject(new Error(signal.aborted ? 'aborted' : 'not')) };
    await expect(draftPersona(model, 'Ann.', { signal: controller.signal })).rejects.toThrow('aborted');
    await expect(draftPersona(model, ' ')).rejects.toThrow(/The description is empty/);
  });
});
