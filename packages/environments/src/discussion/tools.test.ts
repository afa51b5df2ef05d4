/** @file Tools that members write: tested before they are kept, used by a line, dropped when they fail, and remembered by an orchestrator. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { discussion } from './discussion.ts';
import { afterUse, type TeamTool, withToolOutputs, writtenTool } from './tools.ts';

const double = (test: string) => `Here.\n\`\`\`js\nreturn input * 2;\n// test: ${test}\n\`\`\``;
const tool = writtenTool('double', 'doubles a number', double('4 -> 8'), 0) as TeamTool;

describe('discussion tool', () => {
  it('is kept only if it passes its test', () => {
    expect(tool).toMatchObject({ name: 'double', about: 'doubles a number', uses: 0 });
    expect(writtenTool('double', '', double('4 -> 9'), 0)).toBe('its test with 4 gives 8');
    expect(writtenTool('double', '', '```js\nreturn input;\n```', 0)).toBe('there is no test');
    expect(writtenTool('double', '', 'It doubles.', 0)).toBe('there is no block of JavaScript');
    expect(typeof writtenTool('loop', '', '```js\nwhile (true) {}\n// test: 1 -> 1\n```', 0)).toBe('string');
  });

  it('runs from a line of a speech, with its output appended', () => {
    expect(withToolOutputs('Use Double: 21', [tool])).toBe('Use Double: 21\nOutput double: 42');
    expect(withToolOutputs('Use halve: 21', [tool])).toContain('Failed halve: there is no such tool');
    expect(withToolOutputs('Nothing to use.', [tool])).toBe('Nothing to use.');
  });

  it('is dropped after failing twice more often than it succeeds', () => {
    const failed = afterUse([tool], 'Failed double: nested too deeply');
    expect(failed).toHaveLength(1);
    expect(afterUse(failed, 'Failed double: nested too deeply')).toEqual([]);
    expect(afterUse([tool], 'Output double: 42')[0]).toMatchObject({ uses: 1, failures: 0 });
  });
});

describe('orchestrator with tools', () => {
  /** Requests a tool if it has none, uses it if it has one, and answers with its output. */
  const lead = scripted('lead', (turn) => {
    const ask = turn.view.seen.at(-1);
    const text = ask?.kind === 'message' ? ask.text : '';
    const output = /Output double: (\d+)/.exec(text)?.[1];
    if (text.includes('Write down the facts')) return { text: 'Plan: double it.' };
    if (output !== undefined) return { text: `Done: yes\nAnswer: ${output}` };
    if (text.includes('Tools of the team: double')) return { text: 'Use double: 21' };
    return text.includes('"Make NAME') ? { text: 'Next: smith\nMake double: doubles a number' } : { text: 'Done: yes\nAnswer: 40' };
  });
  const smith = scripted('smith', () => ({ text: double('4 -> 8') }));

  async function turnOf(settings: JsonObject) {
    const task = {
      protocol: 'orchestrator',
      members: ['lead', 'smith'],
      question: 'What is 21 doubled?',
      knowledge: {},
      truth: '42',
      settings,
    };
    let result: JsonObject = {};
    for await (const event of play(discussion, { lead, smith }, { task, seed: 1 }))
      if (event.kind === 'message' && event.to.length === 0) result = event.data as JsonObject;
    return result;
  }

  it('has a member write a tool and reuses it at a later move', async () => {
    const first = await turnOf({});
    expect(first).toMatchObject({ answer: '42', acted: { toolsMade: 1, toolsUsed: 1, toolsReused: 0 } });
    const later = await turnOf({ memory: first['memory']!, turn: 1 });
    expect(later).toMatchObject({ answer: '42', acted: { toolsMade: 0, toolsUsed: 1, toolsReused: 1 } });
    expect((later['memory'] as { readonly tools: readonly TeamTool[] }).tools[0]).toMatchObject({ uses: 2, failures: 0 });
  });

  it('uses no tools if they are off', async () => {
    const off = await turnOf({ off: ['tools'], memory: { tools: [tool] } });
    expect(off['answer']).toBe('40');
    expect(off['acted']).not.toHaveProperty('toolsMade');
  });
});
