/** @file A real model as a judge, with a trust card from its own replies, and as an agent whose instruction is improved once. */

import '@ludus-agents/servers/internal/kinds';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { loadRubric } from '@ludus-agents/evaluation/internal/loaders';
import { cardLine, examine } from '@ludus-agents/evaluation/internal/scoring/trust/index';
import type { Model } from '@ludus-agents/kernel/internal/core/index';
import { createImproveServices, improveRun, saveImproveRun, workOf } from '@ludus-agents/learning/internal/improving/improve';
import { improve } from '@ludus-agents/learning/internal/prompts/improve';
import { openStore } from '@ludus-agents/store/internal/open-store';
import type { Bench } from './models.ts';
import type { Figure } from './run.ts';

/** A comparison of two episodes is the shortest answer that a rubric asks for: what a small judge cannot do here it cannot do at all. */
const rubric = 'furina';
const twins = 4;

export async function judge({ model, keeper }: Bench): Promise<readonly Figure[]> {
  const retainedModel: Model = {
    ...model,
    async complete(prompt, sampling, signal) {
      const call = await model.complete(prompt, sampling, signal);
      keeper.line('judge-replies.jsonl', { text: call.text, finish: call.finish, usage: call.usage });
      return call;
    },
  };
  const card = await examine({
    rubric: await loadRubric(rubric, process.cwd(), Trust.commandLine),
    judge: { model: retainedModel, retries: 0, sampling: { temperature: 0, maxTokens: 360 } },
    twins,
  });
  keeper.file('trust-card.json', card);
  const grades = { A: 3, B: 2, C: 1 } as const;
  const { replies, unparsedReplies } = card.measures.tally;
  return [
    { name: 'judge.trust_grade', value: grades[card.grade], unit: `(${card.grade})`, note: card.reasons.slice(0, 2).join(' ') },
    { name: 'judge.unreadable', value: unparsedReplies / Math.max(1, replies), unit: 'of replies', note: cardLine(card) },
  ];
}

/** One improvement of an instruction. */
export async function improvement({ name }: Bench): Promise<readonly Figure[]> {
  const store = await openStore(join(mkdtempSync(join(tmpdir(), 'ludus-bench-')), 'store.sqlite'));
  try {
    const run = await improveRun(
      {
        recipe: 'instruction-demo',
        model: name,
        seed: 1,
        calls: 12,
        locked: [],
        counts: { propose: 4, select: 4, report: 4 },
      },
      process.cwd(),
      Trust.commandLine,
    );
    await saveImproveRun(store, run, { cwd: process.cwd(), trust: Trust.commandLine });
    const course = improve(
      workOf(run),
      await createImproveServices(store, run, {
        trust: Trust.commandLine,
        cwd: process.cwd(),
        concurrency: 8,
        signal: new AbortController().signal,
      }),
    );
    for (let next = await course.next(); ; next = await course.next()) {
      if (next.done !== true) continue;
      const { start, best, calls } = next.value;
      return [{ name: 'improve.best', value: best.report, unit: 'score', note: `from ${start.report} in ${calls} plays` }];
    }
  } finally {
    await store.close();
  }
}
