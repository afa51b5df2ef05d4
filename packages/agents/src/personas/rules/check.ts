/** @file Errors in authored rules: states that are never reached or never left, and unknown names of emotions and goals. */

import type { AuthoredRules } from './rules.ts';

/** Sentences about errors that would otherwise appear only during play. */
export function checkRules(rules: AuthoredRules, emotions: readonly string[]): readonly string[] {
  const { appraisal, decisions, dialogue, thresholds, decay, goals } = rules;
  const reached = new Set(['Start']);
  for (let before = 0; before < reached.size; ) {
    before = reached.size;
    for (const { from, to } of dialogue) if (reached.has(from)) reached.add(to);
  }
  const exits = new Set(dialogue.map(({ from }) => from));
  const states = new Set(dialogue.flatMap(({ from, to }) => [from, to]));
  const knownNames = new Set([...emotions, 'mood', 'affinity', ...Object.keys(goals).map((id) => `goal:${id}`)]);
  const named = [...appraisal, ...decisions, ...dialogue].flatMap(({ id, when }) => when.map(({ what }) => ({ id, what })));
  const ids = [...appraisal, ...decisions, ...dialogue].map(({ id }) => id);
  return [
    ...[...states]
      .filter((state) => !reached.has(state))
      .map((state) => `No line of the dialogue leads to the state "${state}" from "Start".`),
    ...[...reached]
      .filter((state) => states.has(state) && state !== 'End' && !exits.has(state))
      .map((state) => `No line leads out of the state "${state}"; add one, or call it "End".`),
    ...named
      .filter(({ what }) => !knownNames.has(what))
      .map(
        ({ id, what }) =>
          `The rule "${id}" looks at "${what}", which is not an emotion, no goal of the rules, and neither "mood" nor "affinity".`,
      ),
    ...Object.keys({ ...thresholds, ...decay })
      .filter((name) => !emotions.includes(name))
      .map((name) => `"${name}" is not an emotion.`),
    ...appraisal.flatMap(({ id, goal }) =>
      goal === undefined || Object.hasOwn(goals, goal.id)
        ? []
        : [`The rule "${id}" moves the goal "${goal.id}", which "goals" does not name.`],
    ),
    ...ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `The id "${id}" is used twice.`),
  ];
}
