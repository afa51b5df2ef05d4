/** @file Messages of the chat page. */

import type { Because } from '@ludus-agents/agents/internal/explain-action';
import type { KnowledgeName } from '@ludus-agents/agents/internal/mind/knowledge';
import type { Persona } from '@ludus-agents/agents/internal/personas/index';

/** The settings of a conversation other than the character; omitted ones have defaults. */
export type ChatSettings = {
  /** What the character calls the person. */
  readonly user?: string;
  /** Who the person is, for the character to know. */
  readonly about?: string;
  /** The author's note: instructions at a depth of the history, by default before the last four messages. */
  readonly note?: string;
  readonly noteDepth?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  /** Structures that the character builds from its notes. */
  readonly knowledge?: readonly KnowledgeName[];
};

/** A character by its storage location. */
export interface ChatPick {
  readonly source: 'gallery' | 'own';
  readonly key: string;
}

/** Memories by their ids: new text, or null to remove one; a new id adds a memory. */
export type MemoryEdits = Readonly<Record<string, string | null>>;

/** The rules of a group: who greets, and who answers (the parameter `order` of social-scene). */
export type ChatGroup = {
  readonly greets: 'first' | 'everybody' | 'nobody';
  readonly order: 'named' | 'reply' | 'one' | 'talkative' | 'everybody' | 'listed' | 'director';
};

/** A stored character, or one in an editor. */
export interface ChatRequest {
  readonly persona?: object;
  readonly source?: 'gallery' | 'own';
  readonly key?: string;
  /** More characters, for a group: everyone hears everyone. */
  readonly others?: readonly ChatPick[];
  readonly group?: ChatGroup;
  readonly model?: string;
  readonly settings?: ChatSettings;
  /** A conversation that is started over, with the same character and settings. */
  readonly like?: string;
  /** The index of its greeting. */
  readonly greeting?: number;
}

export interface ChatChangeRequest {
  readonly persona?: object;
  /** "none" for the lines on the card. */
  readonly model?: string;
  readonly settings?: ChatSettings;
  /** Changes in the memory of each seat, which apply to the next answer. */
  readonly memories?: Readonly<Record<string, MemoryEdits>>;
  /** The lorebook of the character on each seat, used from the next answer on; the original card is not changed. */
  readonly lore?: Readonly<Record<string, Persona['lore']>>;
  readonly title?: string;
  /** No longer listed. */
  readonly hidden?: boolean;
}

/** Replaces the message at an event: with new text, or without text by another answer; the user's own message is removed. */
export interface ChatForkRequest {
  readonly at: number;
  readonly text?: string;
}

/** A conversation in a list. */
export interface ChatLine {
  readonly id: string;
  readonly title: string;
  readonly model: string | null;
  /** The key of the persona whose picture it is. */
  readonly portrait: string | null;
  readonly branch: boolean;
  readonly lines: number;
  readonly excerpt: string;
  /** All alternatives of the conversation, including this one: they are browsed within it, not listed. */
  readonly family: readonly string[];
}

export interface ChatShown extends Pick<ChatLine, 'id' | 'title' | 'model' | 'portrait'> {
  /** All participants except the person, as text. */
  readonly name: string;
  readonly people: readonly { readonly seat: string; readonly name: string; readonly portrait: string | null }[];
  readonly settings: ChatSettings;
  readonly memories: Readonly<Record<string, MemoryEdits>>;
  readonly greetings: readonly string[];
  readonly lines: readonly ChatSaid[];
  readonly fork: { readonly episode: string; readonly at: number } | null;
  /** Whether its turn limit is reached. */
  readonly over: boolean;
  /** Whether it has ended, or was held at a terminal: continuing it creates a branch. */
  readonly left: boolean;
  /** Whether an answer is in progress. */
  readonly answering: boolean;
  /** The exchange in progress, for pages opened in the meantime: the person's message and the answers so far. */
  readonly writing: ChatWriting | null;
  /** An unanswered message, and the reason: it can be sent again. */
  readonly failed: { readonly text: string; readonly error: string } | null;
}

export interface ChatWriting {
  /** Null if a character answers again. */
  readonly text: string | null;
  readonly answers: readonly { readonly seat: string; readonly soFar: string }[];
  /** The event from which lines are replaced; null if none are. */
  readonly from: number | null;
}

export interface ChatSaid {
  readonly who: 'character' | 'user';
  readonly seat: string;
  readonly text: string;
  /** The event with the text. */
  readonly at: number;
  /** The action behind it, which a branch can replace; null for a greeting. */
  readonly event: number | null;
  readonly why: Because | null;
  /** Whether the person wrote it in the character's name. */
  readonly edited: boolean;
  /** The conversations with alternatives here, including this one; null if there is no other. */
  readonly ways: { readonly at: number; readonly of: readonly string[] } | null;
}

/** Updates while an answer is written: the text so far, finally the conversation, or an error. */
export type ChatSpoken = { readonly soFar: string; readonly seat: string } | { readonly shown: ChatShown } | { readonly error: string };
