/** @file Which parts of a persona a viewer may see, by level of acquaintance or by name, and which texts must never leave its seat. */

import type { Goal, Persona, Relation, RelationKind, SocialIdentity, Statement, Visibility } from './persona.ts';

/** How well a viewer knows the persona, from not at all to intimately. */
export type VisibilityLevel = 'stranger' | 'by_name' | 'acquaintance' | 'friend';

const rank: Readonly<Record<VisibilityLevel, number>> = { stranger: 0, by_name: 1, acquaintance: 2, friend: 3 };

const levelOfKind: Readonly<Record<RelationKind, VisibilityLevel>> = {
  stranger: 'stranger',
  by_name: 'by_name',
  acquaintance: 'acquaintance',
  friend: 'friend',
  romantic: 'friend',
  family: 'friend',
  rival: 'acquaintance',
  boss: 'acquaintance',
  subordinate: 'acquaintance',
  colleague: 'acquaintance',
  other: 'acquaintance',
};

/** A viewer: by id or name, by level, or both. */
export interface Viewer {
  readonly id?: string;
  readonly name?: string;
  readonly aliases?: readonly string[];
  readonly level?: VisibilityLevel;
}

/** A viewer's knowledge of a persona; hidden facts are absent. */
export interface PersonaView {
  readonly level: VisibilityLevel;
  readonly name?: string;
  /** Social facts (age, work, home), visible from acquaintance on. */
  readonly social?: SocialIdentity;
  readonly statements: readonly Statement[];
  readonly goals: readonly Goal[];
  readonly relations: readonly Relation[];
}

/** The level of a viewer: the claimed one, otherwise the closest relation in the persona, otherwise stranger. */
export function levelOf(persona: Persona, viewer: Viewer): VisibilityLevel {
  if (viewer.level !== undefined) return viewer.level;
  let best: VisibilityLevel = 'stranger';
  for (const relation of persona.relations) {
    const level = levelOfKind[relation.kind];
    if (namesOf(viewer).includes(relation.to) && rank[level] > rank[best]) best = level;
  }
  return best;
}

/** Whether a viewer at this level may see it. Facts marked "self" are never visible. */
export function mayKnow(visibility: Visibility, viewer: Viewer, level: VisibilityLevel): boolean {
  if (visibility === 'self') return false;
  if (visibility === 'public') return true;
  if ('min' in visibility) return rank[level] >= rank[visibility.min];
  return namesOf(viewer).some((name) => visibility.only.includes(name));
}

/** The part of a persona that a viewer may know, always without secrets. */
export function visibleTo(persona: Persona, viewer: Viewer): PersonaView {
  const level = levelOf(persona, viewer);
  const visibleItems = <T>(items: readonly T[], gate: (item: T) => Visibility) =>
    items.filter((item) => mayKnow(gate(item), viewer, level));
  return {
    level,
    ...(rank[level] >= rank.by_name ? { name: persona.name } : {}),
    ...(rank[level] >= rank.acquaintance ? { social: persona.identity.social } : {}),
    statements: visibleItems(persona.statements, (statement) => statement.visibility),
    goals: visibleItems(persona.goals, (goal) => goal.visibility),
    relations: visibleItems(persona.relations, (relation) => relation.knowsOf),
  };
}

/**
 * Every text private to a persona: secrets, and goals, statements and relations marked "self". With a viewer, everything that this viewer
 * may not know. A prompt for another seat that contains one of them is a leak.
 */
export function privateTexts(persona: Persona, viewer?: Viewer): readonly string[] {
  const observation = viewer === undefined ? null : { viewer, level: levelOf(persona, viewer) };
  const isHidden = (visibility: Visibility) =>
    observation === null ? visibility === 'self' : !mayKnow(visibility, observation.viewer, observation.level);
  return [
    ...persona.secrets.flatMap((secret) => (secret.revealWhen ? [secret.text, secret.revealWhen] : [secret.text])),
    ...persona.goals.filter((goal) => isHidden(goal.visibility)).map((goal) => goal.text),
    ...persona.statements.filter((statement) => isHidden(statement.visibility)).map((statement) => statement.text),
    ...persona.relations.filter((relation) => relation.text && isHidden(relation.knowsOf)).map((relation) => relation.text as string),
  ];
}

function namesOf(viewer: Viewer): readonly string[] {
  return [viewer.id, viewer.name, ...(viewer.aliases ?? [])].filter((name) => name !== undefined);
}
