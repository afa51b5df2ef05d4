/**
 * @file A proposer whose evidence is checked: a line may end with a quote, `<- "…"`, and is kept only if those words are in an episode that
 * was read. The quote itself is removed: agents need the rule, not the evidence.
 */

import { type AgentSpec, type Lesson, textOf, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { componentsOf, withComponents } from '../components.ts';
import { applyEdits, editsBetween, type TextEdit } from '../edits.ts';
import type { Proposer } from '../engine.ts';

const quoted = linear(/^(.*\S)\s*<-\s*["“](.+)["”]\s*$/s);

export function grounded(proposer: Proposer): Proposer {
  return {
    name: proposer.name,
    improver: (round) => ({
      name: proposer.name,
      async improve(spec, lessons, signal) {
        const specs = await proposer.improver(round).improve(spec, lessons, signal);
        return specs.map((agentSpec) => dropUngrounded(spec, agentSpec, lessons));
      },
    }),
  };
}

/** The proposal without lines whose quote occurs in no episode. */
export function dropUngrounded(spec: AgentSpec, proposed: AgentSpec, lessons: readonly Lesson[]): AgentSpec {
  const [before, after] = [componentsOf(spec), componentsOf(proposed)];
  const edits = editsBetween(before, after);
  if (!edits.some(({ put }) => put !== undefined && quoted.test(put))) return proposed;
  const read = lessons.map(({ episode, seat }) => textOf(viewOf(episode.events, seat)));
  const sound = edits.flatMap((edit): readonly TextEdit[] => {
    const [, line, quote] = quoted.exec(edit.put ?? '') ?? [];
    if (line === undefined || quote === undefined) return [edit];
    return read.some((text) => text.includes(quote)) ? [{ ...edit, put: line }] : [];
  });
  return withComponents(spec, applyEdits(before, sound));
}
