/** @file A model that writes workflows: asked once, and again with the error if its answer cannot be played. */

import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import type { Lesson, Model } from '@ludus-agents/kernel/internal/core/index';
import { componentsOf, withComponents } from '../components.ts';
import type { Proposer } from '../engine.ts';
import { isTeam } from '../nested-texts.ts';
import { readWorkflow, type Workflow, withWorkflow } from '../workflow.ts';
import { promptedProposer } from './prompted.ts';

export interface DesignTally {
  written: number;
  unreadable: number;
}

export interface DesignerOptions {
  readonly name: string;
  readonly model: Model;
  readonly tally: DesignTally;
  question(lessons: readonly Lesson[]): string;
  /** Why a workflow is rejected, or null. */
  refuses?(workflow: Workflow): string | null;
}

export function designWith({ name, model, tally, question, refuses }: DesignerOptions): Proposer {
  return promptedProposer({
    name,
    model,
    maxTokens: 1200,
    async improve(spec, lessons, ask, { refuse }) {
      const content = question(lessons);
      const members = isTeam(spec) ? readTeam(spec).called.map(({ name }) => name) : [];
      let problem = '';
      for (let attempt = 0; attempt < 2; attempt++) {
        const answer = await ask(problem === '' ? content : `${content}\n\nYour last answer could not be used: ${problem}.`);
        const read = readWorkflow(answer, members);
        problem = 'problem' in read ? read.problem : (refuses?.(read.workflow) ?? '');
        if ('workflow' in read && problem === '') {
          tally.written++;
          return [withComponents(spec, withWorkflow(componentsOf(spec), read.workflow))];
        }
        tally.unreadable++;
      }
      refuse?.(problem);
      return [];
    },
  });
}
