/**
 * @file Engines that ask a model for whole texts or workflows, next to `gepa` with the same writer and equal calls. The writer follows a script: one in
 * four of the texts it proposes helps, whatever it is asked. So the figures compare searches, and say nothing about language models.
 */

import type { AgentSpec } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { componentsOf } from '@ludus-agents/learning/internal/prompts/components';
import { trialled } from '@ludus-agents/learning/internal/prompts/engines/engines.cases';
import { builtInEngine } from '@ludus-agents/learning/internal/prompts/engines/index';
import {
  animalTrials,
  chanceOf,
  scriptedWriter,
  start,
  tasks,
} from '@ludus-agents/learning/internal/prompts/engines/scripted-writer.cases';
import { errorOf, gateRules } from '@ludus-agents/learning/internal/prompts/gate';
import { reflectWith } from '@ludus-agents/learning/internal/prompts/proposers/reflect';
import { toyGround } from '@ludus-agents/learning/internal/prompts/toy.cases';
import { asPipeline, type Workflow, workflowIn } from '@ludus-agents/learning/internal/prompts/workflow';
import type { Figure } from './run.ts';

const ideas = ['say it in capitals', 'say it twice', 'say it slowly', 'whisper it'];
const styles = ['Be loud.', 'Be kind.', 'Be formal.', 'Be funny.'];

/** Texts, rules and feedback, each right one time in four; a step follows the feedback it is shown. */
const writesTexts = () =>
  scriptedWriter((prompt, dice) => {
    const isStyle = /"style"/.test(prompt);
    const idea = isStyle ? dice.pick(styles) : `${dice.pick(ideas)}.`;
    if (prompt.includes('You give feedback')) return `It should tell the player: ${idea}`;
    if (prompt.includes('<better')) return `If there is a word, then ${dice.pick(ideas)}.`;
    const advice = /tell the player: ([^.]+\.)/.exec(prompt)?.[1];
    return `<text>\n${advice ?? idea}\n</text>`;
  });

const steps = ['think', 'draft', 'verify', 'polish'];

/** Workflows: one of four steps that can be added helps much. */
const writesWorkflows = () =>
  scriptedWriter((prompt, dice) => {
    const before = JSON.parse(/<workflow[^>]*>\n(.*)\n/.exec(prompt)?.[1] ?? '[]') as Workflow;
    const names = [...before.map(({ name }) => name).filter((name) => name !== 'answer'), dice.pick(steps), 'answer'];
    return JSON.stringify({ thought: '', modules: [...new Set(names)].map((name) => ({ name, tell: `Now ${name}.` })) });
  });

const pipeline = asPipeline({ name: 'solver', kind: 'llm', model: 'm', texts: { instruction: 'Solve it.' } });
const worthOf = (spec: AgentSpec) => {
  const names = (workflowIn(componentsOf(spec)) ?? []).map(({ name }) => name);
  return 0.3 + (names.includes('verify') ? 0.5 : 0) + (names.includes('think') ? 0.1 : 0) - 0.2 * Math.max(0, names.length - 4);
};

/** What each engine ends with, by the true worth of its answer, as means over seeds. */
export async function writtenFigures(seeds: number, calls: number): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const add = (ground: string, engine: string, values: readonly number[]) =>
    figures.push({
      ...{ name: `improve.${ground}.${engine}`, value: meanOrZero(values), unit: 'true score' },
      note:
        engine === 'start'
          ? 'where every engine begins'
          : `± ${errorOf(values).toFixed(3)} over ${seeds} seeds, at most ${calls} plays each; scripted writer`,
    });
  add('written-texts', 'start', [chanceOf(start)]);
  for (const name of ['gepa', 'mipro', 'simba', 'textgrad']) {
    const values: number[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      const proposer = reflectWith({ model: writesTexts() });
      const ground = await animalTrials();
      const { best } = await trialled({ engine: builtInEngine(name), ground, tasks, seed, start, calls, gate: gateRules.ours, proposer });
      values.push(chanceOf(best.spec));
    }
    add('written-texts', name, values);
  }
  add('workflows', 'start', [worthOf(pipeline)]);
  for (const name of ['gepa', 'aflow', 'adas']) {
    const values: number[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      const proposer = reflectWith({ model: writesWorkflows() });
      const parts = { propose: 8, select: 16, report: 8 };
      const { best } = await trialled({
        engine: builtInEngine(name),
        ground: toyGround(worthOf),
        tasks: parts,
        seed,
        start: pipeline,
        proposer,
        calls,
      });
      values.push(worthOf(best.spec));
    }
    add('workflows', name, values);
  }
  return figures;
}
