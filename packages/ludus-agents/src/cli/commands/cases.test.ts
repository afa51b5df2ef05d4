/** @file Files of cases as suites of `ludus eval` and `ludus improve`: no environment is written. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const rivers: Readonly<Record<string, string>> = {
  Paris: 'Seine',
  London: 'Thames',
  Rome: 'Tiber',
  Cairo: 'Nile',
  Vienna: 'Danube',
  Dresden: 'Elbe',
  Cologne: 'Rhine',
  Basel: 'Rhine',
  Prague: 'Vltava',
};

/** A model that knows rivers but says more than was asked, until its instruction forbids that; it can also write the instruction. */
const model = `const rivers = ${JSON.stringify(rivers)};
export default { id: 'rivers', async complete({ messages }) {
  const prompt = messages.map(({ content }) => content).join('\\n');
  const city = Object.keys(rivers).find((name) => prompt.includes(name));
  const text = prompt.includes('You improve that text') ? '<text>\\nAnswer with one word.\\n</text>'
    : prompt.includes('Answer with one word.') ? rivers[city] : 'That is the ' + rivers[city] + ', I believe.';
  return { text, usage: { promptTokens: 9, completionTokens: 3 }, cost: 0 };
} };
`;

function workplace(): string {
  const cwd = folder();
  const rows = Object.entries(rivers).map(([city, river]) => `Which river flows through ${city}?,${river}`);
  writeFileSync(join(cwd, 'cases.csv'), ['question,answer', ...rows, rows[0]].join('\n'));
  writeFileSync(join(cwd, 'model.mjs'), model);
  writeFileSync(
    join(cwd, 'agent.json'),
    JSON.stringify({ name: 'guide', kind: 'llm', model: './model.mjs', texts: { instruction: 'You know rivers.' } }),
  );
  return cwd;
}

interface Evaluated {
  readonly cases: readonly { readonly case: string; readonly passed: number; readonly failure: { readonly reason: string } | null }[];
}

describe('a file of cases', () => {
  it('is a suite that names each case and its failure, and counts a duplicate once', async () => {
    const cwd = workplace();
    const strict = JSON.parse((await ludus(cwd, ['eval', 'cases.csv', '--agents', './agent.json', '--yes', '--json'])).out) as Evaluated;
    expect(strict.cases).toHaveLength(9);
    expect(strict.cases[0]).toMatchObject({
      case: 'Which river flows through Paris?',
      passed: 0,
      failure: { reason: 'expected "Seine"' },
    });
    const loose = await ludus(cwd, ['eval', 'cases.csv', '--agents', './agent.json', '--match', 'contains', '--yes', '--json']);
    expect((JSON.parse(loose.out) as Evaluated).cases.every(({ passed }) => passed === 1)).toBe(true);
    writeFileSync(join(cwd, 'check.mjs'), 'export default (output, { expected }) => (output.includes(expected) ? 0.5 : 0);\n');
    const checked = await ludus(cwd, ['eval', 'cases.csv', '--agents', './agent.json', '--check', './check.mjs', '--yes', '--json']);
    expect(JSON.parse(checked.out)).toMatchObject({ agents: expect.arrayContaining([expect.objectContaining({ value: 0.5 })]) });
  });

  it('can be used to improve a prompt with a model from a file', async () => {
    const cwd = workplace();
    const words = ['improve', './agent.json', '--on', 'cases.csv', '--proposer', './model.mjs', '--budget', '60', '--yes', '--json'];
    const run = await ludus(cwd, [...words, '-o', 'better.json']);
    expect(run.err).toContain('9 cases from cases.csv; 1 duplicate counted once');
    expect(JSON.parse(run.out.trim().split('\n').at(-1)!)).toMatchObject({ start: 0, best: 1, random: 0 });
    expect(JSON.parse(readFileSync(join(cwd, 'better.json'), 'utf8'))).toMatchObject({ texts: { instruction: 'Answer with one word.' } });
  });

  it('improves every prompt of a pipeline, with parallel proposals', async () => {
    const cwd = workplace();
    const settings = {
      members: [{ name: 'guide', kind: 'llm', model: './model.mjs', texts: { instruction: 'You know rivers.' } }],
      modules: [
        { name: 'recall', tell: 'What do you know about this city?' },
        { name: 'act', tell: 'Answer the question.' },
      ],
    };
    writeFileSync(join(cwd, 'pipeline.json'), JSON.stringify({ name: 'steps', kind: 'team', settings }));
    const words = ['improve', './pipeline.json', '--on', 'cases.csv', '--proposer', './model.mjs', '--budget', '60', '--set', 'parallel=3'];
    const run = await ludus(cwd, [...words, '--lock', 'members/*', '--yes', '--json', '-o', 'better.json']);
    expect(JSON.parse(run.out.trim().split('\n').at(-1)!)).toMatchObject({ start: 0, best: 1 });
    const { settings: after } = JSON.parse(readFileSync(join(cwd, 'better.json'), 'utf8')) as { settings: typeof settings };
    expect(after.members).toEqual(settings.members);
    expect(after.modules.map(({ tell }) => tell)).toContain('Answer with one word.');
  });

  it('makes no call to improve within a money budget if the cost cannot be counted', async () => {
    const cwd = workplace();
    const run = await ludus(cwd, ['improve', './agent.json', '--on', 'cases.csv', '--proposer', './model.mjs', '--max-cost', '1', '--yes']);
    expect(run.code).not.toBe(0);
    expect(run.err).toContain('No call was made');
  });

  it('is created by "ludus new suite --cases", and its settings are rejected for other suites', async () => {
    const cwd = folder();
    expect((await ludus(cwd, ['eval', 'games-core', '--input', 'x', '--agents', 'random'])).err).toContain('only for files of cases');
    expect((await ludus(cwd, ['new', 'suite', 'faq', '--cases'])).code).toBe(0);
    const run = await ludus(cwd, ['eval', 'faq.csv', '--agents', 'scripted:echo', '--json']);
    expect((JSON.parse(run.out) as Evaluated).cases.map(({ case: name }) => name)).toEqual(['opening', 'refund', 'total', 'order']);
  });
});
