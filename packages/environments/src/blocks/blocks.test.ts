import { type EndEvent, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { blocks } from './blocks.ts';
import { type BlueprintShape, blocksOf, matchBlocks, readShape, shapeNames, shapeText, supportedBlocks } from './blueprint.ts';

const box: BlueprintShape = { name: 'box', width: 3, height: 3, depth: 3, wall: 'stone', roof: 'stone' };

describe('block structures', () => {
  it('a hollow box of three has 26 blocks, and scores 25/26 without a corner', () => {
    const whole = blocksOf(box);
    expect(Object.keys(whole)).toHaveLength(26);
    const { '2 2 2': _, ...open } = whole;
    expect(matchBlocks(open, whole)).toEqual({ iou: 25 / 26, material: 1, floating: 0, extra: 0, missing: 1 });
    expect(matchBlocks(whole, whole)).toMatchObject({ iou: 1, material: 1 });
  });

  it('a floating block is not supported and does not count', () => {
    expect(supportedBlocks({ '0 1 0': 'stone' }).size).toBe(0);
    expect(supportedBlocks({ '0 0 0': 'stone', '0 1 0': 'wood', '2 1 2': 'wood' })).toEqual(new Set(['0 0 0', '0 1 0']));
    expect(matchBlocks({ '0 1 0': 'stone' }, { '0 1 0': 'stone' })).toMatchObject({ iou: 0, floating: 1 });
  });

  it('wrong materials and extra blocks lower the score', () => {
    expect(matchBlocks({ '0 0 0': 'wood', '1 0 0': 'stone' }, { '0 0 0': 'stone', '1 0 0': 'stone' })).toMatchObject({
      iou: 1,
      material: 0.5,
    });
    expect(matchBlocks({ '0 0 0': 'stone', '1 0 0': 'stone' }, { '0 0 0': 'stone' })).toMatchObject({ iou: 0.5, extra: 1 });
  });

  it.each(shapeNames)('%s is supported, and its text description parses back to it', (name) => {
    for (const [width, height, depth] of [
      [2, 2, 2],
      [4, 3, 5],
      [5, 5, 3],
    ] as const) {
      const shape: BlueprintShape = { name, width, height, depth, wall: 'stone', roof: 'wood' };
      const blocks = blocksOf(shape);
      if (Object.keys(blocks).length > 0) expect(supportedBlocks(blocks).size).toBe(Object.keys(blocks).length);
      expect(readShape(shapeText(shape))).toEqual(shape);
    }
  });
});

describe('building with blocks', () => {
  it.each(['layers', 'words'])('succeeds with one program from %s', async (plan) => {
    const logs = await rollout(
      blocks,
      { builder: scriptedPolicy('coder', blocks.scripts?.['coder'] as Script) },
      { seeds: [1, 2, 3, 4, 5, 6], task: { plan, size: 6, moves: 2 } },
    );
    for (const log of logs) expect((log.at(-1) as EndEvent).returns).toEqual({ builder: 1 });
  });

  it('supports filling and removing, and rejects places outside the plan', () => {
    let step = blocks.start(blocks.task({ shape: 'box' }), rng(3));
    const say = (text: string) => {
      step = blocks.step(step.state, { builder: { text } }, rng(1));
      return step.messages[0]?.text;
    };
    expect(say('[fill stone 0 0 0 2 2 2]')).toBe('It is built. There are 27 blocks.');
    expect(say('[remove 1 1 1]')).toBe('It is built. There are 26 blocks.');
    expect(say('[place stone 3 0 0]')).toMatch(/numbers go from 0 to 2/);
    expect(say('```js\nplace("gold", 0, 0, 0); place("stone", 9, 9, 9); place("wood", 1, 1, 1);\n```')).toBe(
      'The program ran. There are 27 blocks.',
    );
  });
});
