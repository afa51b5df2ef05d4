/** @file Casting by name and by spec, the uniform player's odds, and which script plays which seat. */

import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { type AnyEnvironment, type Ask, type Reply, rng, scripted, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { agentKinds, castable, createAgent, createAgentLoader, standIn } from './kinds.ts';
import { fakeModel } from './models/fake.ts';

const environment: AnyEnvironment = {
  ...kuhnPoker,
  scripts: { shy: () => ({ text: '[check]' }), second: () => ({ text: '[fold]' }) },
};
const bare: AnyEnvironment = { ...kuhnPoker, scripts: {} };

function turn(ask: Ask, seed = 1): Turn {
  return { view: { seat: ask.seat, seen: [] }, ask, rng: rng(seed) };
}

async function says(spec: Parameters<typeof createAgent>[0], seat: string, ask: Ask = { seat }): Promise<string> {
  const agent = await createAgent(spec, seat, environment);
  return ((await agent.act(turn(ask), new AbortController().signal)) as Reply).action.text;
}

describe('random agent', () => {
  it('plays every choice equally often', async () => {
    const agent = await createAgent('random', 'first', environment);
    const choices = ['[a]', '[b]', '[c]', '[d]'];
    const counts: Record<string, number> = {};
    for (let seed = 0; seed < 8000; seed++) {
      const { action } = (await agent.act(turn({ seat: 'first', choices }, seed), new AbortController().signal)) as Reply;
      counts[action.text] = (counts[action.text] ?? 0) + 1;
    }
    // Chi-squared with 3 degrees of freedom: 16.27 is passed once in a thousand.
    const squares = choices.reduce((sum, choice) => sum + ((counts[choice] ?? 0) - 2000) ** 2 / 2000, 0);
    expect(squares).toBeLessThan(16.27);
    expect(Object.keys(counts).sort()).toEqual(choices);
  });

  it('replies with a short text when there are no choices', async () => {
    for (const ask of [{ seat: 'first' }, { seat: 'first', choices: [] }]) {
      const text = await says('random', 'first', ask);
      expect(text.length).toBeGreaterThan(0);
      expect(text.length).toBeLessThan(30);
    }
  });

  it('is also available as "uniform"', async () => {
    expect((await createAgent('uniform', 'first', environment)).name).toBe('random');
  });
});

describe('scripted agent', () => {
  it('uses the named script, else the script of its seat, else the first one', async () => {
    expect(await says('scripted', 'second')).toBe('[fold]');
    expect(await says('scripted', 'first')).toBe('[check]');
    expect(await says('scripted:shy', 'second')).toBe('[check]');
    expect((await createAgent('scripted', 'first', environment)).name).toBe('scripted:shy');
  });

  it('makes another legal move at the error rate given after the tilde', async () => {
    const choices = ['[check]', '[bet]', '[raise]'];
    const rateOf = async (spec: string) => {
      const agent = await createAgent(spec, 'first', environment);
      let errors = 0;
      for (let seed = 0; seed < 2000; seed++) {
        const { action } = (await agent.act(turn({ seat: 'first', choices }, seed), new AbortController().signal)) as Reply;
        expect(choices).toContain(action.text);
        if (action.text !== '[check]') errors++;
      }
      return errors / 2000;
    };
    expect(await rateOf('scripted:shy~0')).toBe(0);
    expect(await rateOf('scripted:shy~1')).toBe(1);
    expect(await rateOf('scripted:shy~.2')).toBeCloseTo(0.2, 1);
    expect((await createAgent('scripted:~0.5', 'second', environment)).name).toBe('scripted:second~0.5');
    await expect(createAgent('scripted:shy~2', 'first', environment)).rejects.toThrow(/from 0 to 1/);
  });

  it('lists the available scripts when a script name is unknown', async () => {
    await expect(createAgent('scripted:bold', 'first', environment)).rejects.toThrow(
      'kuhn-poker has no script "bold"; its scripts are shy, second.',
    );
    await expect(createAgent('scripted', 'first', bare)).rejects.toThrow('has no scripted players');
    await expect(createAgent('scripted:toString', 'first', environment)).rejects.toThrow('has no script "toString"');
  });
});

describe('createAgent', () => {
  it('names the agent after its spec', async () => {
    const agent = await createAgent({ name: 'Ada', kind: 'scripted:shy' }, 'first', environment);
    expect(agent.name).toBe('Ada');
    expect(await says({ name: 'Ada', kind: 'scripted:shy' }, 'first')).toBe('[check]');
  });

  it('lists the available agents, including the scripts of the environment, when a kind is unknown', async () => {
    await expect(createAgent('radnom', 'first', environment)).rejects.toThrow(
      'Unknown agent "radnom". Available: random, scripted:shy, scripted:second, human, llm:MODEL, bot:URL, a2a:URL, cmd:COMMAND, search, explorer, local/RUN.',
    );
    await expect(createAgent('constructor', 'first', environment)).rejects.toMatchObject({
      code: 'E_UNKNOWN_NAME',
      details: { kind: 'agents', name: 'constructor' },
    });
  });

  it('picks stand-ins by seat only', () => {
    expect(standIn(environment, 'second')).toBe('scripted:second');
    expect(standIn(environment, 'first')).toBe('random');
    expect(standIn({ ...kuhnPoker, scripts: {} }, 'constructor')).toBe('random');
  });

  it('gives the local model to a language agent that names no model', async () => {
    const asked: string[] = [];
    const model = async (name: string) => {
      asked.push(name);
      return fakeModel({ answers: ['[bet]'] });
    };
    await createAgentLoader({ model })('llm', 'first', environment);
    await createAgentLoader({ model })('llm:other', 'first', environment);
    expect(asked).toEqual(['local', 'other']);
  });

  it('creates every agent it lists', async () => {
    const learned = async (name: string) => scripted(name, () => ({ text: '[check]' }));
    const cast = createAgentLoader({ model: async (id) => fakeModel({ id, answers: ['x'] }), learned });
    const connected = /^(?:bot|a2a|cmd):/;
    for (const name of castable(environment).filter((name) => !connected.test(name)))
      expect((await cast(name, 'first', environment)).name).toBe(name);
    expect(agentKinds.map(({ kind }) => kind)).toEqual([
      'random',
      'scripted',
      'human',
      'openenv',
      'llm',
      'bot',
      'a2a',
      'cmd',
      'team',
      'search',
      'guarded',
      'tester',
      'shell',
      'finder',
      'explorer',
      'program',
      'authored',
      'local',
    ]);
  });

  it("counts tokens with the model's tokenizer if it has one", async () => {
    const sized = async (tokens?: (text: string) => number) => {
      const model = { ...fakeModel({ answers: ['[check]'] }), ...(tokens && { tokens }) };
      const agent = await createAgentLoader({ model: async () => model })('llm:m', 'first', environment);
      const { mind } = (await agent.act(turn({ seat: 'first', choices: ['[check]'] }), new AbortController().signal)) as Reply;
      return (mind as { prompt: { tokens: number } }).prompt.tokens;
    };
    // Two messages, at one token each and four around each of them.
    expect(await sized(() => 1)).toBe(10);
    expect(await sized()).toBeGreaterThan(50);
  });
});
