/**
 * @file MCP tools for the owner of a server: list environments, run a plan, score a run. They can spend money, so they are off by default.
 */

import type { AgentOf } from '@ludus-agents/agents/internal/kinds';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { openRunVersions } from '@ludus-agents/evaluation/internal/run-plan';
import { scoreRun } from '@ludus-agents/evaluation/internal/score-run';
import { scorerNames } from '@ludus-agents/evaluation/internal/scoring/index';
import { type AnyEnvironment, Fault, type Json, nameOf, type Store } from '@ludus-agents/kernel/internal/core/index';
import { readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { run } from '@ludus-agents/kernel/internal/engine/run';
import { findRun } from '@ludus-agents/store/internal/stores';
import type { McpServer } from '@modelcontextprotocol/server';
import { tool } from './seat.ts';

export interface AdminOptions {
  readonly store: Store;
  readonly agent: AgentOf;
  readonly environment: (name: string) => Promise<AnyEnvironment>;
  readonly environments: readonly string[];
  /** The folder of the files that a plan names. */
  readonly cwd: string;
}

export function adminTools(server: McpServer, { store, agent, environment, environments, cwd }: AdminOptions): void {
  tool(server, 'list_worlds', {
    description: 'Every environment that can be played here, with its description and task parameters.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    async call() {
      const all = await Promise.all(environments.map(environment));
      const data = all.map((anyEnvironment) => ({
        name: nameOf(anyEnvironment),
        id: anyEnvironment.id,
        summary: anyEnvironment.about.summary,
        parameters: Object.keys(anyEnvironment.parameters),
      }));
      return { text: data.map(({ name, summary }) => `${name}: ${summary}`).join('\n'), data: { worlds: data } };
    },
  });
  tool(server, 'run', {
    description:
      'Plays a plan into the store: environments × tasks × seeds × casts. Playing it again plays only what is missing or has changed.',
    input: {
      type: 'object',
      properties: {
        plan: { type: 'object', description: 'such as {"environments": ["kuhn-poker"], "seeds": 10, "casts": [{"*": "random"}]}' },
      },
      required: ['plan'],
      additionalProperties: false,
    },
    async call({ plan }, signal) {
      const read = readPlan(plan as Json);
      const { of: versions } = await openRunVersions(read, { store, environment, cwd, trust: Trust.request });
      const report = await run(read, { store, environment, agent, signal, versions });
      const text = `Run ${report.run}: ${report.played} of ${report.planned} episodes played now, ${report.before} before.`;
      return { text, data: JSON.parse(JSON.stringify(report)) as Json };
    },
  });
  tool(server, 'score', {
    description: 'Scores the episodes of a run with rules and small models. Existing scores are not changed.',
    input: {
      type: 'object',
      properties: {
        run: { type: 'string', description: 'the run, or the first letters of its id' },
        scorers: { type: 'array', items: { type: 'string', enum: scorerNames() }, description: 'default: the standard scorers' },
      },
      required: ['run'],
      additionalProperties: false,
    },
    async call({ run: typed, scorers }, signal) {
      const record = await findRun(store, typed as string);
      if (record === null) throw new Fault('input', `Run "${typed}" not found in this store.`, { code: 'E_NOT_FOUND' });
      const names = scorers as readonly string[] | undefined;
      const report = await scoreRun({
        store,
        run: record.id,
        suite: null,
        sceneOf: () => null,
        scorers: names,
        cwd,
        trust: Trust.request,
        options: { signal },
      });
      return { text: `${report.scored} episodes scored, ${report.scores} scores.`, data: { run: record.id, ...report } };
    },
  });
}
