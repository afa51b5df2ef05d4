/** @file The studio in a real browser, second half: characters, models, runs, learning, boards. One studio for all of it. */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { run } from '@ludus-agents/kernel/internal/engine/run';
import { withStudio } from './fixtures/studio-page.ts';
import './studio/characters.cases.ts';
import './studio/chats.cases.ts';
import './studio/models.cases.ts';
import './studio/runs.cases.ts';
import './studio/explorer.cases.ts';
import './studio/launch.cases.ts';
import './studio/learning.cases.ts';
import './studio/every-page.cases.ts';
import './studio/audit.cases.ts';
import './studio/stumbles.cases.ts';
import './studio/tools.cases.ts';
import './studio/verdicts.cases.ts';

// Two runs to look at: one with more episodes than a page of the table, one that is an arena.
withStudio(async (store) => {
  const play = (name: string, count: number) =>
    run(
      {
        name,
        environments: [{ environment: 'kuhn-poker', tasks: [{}] }],
        seeds: { from: 0, count },
        casts: [{ '*': 'random' }, { first: 'scripted:honest', second: 'random' }],
        swap: true,
      },
      { store, environment: (id) => builtInEnvironment(id), agent: createAgentLoader({}), signal: new AbortController().signal },
    );
  await play('baseline', 150);
  await play('arena-kuhn-poker-1234', 20);
});
