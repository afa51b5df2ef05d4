/** @file Parses the kind of a spec: "llm:MODEL", "scripted:NAME", "local/RUN@best". No other module parses it. */

import type { AgentSpec } from '@ludus-agents/kernel/internal/core/index';

export interface ParsedKind {
  readonly kind: string;
  /** The part after the colon. A run trained here follows a slash instead. */
  readonly rest: string | undefined;
}

export function parseKind(written: string): ParsedKind {
  const cut = written.startsWith('local/') ? 'local'.length : written.indexOf(':');
  return cut < 0 ? { kind: written, rest: undefined } : { kind: written.slice(0, cut), rest: written.slice(cut + 1) };
}

/** Whether the kind is a language agent: "llm", or "llm:MODEL". */
export function isLanguageKind(written: string): boolean {
  return parseKind(written).kind === 'llm';
}

/** The model that a language agent names in "model" or in its kind; undefined for other kinds, or if the settings choose the model. */
export function namedModel({ kind, model }: Pick<AgentSpec, 'kind' | 'model'>): string | undefined {
  if (model !== undefined) return model;
  const parsed = parseKind(kind);
  return parsed.kind === 'llm' && parsed.rest !== '' ? parsed.rest : undefined;
}

/** A model from a flag, which may also be written "llm:MODEL". */
export function modelName(written: string): string {
  const { kind, rest } = parseKind(written);
  return kind === 'llm' && rest !== undefined ? rest : written;
}
