import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { generate } from '@ludus-agents/environments/internal/quest-world/generate';
import { findWalkthrough, readIdea } from '@ludus-agents/environments/internal/quest-world/idea';
import { ideaQuest, ideas, proveIdea } from '@ludus-agents/environments/internal/quest-world/idea-quest';
import { questWorld } from '@ludus-agents/environments/internal/quest-world/quest-world';
import { solve } from '@ludus-agents/environments/internal/quest-world/solve';
import { writeIdea } from '@ludus-agents/environments/internal/quest-world/write-idea';
import { rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';

const tea = `The kitchen is north of the hall. A red door is between the hall and the kitchen. The red key is in the hall.
A cupboard stands in the kitchen. The kettle is in the cupboard. The coin is in the kitchen.
Mara is in the hall and gives the leaves for the coin. The tea is made from the kettle and the leaves. Bring the tea to the kitchen.`;

describe('a written idea', () => {
  it('becomes an environment with its shortest solution', () => {
    const { world, way } = proveIdea(tea);
    expect(world).toMatchObject({ rooms: ['hall', 'kitchen'], goal: { room: 1 }, starts: [0] });
    expect(way.commands).toHaveLength(10);
    expect(way.commands.slice(0, 3)).toEqual(['take red key', 'unlock red door with red key', 'go north']);
    expect(way.subgoals.map(({ kind }) => kind)).toEqual(['unlock', 'trade', 'craft']);
  });

  it.each([
    ['The hall is nice.', '" is not a sentence of a quest idea'],
    ['The kitchen is north of the hall.', 'must name a goal'],
    ['The kitchen is north of the hall. The attic is north of the hall. Make the tea.', 'another room is there already'],
    ['The kitchen is north of the hall. Make the tea.', 'say where the tea is'],
    ['The kitchen is north of the hall. The cup is in the cellar. Make the cup.', 'say where the cellar is'],
    ['The kitchen is north of the hall. The cup is in the hall. The cup is in the kitchen. Make the cup.', 'somewhere else already'],
    [
      'The kitchen is north of the hall. The cup is in the hall. The pan is made from the cup. Make the pan. Make the cup.',
      'a goal already',
    ],
    [tea.replace('The red key is in the hall', 'The red key is in the kitchen'), 'This quest cannot be won: none of its'],
    [tea.replace('The red key is in the hall.', ''), 'say where the red key is'],
    [
      'The kitchen is north of the hall. The tea is made from the cup. The cup is made from the tea. Make the tea.',
      'This quest cannot be won: none of its',
    ],
  ])('is rejected with the reason: %s', (text, why) => {
    expect(() => proveIdea(text)).toThrow(why);
  });

  it('is searched as exactly as generated environments are solved', () => {
    for (let seed = 0; seed < 5; seed++) {
      const world = generate(questWorld.task({ rooms: 3, containers: 1, clutter: 0, traders: 0 }), rng(seed, 'step', 0));
      expect(findWalkthrough(world).commands).toHaveLength(solve(world).length);
    }
  });

  it('from the library can be won by the script, with the documented reward', async () => {
    const environment = await builtInEnvironment('idea-quest');
    for (let number = 1; number <= ideas.length; number++) {
      const { way } = proveIdea(ideas[number - 1]!.text);
      const seeker = scripted('walker', ({ view }) => ({ text: way.commands[view.seen.filter(({ kind }) => kind === 'action').length]! }));
      let last: { readonly returns?: Readonly<Record<string, number>> } = {};
      for await (const event of play(environment, { seeker }, { task: { number }, seed: 1 })) if (event.kind === 'end') last = event;
      expect(last.returns?.['seeker']).toBeCloseTo(1 + 0.1 * way.subgoals.length - 0.01 * way.commands.length, 9);
    }
  });

  it('is drawn from the held-out ideas or from the others', () => {
    const goals = (split: string) =>
      new Set(
        Array.from({ length: 40 }, (_, seed) => JSON.stringify(ideaQuest.start(ideaQuest.task({ split }), rng(seed, 'start')).state.world)),
      );
    const [train, current] = [goals('train'), goals('held-out')];
    expect([train.size, current.size, new Set([...train, ...current]).size]).toEqual([9, 3, 12]);
  });
});

describe('a model that writes ideas', () => {
  it('receives the errors until a search has proved its idea', async () => {
    const locked = tea.replace('The red key is in the hall', 'The red key is in the kitchen');
    const prompts: string[] = [];
    const answers = ['Sure! Here is a game.', locked, `\`\`\`\n${tea}\n\`\`\``];
    const model = fakeModel({
      answers: ({ messages }) => {
        prompts.push(messages.at(-1)!.content as string);
        return answers[prompts.length - 1]!;
      },
    });
    const { text, commands, calls } = await writeIdea(model, 'Somebody makes tea.');
    expect([text, commands.length, calls.length]).toEqual([tea, 10, 3]);
    expect(prompts).toEqual([
      'Somebody makes tea.',
      expect.stringContaining('" is not a sentence of a quest idea'),
      expect.stringContaining('This quest cannot be won: none of its'),
    ]);
  });

  it('is a fault if it never succeeds', async () => {
    const model = fakeModel({ answers: ['A lake.'] });
    await expect(writeIdea(model, 'a lake', { repairs: 1 })).rejects.toThrow('no quest that can be won in 2 tries');
    expect(() => readIdea('')).toThrow('name a goal, such as "Bring the tea to');
  });
});
