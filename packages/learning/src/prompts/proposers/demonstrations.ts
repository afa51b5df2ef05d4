/**
 * @file Demonstrations: successful episodes shown to the agent as examples. This proposer needs no model: it copies plays into the text
 * `demonstrations`, so that a set of examples is a component like any other.
 */

import { type Lesson, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { componentsOf, type SpecTexts, withComponents } from '../components.ts';
import type { Proposer } from '../engine.ts';

const demonstrations = 'demonstrations';

/** The component of the examples: a text of the agent, or of the first member of a team. */
export function demonstrationsIn(components: SpecTexts): string {
  const member = Object.keys(components).find((name) => name.startsWith('members/'));
  return member === undefined ? demonstrations : `${member.slice(0, member.lastIndexOf('/'))}/${demonstrations}`;
}

const longest = 1500;

/** An episode as an example: the seat's messages and its answers, up to its last answer. */
function demonstrationOf({ episode, seat }: Pick<Lesson, 'episode' | 'seat'>): string | null {
  const { seen } = viewOf(episode.events, seat);
  const last = seen.findLastIndex(({ kind }) => kind === 'action');
  if (last < 0) return null;
  const lines = seen.slice(0, last + 1).flatMap((item) => {
    if (item.kind === 'message') return [`Input: ${item.text.trim()}`];
    return item.kind === 'action' ? [`Answer: ${item.action.text.trim()}`] : [];
  });
  const text = lines.join('\n');
  return text.length > longest ? null : text;
}

/**
 * Creates `many` sets of examples from the lessons, each with up to `size` examples chosen at random; with `adds`, adds one example to the
 * existing ones.
 */
export function demonstrate({ size, adds = false }: { readonly size: number; readonly adds?: boolean }): Proposer {
  return {
    name: adds ? 'one more demonstration' : `demonstrations ${size}`,
    improver: ({ rng, many, refuse }) => ({
      name: 'demonstrations',
      async improve(spec, lessons) {
        const before = componentsOf(spec);
        const name = demonstrationsIn(before);
        const examples = [...new Set(lessons.flatMap((lesson) => demonstrationOf(lesson) ?? []))];
        if (examples.length === 0) refuse?.('no episode is short enough to be an example');
        if (examples.length === 0) return [];
        const existing = (before[name] ?? '').split('\n\n').filter((text) => text !== '');
        const fresh = examples.filter((text) => !existing.includes(text));
        if (adds) return fresh.length === 0 ? [] : [withExamples([...existing.slice(-(size - 1)), rng.pick(fresh)])];
        return Array.from({ length: many }, () => withExamples(rng.shuffle(examples).slice(0, 1 + rng.int(size))));

        function withExamples(list: readonly string[]) {
          return withComponents(spec, { ...before, [name]: list.join('\n\n') });
        }
      },
    }),
  };
}
