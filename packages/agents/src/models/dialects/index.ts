/** @file Providers with their own dialect, one line each; a dialect is loaded when one of its models is named. */

import type { Dialect } from './dialect.ts';

export interface DialectPlace {
  readonly about: string;
  readonly example: string;
  /** Variables that may hold the key, the usual one first. */
  readonly keys: readonly string[];
  /** The variable that overrides the server address. */
  readonly baseFrom: string;
  readonly base: string;
  /** The kind whose prices apply. */
  readonly pricedAs?: string;
  load(): Promise<Dialect>;
}

export const dialectPlaces: Readonly<Record<string, DialectPlace>> = {
  anthropic: {
    about: "Anthropic's messages",
    example: 'claude-sonnet-5',
    keys: ['ANTHROPIC_API_KEY'],
    baseFrom: 'ANTHROPIC_BASE_URL',
    base: 'https://api.anthropic.com/v1',
    load: async () => (await import('./anthropic.ts')).anthropicDialect,
  },
  google: {
    about: 'Gemini',
    example: 'gemini-3.5-flash',
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    baseFrom: 'GEMINI_BASE_URL',
    base: 'https://generativelanguage.googleapis.com/v1beta',
    load: async () => (await import('./gemini.ts')).geminiDialect,
  },
  responses: {
    about: "OpenAI's responses",
    example: 'gpt-5.4-mini',
    keys: ['OPENAI_API_KEY'],
    baseFrom: 'OPENAI_BASE_URL',
    base: 'https://api.openai.com/v1',
    pricedAs: 'openai',
    load: async () => (await import('./responses.ts')).responsesDialect,
  },
};
