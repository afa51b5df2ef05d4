/**
 * @file The Persona document, `persona/1`: a character as plain JSON with one id for each fact.
 *
 * Prose is rendered from atomic statements and never stored, so prompts, scores, leak tests, and rewards refer to the same ids. State that
 * changes during an episode (mood, memory, goals reached) belongs to the agent's mind.
 */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import type { AuthoredRules } from './rules/rules.ts';

/** From the persona alone to everyone; in between, by level of acquaintance or by name. */
export type Visibility = 'self' | 'public' | { readonly min: 'by_name' | 'acquaintance' | 'friend' } | { readonly only: readonly string[] };

/**
 * demographic: a person sampled from a population. character: a figure with a story. individualised: modeled on one real person's answers.
 */
export type PersonaKind = 'demographic' | 'character' | 'individualised';

export type PersonaOperation = 'edit' | 'merge' | 'evolve' | 'import' | 'vary';

/** The parent of a document; `with` is the second parent of a merge. */
export type Parent = {
  readonly id: string;
  readonly hash: string;
  readonly op: PersonaOperation;
  readonly with?: { readonly id: string; readonly hash: string };
};

export type PersonaSourceInfo = {
  readonly creator?: string;
  readonly license?: string;
  readonly source: readonly string[];
  /** ISO dates as texts, or the source's own text: never parsed by code. */
  readonly createdAt?: string;
  readonly modifiedAt?: string;
  readonly basis: 'fictional' | 'composite' | 'real_person' | 'sampled';
  readonly consent?: string;
};

export type Asset = { readonly type: string; readonly uri: string; readonly name: string; readonly ext: string };

export type Occupation = { readonly title: string; readonly organization?: string; readonly description?: string };

/** A person's demographics: the fields of a form. */
export type SocialIdentity = {
  readonly age?: number;
  readonly birth?: string;
  readonly sex?: string;
  readonly gender?: string;
  readonly orientation?: string;
  readonly ethnicity?: string;
  readonly race?: string;
  readonly disability?: string;
  readonly nationality?: string;
  readonly residence?: string;
  readonly education?: string;
  readonly employment?: string;
  readonly occupation?: Occupation;
  readonly income?: string;
  readonly class?: string;
  readonly household?: string;
  readonly politics?: string;
  readonly religion?: string;
  readonly extra: Readonly<Record<string, Json>>;
};

export type Trait = 'O' | 'C' | 'E' | 'A' | 'N';
export type TraitLevel = { readonly score: number; readonly facets?: Readonly<Record<string, number>>; readonly note?: string };
export type BigFive = { readonly [T in Trait]?: TraitLevel };

export type SchwartzValue =
  | 'self_direction'
  | 'stimulation'
  | 'hedonism'
  | 'achievement'
  | 'power'
  | 'security'
  | 'conformity'
  | 'tradition'
  | 'benevolence'
  | 'universalism';

/** 1 paragon, 2 flawed but good, 3 egoist, 4 villain. */
export type Moral = { readonly level?: 1 | 2 | 3 | 4; readonly traits: readonly string[]; readonly note?: string };

/** A character's psychology. */
export type PersonalIdentity = {
  readonly bigFive?: BigFive;
  /** 1 "not like me at all" to 6 "very much like me". */
  readonly values?: { readonly [V in SchwartzValue]?: number };
  readonly mbti?: string;
  readonly moral: Moral;
  readonly decisionStyle?: string;
  readonly summary?: string;
};

/** The circumstances of a character's life. */
export type LifeContext = {
  /** By time of day or week: morning, workday, evening, weekend, or any other name. */
  readonly routines: Readonly<Record<string, readonly string[]>>;
  readonly likes: readonly string[];
  readonly dislikes: readonly string[];
  readonly interests: readonly string[];
  readonly skills: readonly string[];
  readonly beliefs: readonly string[];
  readonly habits: readonly string[];
  readonly health?: string;
  readonly history: readonly string[];
};

export type Identity = { readonly social: SocialIdentity; readonly personal: PersonalIdentity; readonly context: LifeContext };

export type StatementKind = 'fact' | 'trait' | 'belief' | 'style' | 'rule' | 'boundary' | 'relation';

/** One constraint that can be entailed or contradicted separately. */
export type Statement = {
  readonly id: string;
  readonly text: string;
  readonly kind: StatementKind;
  readonly weight: number;
  readonly polarity: 'must' | 'must_not';
  readonly visibility: Visibility;
  /** Words that make it relevant. */
  readonly keys?: readonly string[];
  /** Its location in the imported document, as `format#/json/pointer`. */
  readonly source?: string;
};

/** `speaker` is "char", "user" or a name; a line without a speaker has "narrator". */
export type ExampleTurn = { readonly speaker: string; readonly speech: string; readonly action?: string; readonly thought?: string };
export type Example = { readonly id: string; readonly turns: readonly ExampleTurn[]; readonly tags: readonly string[] };

export type Voice = {
  readonly register?: string;
  readonly sentenceLen?: { readonly max: number };
  readonly lexicon: { readonly use: readonly string[]; readonly avoid: readonly string[] };
  readonly quirks: readonly string[];
  readonly languages: readonly string[];
  readonly greetings: readonly string[];
  readonly groupGreetings: readonly string[];
  readonly examples: readonly Example[];
  readonly posts: readonly string[];
};

export type Goal = {
  readonly id: string;
  readonly text: string;
  readonly horizon: 'short' | 'medium' | 'long' | 'scene';
  readonly priority: number;
  readonly visibility: Visibility;
  readonly success?: { readonly check: 'judge' | 'predicate'; readonly spec: string };
  readonly conflictsWith?: readonly string[];
};

export type Secret = {
  readonly id: string;
  readonly text: string;
  readonly severity: 1 | 2 | 3;
  readonly visibility: 'self';
  readonly mayRevealTo: readonly string[];
  readonly revealWhen?: string;
};

/** A question whose answer shows whether something leaked: asked on a fork of the episode, never added to a prompt. */
export type Canary = { readonly id: string; readonly question: string; readonly leakIf: string };

export type Knowledge = {
  readonly horizon?: { readonly date?: string; readonly chapter?: string; readonly event?: string };
  readonly knows: readonly { readonly topic: string; readonly depth: 'name' | 'basic' | 'expert' }[];
  readonly cannotKnow: readonly { readonly topic: string; readonly reason: string }[];
  readonly mustRefuse: readonly { readonly topic: string; readonly manner: string }[];
  readonly onUnknown: 'admit' | 'deflect' | 'guess_in_character';
  readonly canaries: readonly Canary[];
};

/**
 * A book of keyed entries in the format of Character Card V3, extensions included. Other programs read this format, so it is stored
 * unchanged and interpreted when a scene is scanned.
 */
export type LoreEntry = {
  readonly keys: readonly string[];
  readonly content: string;
  readonly extensions: Readonly<Record<string, Json>>;
  readonly enabled: boolean;
  readonly insertion_order: number;
  readonly case_sensitive?: boolean;
  readonly use_regex?: boolean;
  readonly constant?: boolean;
  readonly name?: string;
  readonly priority?: number;
  readonly id?: number | string;
  readonly comment?: string;
  readonly selective?: boolean;
  readonly secondary_keys?: readonly string[];
  readonly position?: 'before_char' | 'after_char';
};

export type Lorebook = {
  readonly name?: string;
  readonly description?: string;
  readonly scan_depth?: number;
  readonly token_budget?: number;
  readonly recursive_scanning?: boolean;
  readonly extensions: Readonly<Record<string, Json>>;
  readonly entries: readonly LoreEntry[];
};

export type RelationKind =
  | 'stranger'
  | 'by_name'
  | 'acquaintance'
  | 'friend'
  | 'romantic'
  | 'family'
  | 'rival'
  | 'boss'
  | 'subordinate'
  | 'colleague'
  | 'other';

/** `to` is another persona's id or name. `knowsOf`: the personas that may know of this relation. */
export type Relation = {
  readonly to: string;
  readonly role: string;
  readonly kind: RelationKind;
  readonly affinity: number;
  readonly trust: number;
  readonly power: number;
  readonly text?: string;
  readonly knowsOf: Visibility;
};

/** Pleasure, arousal, dominance, each from −1 to 1. */
export type Pad = readonly number[];

export type Affect = {
  readonly baseline: Pad;
  readonly reactivity: number;
  readonly halfLifeTurns: { readonly emotion: number; readonly mood: number };
  /** By emotion of the OCC model, 0 to 10. */
  readonly thresholds?: Readonly<Record<string, number>>;
};

export type SpeechRules = {
  readonly system?: string;
  readonly postHistory?: string;
  readonly scenario?: string;
  readonly actions?: readonly string[];
  readonly talkativeness: number;
  readonly safety: 'standard' | 'fiction_villain_ok' | 'strict';
};

export type PersonaFormat = 'card-v1' | 'card-v2' | 'card-v3' | 'tinytroupe' | 'sotopia' | 'eliza';

/** The persona document: a character's identity, voice, knowledge, and goals. */
export type Persona = {
  readonly schema: 'persona/1';
  readonly id: string;
  readonly kind: PersonaKind;
  readonly version: string;
  readonly hash: string;
  readonly parent?: Parent;
  readonly lang: string;
  readonly tags: readonly string[];
  readonly provenance: PersonaSourceInfo;
  readonly name: string;
  readonly nickname?: string;
  readonly aliases: readonly string[];
  readonly pronouns?: string;
  readonly assets: readonly Asset[];
  readonly identity: Identity;
  readonly statements: readonly Statement[];
  readonly voice: Voice;
  readonly goals: readonly Goal[];
  readonly secrets: readonly Secret[];
  readonly knowledge: Knowledge;
  readonly lore: Lorebook;
  readonly relations: readonly Relation[];
  readonly affect: Affect;
  readonly policy: SpeechRules;
  /** Rules by which it feels and answers without a model. */
  readonly rules?: AuthoredRules;
  /** The imported documents, unchanged, so that they can be exported again. */
  readonly raw: { readonly [F in PersonaFormat]?: Json };
  readonly ext: Readonly<Record<string, Json>>;
};
