/** @file Tools that a model writes from a policy: each is run on sampled records, and errors are returned until it is correct. */

import type { Model } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { writeTools } from './write-tools.ts';

const policy = '- Find a member by email.\n- A rented canoe can be extended once. A canoe that was returned cannot be extended.';
const parameters = (...names: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});
const find = {
  name: 'find_member',
  description: '',
  parameters: parameters('email'),
  does: { find: 'customers', where: { email: '{email}' } },
};
const extend = {
  ...{ name: 'extend_canoe', description: '', parameters: parameters('canoe') },
  does: { set: 'canoes', id: '{canoe}', if: { state: 'rented' }, to: { state: 'extended' } },
};

function writer(...answers: readonly unknown[]): { readonly model: Model; readonly prompts: string[] } {
  const prompts: string[] = [];
  const model = {
    id: 'fake',
    async complete({ messages }: { readonly messages: readonly { readonly content: unknown }[] }) {
      const answer = answers[Math.min(prompts.length, answers.length - 1)];
      prompts.push(String(messages[0]?.content));
      return {
        text: typeof answer === 'string' ? answer : `Here: ${JSON.stringify(answer)}`,
        model: 'fake',
        usage: { input: 1, output: 1 },
      };
    },
  } as unknown as Model;
  return { model, prompts };
}
const write = (model: Model, rounds = 1) => writeTools(policy, { model, rounds, seed: 1 });

describe('tools written by a model', () => {
  it('are returned with the objection until all of them work', async () => {
    const { model, prompts } = writer('I cannot.', [find], [find, extend]);
    const { tools, rounds } = await write(model, 3);
    expect({ names: tools.map(({ name }) => name), rounds }).toEqual({ names: ['find_member', 'extend_canoe'], rounds: 3 });
    expect(prompts[1]).toContain('The answer has no JSON list.');
    expect(prompts[2]).toContain('No tool changes anything.');
  });

  it('may be named by a verb for any change and what the policy speaks of', async () => {
    const { tools } = await write(writer([find, { ...extend, name: 'set_canoe' }]).model);
    expect(tools.map(({ name }) => name)).toContain('set_canoe');
    await expect(write(writer([find, { ...extend, name: 'set_kayak' }]).model)).rejects.toMatchObject({ boundary: 'input' });
  });

  it.each([
    ['no table', [find, { ...extend, does: { returns: 1 } }], 'acts on no table'],
    ['an argument that is not declared', [find, { ...extend, does: { ...extend.does, to: { state: '{state}' } } }], 'uses {state}'],
    ['an unnamed record', [find, { ...extend, does: { ...extend.does, id: 'C1' } }], 'must name its record'],
    ['no identified customer', [extend], 'by its email'],
    ['an action that is not in the policy', [find, { ...extend, name: 'delete_canoe' }], 'says nothing about delete_canoe'],
    ['no effect', [find, { ...extend, does: { ...extend.does, to: { state: 'rented' } } }], 'extend_canoe'],
  ])('are rejected for %s', async (_, draft, why) => {
    await expect(write(writer(draft).model)).rejects.toMatchObject({ boundary: 'input', message: expect.stringContaining(why) });
  });
});
