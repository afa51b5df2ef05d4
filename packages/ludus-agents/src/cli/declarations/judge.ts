/** @file `ludus judge`: measure, build, and review judges. */

import { controlWords } from '@ludus-agents/evaluation/internal/control-words';
import { rubricNames } from '@ludus-agents/evaluation/internal/scoring/rubrics/index';
import { readBound } from '@ludus-agents/store/internal/exports/bounds';
import { type CommandDeclaration, commandGroup, examples, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';
import { withSpending } from '../spending.ts';

export const usualSizes = [2, 4, 8];

const induce: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'a run, by name or the start of its ID')
      .option(
        '--feedback <file>',
        'JSON lines, or a JSON list, of {"episode": "…", "feedback": "…"} (default: the reasons of labels, stored by "ludus judge review")',
      )
      .requiredOption(...flag('judge', 'the model that judges, or a control: fake:honest, fake:constant'))
      .option('--metrics <list>', `numbers of metrics to try (default: ${usualSizes.join(',')})`, sizesIn)
      .option(...flag('output', 'where to write the rubric'));
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus judge induce baseline --feedback remarks.jsonl --judge fake:honest': 'from the text alone, without a model',
      'ludus judge induce baseline --feedback remarks.jsonl --judge openai/gpt-5.4-mini -o mine.json': 'as your own rubric',
      'ludus judge induce baseline --judge openai/gpt-5.4-mini -o mine.json': 'from the reasons people gave with labels',
      'ludus score baseline --rubric ./mine.json --judge openai/gpt-5.4-mini': 'then score a run with the rubric',
    });
  },

  load: async () => (await import('../commands/judge.ts')).induce,
};

function sizesIn(text: string): readonly number[] {
  const read = whole('--metrics', 1, 50);
  return [...new Set(text.split(',').map(read))];
}

const review: CommandDeclaration = {
  declare(command) {
    command
      .argument('<what>', 'a run, or with --label an episode')
      .option('--label <word>', 'the label: good or bad; for a pair: episode, against, or tie')
      .option(...flag('against', 'the other episode of a pair'))
      .option('--reason <text>', 'why')
      .option('--by <name>', 'the reviewer (default: your user name)')
      .option('--pairs', 'pairs of episodes on the same task, without the agents’ names')
      .option('--agreement', 'agreement of people with each other and with every score')
      .option(...flag('limit'), whole('--limit', 1, 1000), 10);
    withJson(withStore(command));
    examples(command, {
      'ludus judge review RUN': 'what to review next: disagreements first, then failures',
      'ludus judge review EPISODE --label bad --reason "promised a refund"': 'the last label of each person counts',
      'ludus judge review RUN --pairs': 'two at a time, blind',
      'ludus judge review RUN --agreement': "Krippendorff's alpha with its interval",
    });
  },

  load: async () => (await import('../commands/judge.ts')).review,
};

const reward: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'a run, by name or the start of its ID')
      .requiredOption(...flag('where', 'which episodes count as good'), (text: string) => readBound(text, '--where'))
      .option(...flag('seat', 'the seat to judge (default: the first)'))
      .requiredOption(...flag('output', 'where to write the reward model'))
      .option(...flag('seed'), whole('--seed', 0), 1);
    withJson(withStore(command));
    examples(command, {
      'ludus judge reward baseline --where "return>=1" -o mine.json': 'learn what the environment rewards',
      'ludus score other --scorers ./mine.json': 'score another run with it',
      'ludus data export --run other --where "reward/mine>=0.5" --format trl-sft -o round-2': 'and keep the episodes it rates as good',
    });
    command.addHelpText(
      'after',
      '\nA third of the episodes is held out. The card shows how well the model does on them, and on copies without their decisive step.',
    );
  },

  load: async () => (await import('../commands/judge.ts')).reward,
};

const trust: CommandDeclaration = {
  declare(command) {
    command
      .argument('<rubric>', `${rubricNames.join(', ')}, or a file`)
      .requiredOption('--judge <model>', `the model that judges, or a control: ${controlWords.join(', ')}`)
      .option('--second <model>', 'a judge of another model family, to measure agreement')
      .option('--twins <n>', 'planted cases (default: 60; at least 35 are needed for an A)', whole('--twins', 1, 10_000))
      .option(...flag('seed', '(default: 1)'), whole('--seed', 0));
    command
      .option('--labels <run>', 'a run that people labeled with "ludus judge review"; the card shows their agreement with the judge')
      .option('--tune <model>', 'with --labels: a model that rewrites the rubric; a gate accepts or rejects each version')
      .option('--rounds <n>', 'wordings to try', whole('--rounds', 1, 100), 4)
      .option(...flag('output', 'where to write the tuned rubric'));
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus judge trust coser --judge fake:honest': 'what an A looks like',
      'ludus judge trust coser --judge fake:length': 'a judge that prefers long answers is detected',
      'ludus judge trust my-rubric.json --judge MODEL --labels RUN': 'agreement of people with each other and with the judge',
      'ludus judge trust my-rubric.json --judge MODEL --labels RUN --tune MODEL -o tuned.json':
        'tune the rubric to people’s labels, measured on held-out episodes',
      'ludus judge trust sotopia --judge openai/gpt-5.4-mini --json': 'with a real model',
    });
  },

  load: async () => (await import('../commands/judge.ts')).trust,
};

export const judge = commandGroup(
  {
    trust: { summary: 'Measure how reliable a judge is', ...trust },
    induce: { summary: 'Derive a rubric from written feedback', ...induce },
    reward: { summary: 'Train a reward model on a run', ...reward },
    review: { summary: 'Label episodes yourself and measure agreement', ...review },
  },
  {
    'ludus judge trust coser --judge openai/gpt-5-mini': 'how reliable this model is with this rubric',
    'ludus judge review RUN --pairs': 'two episodes at a time, blind',
    'ludus judge induce RUN --judge openai/gpt-5-mini': 'a rubric from the notes of reviewers',
  },
);
