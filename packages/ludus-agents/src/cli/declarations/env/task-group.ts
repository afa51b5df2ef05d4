/** @file `ludus env tasks`: create tasks for built-in environments from your own material. */

import { commandGroup } from '../../command.ts';

export const tasks = commandGroup(
  {
    checks: { summary: 'Measure how often checks of written tasks err', load: async () => (await import('./tasks/checks.ts')).checks },
    ideas: { summary: 'Create text adventures from written ideas', load: async () => (await import('./tasks/ideas.ts')).ideas },
    library: { summary: 'Create questions about your own documents', load: async () => (await import('./tasks/library.ts')).library },
    programs: {
      summary: 'Create repair tasks from public SWE instances',
      load: async () => (await import('./tasks/programs.ts')).programs,
    },
  },
  {
    'ludus env tasks checks exam --checks program': 'bad tasks that pass, good tasks that are refused',
    'ludus env tasks ideas ideas.txt -o quests.json': 'one text adventure per idea, proven winnable',
    'ludus env tasks library ./docs -o questions.json': 'questions with evidence from your documents',
    'ludus env tasks programs instances.jsonl -o repairs.json': 'repositories with a bug and its tests',
  },
);
