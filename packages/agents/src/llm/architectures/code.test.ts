/** @file Code as the action: moves, tools, and variables in it, functions stored for later episodes, and rejected code. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { ActionEvent, AgentSpec, EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { createAgentLoader } from '../../kinds.ts';
import { type Mind, readMind } from '../../mind/mind.ts';
import { fakeModel } from '../../models/fake.ts';
import { failureOf, type KeptTool, readTool } from '../../tools/kept-tools.ts';
import { codeIn } from './code.ts';

const block = (text: string) => `Let me see.\n\`\`\`js\n${text}\n\`\`\``;

const spec: AgentSpec = { name: 'Cody', kind: 'llm', model: 'fake', settings: { architecture: 'code', lasting: true } };

async function playedBy(answers: readonly string[], box: readonly KeptTool[] = []) {
  const game = await builtInEnvironment('tic-tac-toe');
  const prompts: string[] = [];
  let next = 0;
  const model = fakeModel({
    answers(prompt) {
      prompts.push(JSON.stringify(prompt.messages));
      return answers[Math.min(next++, answers.length - 1)]!;
    },
  });
  const load = createAgentLoader({ model: async () => model, toolbox: async () => box });
  const agents = { X: await load(spec, 'X', game), O: await load('scripted:minimax', 'O', game) };
  const log: EpisodeEvent[] = [];
  for await (const event of play(game, agents, { seed: 1 })) log.push(event);
  const acts = log.filter((event): event is ActionEvent => event.kind === 'action' && event.seat === 'X');
  return { game, log, prompts, acts, minds: acts.map(({ mind }) => readMind(mind) as Mind) };
}

describe('code-as-action architecture', () => {
  it('makes moves, keeps variables across turns, and replays its log without running code', async () => {
    const first = block('vars.turn = (vars.turn ?? 0) + 1; console.log(choices.length, "moves");');
    const then = block('vars.turn = (vars.turn ?? 0) + 1; await move(choices[0]);');
    const { game, log, acts, minds, prompts } = await playedBy([first, then, 'Action: [8]']);
    expect(acts[0]?.action.text).toBe('[0]');
    expect(acts[0]?.calls).toHaveLength(2);
    expect(prompts[1]).toContain('9 moves');
    // Words leave the variables as they are.
    expect(minds.map(({ vars }) => vars?.['turn'])).toEqual(acts.map(() => 2));
    expect(minds[0]?.uses?.map(({ tool, ok }) => [tool, ok])).toEqual([
      ['code', true],
      ['code', true],
      ['move', true],
    ]);
    expect(replay(game, log)).toBeNull();
  });

  it('reports failures to the model, accepts one legal move, and falls back to text without code', async () => {
    const { acts, minds, prompts } = await playedBy([
      block('await move("[99]")'),
      block('await move("[4]"); await move("[5]")'),
      'Action: [8]',
    ]);
    expect(prompts[1]).toContain('It failed');
    expect(prompts[1]).toContain('not a legal move');
    expect(acts[0]?.action.text).toBe('[4]');
    expect(minds[0]?.uses?.filter(({ tool, ok }) => tool === 'move' && ok)).toHaveLength(1);
    expect(acts[1]?.action.text).toBe('[8]');
  });

  it('keeps a function that passes its tests and reuses it in a later episode', async () => {
    const tests = '[{args:[1,2],result:3},{args:[0,0],result:0},{args:[-1,1],result:0}]';
    const { minds } = await playedBy([
      block(`await keep({ name: "add", code: "(a, b) => a + b", tests: ${tests} }); await move(choices[0]);`),
      'Action: [8]',
    ]);
    const box = minds[0]?.box as readonly KeptTool[];
    expect(box.map(({ name }) => name)).toEqual(['add']);
    const later = await playedBy([block('await move("[" + box.add(1, 2) + "]")'), 'Action: [8]'], box);
    expect(later.acts[0]?.action.text).toBe('[3]');
    // A model that has forgotten everything is told what it kept, at once and in later episodes.
    expect(later.prompts[0]).toContain('Functions that you kept: box.add(1, 2) gives 3.');
    const { prompts: plain } = await playedBy(['Action: [8]']);
    expect(plain[0]).not.toContain('Functions that you kept');
    expect(later.minds[0]?.uses?.some(({ tool }) => tool === 'keep')).toBe(false);
  });
});

describe('saved function', () => {
  const tool = (code: string): KeptTool => ({ name: 'f', code, tests: [1, 2, 3].map((n) => ({ args: [n], result: n + 1 })) });

  it('is rejected if it is random or fails its tests', async () => {
    expect(await failureOf(tool('(n) => n + Math.random()'))).toMatch(/Test 1 gives/);
  });

  it.each([
    [{ name: 'f', code: '(n) => n', tests: [] }, /3 to 50 tests/],
    [{ name: '../f', code: '(n) => n', tests: [] }, /one word/],
    [{ name: 'f', code: 'x'.repeat(5000), tests: [] }, /4000 characters/],
    ['f', /Give \{name, code, tests\}/],
  ])('is validated before it runs: %j', (input, why) => {
    expect(readTool(input)).toMatch(why);
  });

  it('is read from the last code block of an answer', () => {
    expect(codeIn('```js\na\n```\n```javascript\nb\n```')).toBe('b\n');
    expect(codeIn('no code, [4]')).toBeNull();
  });
});
